/**
 * Owns one pooled connection after authentication: its socket, the messages cut from it, and who listens to them.
 * One user at a time; must not know batches.
 */
import type { Socket } from 'node:net'
import { readErrorResponse } from './error-response.ts'
import { connectionError, type SqlError } from './errors.ts'
import { type FrameListener, FrameReader } from './frame-reader.ts'
import { MessageWriter } from './message-writer.ts'
import type { ServedEntry } from './served.ts'
import { addressOf, type Session } from './session.ts'
import { StatementNames } from './statement-names.ts'

/** Who uses the connection now. */
export interface ConnectionUser {
  onFrame: FrameListener
  /** Bytes that came since the user took the connection, before they are cut into messages. */
  onBytes?(bytes: number): void
  onClosed(error: SqlError): void
}

/** Told of the first error of some queries, or of the error of a connection that broke. */
export type OnReady = (error: SqlError | undefined) => void

/** One buffer for all connections: a batch is written and taken without a pause in between. */
const writer = new MessageWriter()
const READY_FOR_QUERY = 0x5a
const ERROR_RESPONSE = 0x45

export class PostgresConnection {
  readonly entry: ServedEntry
  readonly names = new StatementNames()
  readonly processId: number
  readonly secretKey: number
  readonly #socket: Socket
  readonly #reader = new FrameReader()
  readonly #onClosed: (connection: PostgresConnection) => void
  readonly #listener: FrameListener
  #user: ConnectionUser | undefined
  #isClosed = false
  /** When it became idle, for the pool's clearing of idle connections. */
  idleSinceMs = 0
  readonly openedAtMs = Date.now()
  /** When it is too old to be lent again. */
  endsAtMs = Number.POSITIVE_INFINITY

  constructor(entry: ServedEntry, session: Session, onClosed: (connection: PostgresConnection) => void) {
    this.entry = entry
    this.processId = session.processId
    this.secretKey = session.secretKey
    this.#socket = session.socket
    this.#onClosed = onClosed
    this.#listener = (code, bytes, start, end) => this.#dispatch(code, bytes, start, end)
    this.#socket.on('data', chunk => this.#read(chunk))
    this.#socket.on('end', () => this.destroy('the server closed the connection'))
    this.#socket.on('error', error => this.destroy(error.message))
    this.#socket.on('close', () => this.destroy('the connection was closed'))
  }

  /** False once it is certain that nothing written would arrive. */
  get isUsable(): boolean {
    return !this.#isClosed && this.#socket.writable
  }

  /** Bytes of a message that is not complete yet. */
  get bytesHeld(): number {
    return this.#reader.bytesHeld
  }

  /** True when that message is an error. */
  get isHoldingError(): boolean {
    return this.#reader.codeHeld === ERROR_RESPONSE
  }

  /** Hands the connection to a user; undefined when it becomes idle. */
  use(user: ConnectionUser | undefined): void {
    this.#user = user
    this.#reader.isDiscarding = false
  }

  /** Collects messages and writes them in one piece. */
  write(collect: (writer: MessageWriter) => void): void {
    collect(writer)
    this.#socket.write(writer.take())
  }

  /** From now until the next user, rows are dropped as they come. */
  discardRows(): void {
    this.#reader.isDiscarding = true
  }

  /** Runs fixed statements one after another; `done` as for `awaitReady`. */
  command(statements: readonly string[], done: OnReady): void {
    this.awaitReady(statements.length, done)
    this.write(messages => {
      for (const statement of statements) messages.query(statement)
    })
  }

  /** Waits for the ends of as many simple queries, which were written already. */
  awaitReady(count: number, done: OnReady): void {
    let left = count
    let failure: SqlError | undefined
    this.use({
      onFrame: (code, bytes, start, end) => {
        if (code === ERROR_RESPONSE) failure ??= readErrorResponse(bytes, start, end)
        if (code === READY_FOR_QUERY && --left === 0) done(failure)
      },
      onClosed: error => done(error),
    })
  }

  /** Closes at once, without a word to Postgres; its user is told, the pool forgets it. */
  destroy(reason = 'the gateway closed it'): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket.destroy()
    const user = this.#user
    this.#user = undefined
    this.#onClosed(this)
    user?.onClosed(
      connectionError(`the connection to Postgres at ${addressOf(this.entry)} was lost: ${reason}`),
    )
  }

  /** Ends an idle session the polite way. */
  end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#onClosed(this)
    this.#socket.end(Buffer.from([0x58, 0, 0, 0, 4]))
    this.#socket.on('close', () => this.#socket.destroy())
  }

  #read(chunk: Buffer): void {
    this.#user?.onBytes?.(chunk.length)
    try {
      this.#reader.push(chunk, this.#listener)
    } catch (error) {
      this.destroy(error instanceof Error ? error.message : 'unreadable answer')
    }
  }

  #dispatch(code: number, bytes: Buffer, start: number, end: number): void {
    if (this.#user !== undefined) this.#user.onFrame(code, bytes, start, end)
    // An idle session hears an error only when the server ends it.
    else if (code === ERROR_RESPONSE) this.destroy('the server ended the session')
  }
}
