/**
 * Owns one WebSocket session: authenticates the client itself, opens a session with the entry's credentials and then
 * passes bytes. The gateway checks the password because Postgres often asks for none on a Unix socket; a byte of the
 * client's reaches Postgres only after that, and only the servers of served entries are ever connected to.
 */
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ByteReader } from './byte-reader.ts'
import { requestCancel } from './cancel.ts'
import { gatewayError, SqlError } from './errors.ts'
import type { ServedEntries, ServedEntry } from './served.ts'
import { openSession, type Session } from './session.ts'
import {
  ASK_FOR_PASSWORD,
  fatalResponse,
  greeting,
  NO_ENCRYPTION,
  openingKind,
  PASSWORD_BYTES_MAX,
  readStartupParameters,
  STARTUP_BYTES_MAX,
} from './startup-message.ts'

export interface TunnelDeps {
  readonly entries: ServedEntries
  readonly limits: {
    readonly connectTimeoutMs: number
    readonly tunnelAuthenticationTimeoutMs: number
    readonly tunnelIdleTimeoutMs: number
  }
  /** The secret key and entry of each open session by its process id: a CancelRequest reaches only these. */
  readonly sessions: Map<number, { secretKey: number; entry: ServedEntry }>
}

/** A client asks at most for TLS and for GSS before it opens. */
const ENCRYPTION_REQUESTS_MAX = 2
const PASSWORD_MESSAGE = 0x70
/** How long Postgres may take to notice that its client left before its statement is cancelled. */
const LEAVE_GRACE_MS = 1_000
const WITHHELD_PARAMETERS = new Set(['user', 'database', 'replication', 'client_encoding'])

/**
 * Serves one client until either side closes; never rejects. `onAuthenticated` is called once the password was right.
 */
export async function serveTunnel(
  deps: TunnelDeps,
  client: Duplex,
  onAuthenticated: () => void,
): Promise<void> {
  const timer = setTimeout(() => client.destroy(), deps.limits.tunnelAuthenticationTimeoutMs)
  const reader = new ByteReader(client)
  try {
    const opened = await openForClient(deps, client, reader, onAuthenticated)
    reader.release()
    if (opened === undefined) endUnread(client)
    else passBytes(deps, client, opened)
  } catch (error) {
    reader.release()
    if (error instanceof SqlError) endUnread(client, fatalResponse(error))
    else client.destroy()
  } finally {
    clearTimeout(timer)
  }
}

/** Nobody reads what the client still sends: without `resume` its stream would never end. */
function endUnread(client: Duplex, lastWords?: Buffer): void {
  client.end(lastWords)
  client.resume()
}

interface Opened {
  entry: ServedEntry
  session: Session
}

/** Up to a session that is ready; undefined after a CancelRequest. */
async function openForClient(
  deps: TunnelDeps,
  client: Duplex,
  reader: ByteReader,
  onAuthenticated: () => void,
): Promise<Opened | undefined> {
  const opening = await readOpening(client, reader)
  if (opening.kind === 'cancel') return void (await passCancel(deps, opening.body))
  const parameters = opening.kind === 'startup' ? readStartupParameters(opening.body) : undefined
  if (parameters === undefined) throw violation('unsupported start-up message')
  if (parameters.has('replication')) throw violation('replication is not possible through the gateway')
  client.write(ASK_FOR_PASSWORD)
  const password = await readPassword(reader)
  const user = parameters.get('user') ?? ''
  const entry = deps.entries.findByPassword(user, parameters.get('database') ?? user, password)
  if (entry === undefined) throw gatewayError('28P01', `password authentication failed for user "${user}"`)
  onAuthenticated()
  const passed = [...parameters].filter(
    ([name]) => !WITHHELD_PARAMETERS.has(name) && !name.startsWith('_pq_.'),
  )
  const session = await openSession(entry, Object.fromEntries(passed), deps.limits.connectTimeoutMs)
  return { entry, session }
}

async function readOpening(
  client: Duplex,
  reader: ByteReader,
): Promise<{ kind: ReturnType<typeof openingKind>; body: Buffer }> {
  for (let i = 0; i <= ENCRYPTION_REQUESTS_MAX; i++) {
    const head = await reader.read(8)
    const length = head.readInt32BE(0)
    if (length < 8 || length > STARTUP_BYTES_MAX) throw violation('invalid length of startup packet')
    const body = length > 8 ? await reader.read(length - 8) : Buffer.alloc(0)
    const kind = openingKind(head.readInt32BE(4))
    if (kind !== 'encryption') return { kind, body }
    client.write(NO_ENCRYPTION)
  }
  throw violation('too many requests for encryption')
}

async function readPassword(reader: ByteReader): Promise<string> {
  const head = await reader.read(5)
  const length = head.readInt32BE(1) - 4
  if (head[0] !== PASSWORD_MESSAGE || length < 1 || length > PASSWORD_BYTES_MAX) {
    throw violation('expected password response')
  }
  const body = await reader.read(length)
  if (body.at(-1) !== 0) throw violation('expected password response')
  return body.toString('utf8', 0, length - 1)
}

async function passCancel(deps: TunnelDeps, body: Buffer): Promise<void> {
  if (body.length !== 8) return
  const processId = body.readInt32BE(0)
  const known = deps.sessions.get(processId)
  if (known?.secretKey === body.readInt32BE(4)) await requestCancel(known.entry, processId, known.secretKey)
}

function passBytes(deps: TunnelDeps, client: Duplex, { entry, session }: Opened): void {
  const { socket, processId, secretKey } = session
  if (client.destroyed) return void socket.destroy()
  deps.sessions.set(processId, { secretKey, entry })
  client.write(greeting(session))
  client.pipe(socket)
  socket.pipe(client)
  socket.setTimeout(deps.limits.tunnelIdleTimeoutMs, () => socket.destroy())
  socket.once('close', () => {
    deps.sessions.delete(processId)
    client.end()
    client.resume()
  })
  const onClientGone = (): void => leave(socket, entry, session)
  client.once('end', onClientGone)
  client.once('close', onClientGone)
}

/** Postgres notices a closed connection only between statements: one that still runs is cancelled. */
function leave(socket: Socket, entry: ServedEntry, { processId, secretKey }: Session): void {
  socket.end()
  // Rows that nobody wants any more must not keep Postgres from reading the end.
  socket.unpipe().resume()
  const timer = setTimeout(() => {
    void requestCancel(entry, processId, secretKey).then(() => socket.destroy())
  }, LEAVE_GRACE_MS)
  socket.once('close', () => clearTimeout(timer))
}

function violation(message: string): SqlError {
  return gatewayError('08P01', message)
}
