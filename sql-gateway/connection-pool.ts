/**
 * Owns the connections of one served database for one kind of statements: opening, lending by shares, clearing.
 * Must not know what runs on them; whoever borrows gives back clean or destroys.
 */
import { gatewayError, type SqlError } from './errors.ts'
import { PostgresConnection } from './postgres-connection.ts'
import { refuseRoleSettings } from './role-settings.ts'
import type { ServedEntry } from './served.ts'
import { openSession } from './session.ts'
import { STARTUP_PARAMETERS } from './session-state.ts'
import { type Caller, partsOf, Shares } from './shares.ts'
import { terminateBackend } from './terminate.ts'
import { type InLine, WaitingLine } from './waiting-line.ts'

/** Whoever waits for a connection; exactly one of the two is called, unless it left the line. */
export interface Waiter extends InLine {
  onConnection(connection: PostgresConnection): void
  onFailure(error: SqlError): void
}

export interface PoolLimits {
  size: number
  waitersMax: number
  connectTimeoutMs: number
  idleTimeoutMs: number
  /** Age from which a connection is replaced: a session's memory never shrinks, nor do its caches forget. */
  connectionAgeMs: number
}

/** Told of what an operator must know; the errors hold no secret. */
export interface PoolWatcher {
  /** A backend may still run although its connection is gone. */
  onBackendLeft(processId: number, error: unknown): void
  /** A connection could not be opened. */
  onRefused(error: SqlError): void
}

/** After a connection was refused while others live, how long no new one is tried. */
const OPEN_PAUSE_MS = 250

export class ConnectionPool {
  readonly #entry: ServedEntry
  readonly #limits: PoolLimits
  readonly #watcher: PoolWatcher
  /** The one that was used last is lent first, so that the others can go idle. */
  readonly #idle: PostgresConnection[] = []
  readonly #all = new Set<PostgresConnection>()
  readonly #line: WaitingLine<Waiter>
  readonly #shares: Shares
  readonly #borrowers = new Map<PostgresConnection, Caller | undefined>()
  readonly #sweeper: NodeJS.Timeout
  #opening = 0
  /** Backends without a connection that are not known to be gone: they hold locks and a place of max_connections. */
  #ending = 0
  #openNotBeforeMs = 0
  #isClosed = false

  constructor(entry: ServedEntry, limits: PoolLimits, watcher: PoolWatcher) {
    this.#entry = entry
    this.#watcher = watcher
    this.#limits = limits
    this.#line = new WaitingLine(limits.waitersMax)
    this.#shares = new Shares(limits.size)
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(limits.idleTimeoutMs, 30_000)).unref()
  }

  /** Lends a connection now or as soon as one frees up; fails at once when the line is full or Postgres is away. */
  acquire(waiter: Waiter): void {
    const mayGo = this.#shares.allows(waiter.caller)
    const connection = mayGo ? this.#takeIdle() : undefined
    if (connection !== undefined) {
      this.#lend(connection, waiter)
      return
    }
    if (this.#isClosed) {
      waiter.onFailure(gatewayError('57P01', 'the gateway is shutting down'))
      return
    }
    const place = this.#line.join(waiter)
    if (place !== 'joined') waiter.onFailure(place === 'full' ? this.#allBusy() : this.#shareIsBusy())
    else if (mayGo) this.#openAsNeeded()
  }

  /** Takes a waiter out of the line. */
  leave(waiter: Waiter): void {
    this.#line.leave(waiter)
  }

  /** Takes a connection back; it must be idle, outside of a transaction and as good as new. */
  release(connection: PostgresConnection): void {
    connection.use(undefined)
    if (!connection.isUsable) {
      connection.destroy()
      return
    }
    this.#giveBackShare(connection)
    connection.idleSinceMs = Date.now()
    if (connection.idleSinceMs > connection.endsAtMs) connection.end()
    else this.#idle.push(connection)
    this.#serve()
  }

  /**
   * Closes a connection whose statement does not end by a cancel, and ends its backend too. Until that is gone it
   * counts as one of the pool's, and in its caller's share.
   */
  terminate(connection: PostgresConnection, reason: string): void {
    const { processId } = connection
    const caller = this.#borrowers.get(connection)
    // Its share goes on with the backend.
    this.#shares.take(caller)
    this.#ending++
    connection.destroy(reason)
    const isOver = () => this.#isClosed
    const onStubborn = (error: unknown) => this.#watcher.onBackendLeft(processId, error)
    void terminateBackend(this.#entry, connection, isOver, onStubborn).then(() => {
      this.#ending--
      this.#shares.giveBack(caller)
      this.#serve()
    })
  }

  /** The error of a batch that found no free connection in time. */
  exhausted(waiter: Waiter): SqlError {
    return this.#shares.allows(waiter.caller) ? this.#allBusy() : this.#shareIsBusy()
  }

  /** Refuses new borrowers and ends what is idle; what is lent ends when it comes back. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#sweeper)
    for (const connection of this.#idle.splice(0)) connection.end()
  }

  /** Breaks what is still lent. */
  destroy(): void {
    this.close()
    for (const connection of this.#all) connection.destroy('the gateway is shutting down')
  }

  #allBusy(): SqlError {
    const { size } = this.#limits
    return gatewayError(
      '53300',
      `the gateway's connection pool is exhausted: all ${size} connections are busy`,
      { hint: 'Shorten the transactions, or raise the pool size of the gateway.' },
    )
  }

  #shareIsBusy(): SqlError {
    const { size } = this.#limits
    const { caller, key } = partsOf(size)
    return gatewayError('53400', `all connections that this caller, or its key, may hold are busy`, {
      detail: `Of ${size} connections one caller may hold ${caller}, and all callers with one key ${key}.`,
      hint: 'Shorten the transactions, or raise the pool size of the gateway.',
    })
  }

  #takeIdle(): PostgresConnection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isUsable) return connection
      connection.destroy()
    }
    return undefined
  }

  #lend(connection: PostgresConnection, waiter: Waiter): void {
    this.#borrowers.set(connection, waiter.caller)
    this.#shares.take(waiter.caller)
    waiter.onConnection(connection)
  }

  #giveBackShare(connection: PostgresConnection): void {
    const caller = this.#borrowers.get(connection)
    if (this.#borrowers.delete(connection)) this.#shares.giveBack(caller)
  }

  /** Lends what is idle to those in line who may have it, and opens more for the others. */
  #serve(): void {
    while (this.#line.size > 0) {
      const connection = this.#takeIdle()
      if (connection === undefined) {
        this.#openAsNeeded()
        return
      }
      const waiter = this.#line.next(caller => this.#shares.allows(caller))
      if (waiter === undefined) {
        this.#idle.push(connection)
        return
      }
      this.#lend(connection, waiter)
    }
    if (this.#isClosed) for (const connection of this.#idle.splice(0)) connection.end()
  }

  #openAsNeeded(): void {
    const isPaused = this.#all.size > 0 && Date.now() < this.#openNotBeforeMs
    while (
      !isPaused &&
      this.#opening < this.#line.size &&
      this.#all.size + this.#opening + this.#ending < this.#limits.size
    ) {
      this.#opening++
      this.#open().then(
        connection => {
          this.#opening--
          // Not all at one moment.
          connection.endsAtMs = Date.now() + this.#limits.connectionAgeMs * (0.75 + Math.random() / 2)
          this.#all.add(connection)
          this.release(connection)
        },
        (error: unknown) => {
          this.#opening--
          this.#onRefused(error as SqlError)
        },
      )
    }
  }

  async #open(): Promise<PostgresConnection> {
    const { connectTimeoutMs } = this.#limits
    const session = await openSession(this.#entry, STARTUP_PARAMETERS, connectTimeoutMs)
    const connection = new PostgresConnection(this.#entry, session, closed => this.#forget(closed))
    await refuseRoleSettings(connection, connectTimeoutMs)
    return connection
  }

  /** With connections alive the line waits for those; without any, everybody in it is told. */
  #onRefused(error: SqlError): void {
    this.#watcher.onRefused(error)
    this.#openNotBeforeMs = Date.now() + OPEN_PAUSE_MS
    if (this.#all.size > 0) return
    for (let i = this.#line.size; i > 0; i--) this.#line.next(() => true)?.onFailure(error)
  }

  #forget(connection: PostgresConnection): void {
    this.#all.delete(connection)
    this.#giveBackShare(connection)
    const index = this.#idle.indexOf(connection)
    if (index >= 0) this.#idle.splice(index, 1)
    this.#serve()
  }

  #sweep(): void {
    const limitMs = Date.now() - this.#limits.idleTimeoutMs
    const stale = this.#idle.filter(connection => connection.idleSinceMs < limitMs)
    for (const connection of stale) connection.end()
  }
}
