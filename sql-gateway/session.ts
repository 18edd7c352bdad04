/**
 * Owns opening a session with Postgres: the socket, TLS, start-up message, authentication, up to the first
 * ReadyForQuery. Must not send queries. The password exchanges come from `pg`, the messages from `pg-protocol`.
 */
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { serialize } from 'pg-protocol'
import type { BackendMessage } from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'
import { connectionError, SqlError } from './errors.ts'
import {
  continueSession,
  finalizeSession,
  postgresMd5PasswordHash,
  startSession,
} from './pg-authentication.ts'
import type { ServedEntry } from './served.ts'

/** An authenticated session that is ready for its first query; the socket has no listeners left but an idle `error`. */
export interface Session {
  readonly socket: Socket
  readonly processId: number
  readonly secretKey: number
  /** Name and value of every ParameterStatus, in the order they came. */
  readonly parameterStatuses: readonly (readonly [string, string])[]
}

/** Where the entry's server listens, in words for an error message; holds no secret. */
export function addressOf(entry: ServedEntry): string {
  return entry.socketPath ?? `${entry.host}:${entry.port}`
}

/** Connects and, where the entry says so, negotiates TLS; rejects with the socket's own error. */
export async function openSocket(entry: ServedEntry): Promise<Socket> {
  const socket =
    entry.socketPath === undefined ? connectTcp(entry.port, entry.host) : connectTcp(entry.socketPath)
  await once(socket, 'connect')
  socket.setNoDelay(true)
  if (entry.tls === 'off') return socket
  socket.write(serialize.requestSsl())
  const answer = await once(socket, 'data')
  if (answer[0] !== 0x53 || answer.length !== 1) {
    socket.destroy()
    throw new Error('the server does not speak TLS')
  }
  const secured = connectTls({ socket, servername: entry.host, rejectUnauthorized: entry.tls === 'verify' })
  await once(secured, 'secureConnect')
  return secured
}

/**
 * Opens a session with these start-up parameters besides user, database and the encoding UTF8; rejects with
 * `SqlError` 08006.
 */
export async function openSession(
  entry: ServedEntry,
  parameters: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<Session> {
  let socket: Socket | undefined
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  })
  const opening = openSocket(entry).then(opened => {
    socket = opened
    return startUp(opened, entry, parameters)
  })
  try {
    return await Promise.race([opening, timeout])
  } catch (error) {
    socket?.destroy()
    // A socket that opens only after the time is up must not stay behind.
    opening.then(
      late => late.socket.destroy(),
      () => socket?.destroy(),
    )
    throw unreachable(entry, error)
  } finally {
    clearTimeout(timer)
  }
}

function unreachable(entry: ServedEntry, error: unknown): SqlError {
  const target = `Postgres at ${addressOf(entry)}`
  if (error instanceof SqlError) {
    const { code, detail } = error.fields
    const refused = connectionError(`${target} refused the connection: ${error.message}`, detail)
    return new SqlError(refused.message, { ...refused.fields, hint: `SQLSTATE of the refusal: ${code}` })
  }
  const reason =
    error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : String(error)
  return connectionError(`${target} cannot be reached: ${reason}`)
}

function startUp(
  socket: Socket,
  entry: ServedEntry,
  parameters: Readonly<Record<string, string>>,
): Promise<Session> {
  return new Promise((resolve, reject) => {
    const parser = new Parser()
    const statuses: [string, string][] = []
    const authenticate = makeAuthenticator(socket, entry)
    let key = { processID: 0, secretKey: 0 }
    const onMessage = (message: BackendMessage): void => {
      if (message.name === 'parameterStatus') {
        const { parameterName, parameterValue } = message as unknown as Record<string, string>
        statuses.push([parameterName ?? '', parameterValue ?? ''])
      } else if (message.name === 'backendKeyData') key = message as unknown as typeof key
      else if (message.name === 'error') reject(refusal(message))
      else if (message.name === 'readyForQuery') {
        socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('error')
        socket.on('error', () => undefined)
        resolve({ socket, processId: key.processID, secretKey: key.secretKey, parameterStatuses: statuses })
      } else authenticate(message).catch(reject)
    }
    socket.on('data', chunk => {
      try {
        parser.parse(chunk, onMessage)
      } catch (error) {
        reject(error)
      }
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection')))
    socket.write(serialize.startup({ ...parameters, user: entry.user, database: entry.database }))
  })
}

/** Answers the server's authentication requests: none, cleartext, MD5 and SCRAM-SHA-256. */
function makeAuthenticator(socket: Socket, entry: ServedEntry): (message: BackendMessage) => Promise<void> {
  let scram: ReturnType<typeof startSession> | undefined
  return async message => {
    const { name, salt, mechanisms, data } = message as BackendMessage & {
      salt: Buffer
      mechanisms: string[]
      data: string
    }
    if (name === 'authenticationCleartextPassword') socket.write(serialize.password(entry.password))
    else if (name === 'authenticationMD5Password') {
      socket.write(serialize.password(await postgresMd5PasswordHash(entry.user, entry.password, salt)))
    } else if (name === 'authenticationSASL') {
      scram = startSession(mechanisms)
      socket.write(serialize.sendSASLInitialResponseMessage(scram.mechanism, scram.response))
    } else if (name === 'authenticationSASLContinue' && scram !== undefined) {
      await continueSession(scram, entry.password, data)
      socket.write(serialize.sendSCRAMClientFinalMessage(scram.response))
    } else if (name === 'authenticationSASLFinal' && scram !== undefined) finalizeSession(scram, data)
  }
}

function refusal(message: BackendMessage): SqlError {
  const error = message as unknown as Error & { code?: string; detail?: string }
  return new SqlError(error.message, { severity: 'FATAL', code: error.code, detail: error.detail })
}

function once(socket: Socket, event: 'connect' | 'data' | 'secureConnect'): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void) => () => {
      socket.removeAllListeners(event).removeAllListeners('error').removeAllListeners('close')
      socket.on('error', () => undefined)
      outcome()
    }
    socket.once(event, (chunk: Buffer) => settle(() => resolve(chunk))())
    socket.once('error', error => settle(() => reject(error))())
    socket.once(
      'close',
      settle(() => reject(new Error('the server closed the connection'))),
    )
  })
}
