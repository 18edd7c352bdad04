/**
 * Owns the connections of one served database for one kind of statements: opening, lending, clearing.
 * Must not know what runs on them; whoever borrows gives back clean or destroys.
 */
import { gatewayError, type SqlError } from './errors.ts'
import { PostgresConnection } from './postgres-connection.ts'
import type { ServedEntry } from './served.ts'
import { openSession } from './session.ts'
import { STARTUP_PARAMETERS } from './session-state.ts'
import { terminateBackend } from './terminate.ts'

/** Whoever waits for a connection; exactly one of the two is called, unless it left the line. */
export interface Waiter {
  onConnection(connection: PostgresConnection): void
  onFailure(error: SqlError): void
}

export interface PoolLimits {
  size: number
  waitersMax: number
  connectTimeoutMs: number
  idleTimeoutMs: number
}

/** Told of a backend that may still run although its connection is gone; the error holds no secret. */
export type OnBackendLeft = (processId: number, error: unknown) => void

/** After a connection was refused while others live, how long no new one is tried. */
const OPEN_PAUSE_MS = 250

export class ConnectionPool {
  readonly #entry: ServedEntry
  readonly #limits: PoolLimits
  readonly #onBackendLeft: OnBackendLeft
  /** The one that was used last is lent first, so that the others can go idle. */
  readonly #idle: PostgresConnection[] = []
  readonly #all = new Set<PostgresConnection>()
  readonly #waiters = new Set<Waiter>()
  readonly #sweeper: NodeJS.Timeout
  #opening = 0
  /** Backends without a connection that are not known to be gone: they hold locks and a place of max_connections. */
  #ending = 0
  #openNotBeforeMs = 0
  #isClosed = false

  constructor(entry: ServedEntry, limits: PoolLimits, onBackendLeft: OnBackendLeft) {
    this.#entry = entry
    this.#onBackendLeft = onBackendLeft
    this.#limits = limits
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(limits.idleTimeoutMs, 30_000)).unref()
  }

  /** Lends a connection now or as soon as one frees up; fails at once when the line is full or Postgres is away. */
  acquire(waiter: Waiter): void {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isUsable) {
        waiter.onConnection(connection)
        return
      }
      connection.destroy()
    }
    if (this.#isClosed) {
      waiter.onFailure(gatewayError('57P01', 'the gateway is shutting down'))
      return
    }
    if (this.#waiters.size >= this.#limits.waitersMax) {
      waiter.onFailure(this.exhausted())
      return
    }
    this.#waiters.add(waiter)
    this.#openAsNeeded()
  }

  /** Takes a waiter out of the line. */
  leave(waiter: Waiter): void {
    this.#waiters.delete(waiter)
  }

  /** Takes a connection back; it must be idle, outside of a transaction and as good as new. */
  release(connection: PostgresConnection): void {
    connection.use(undefined)
    if (!connection.isUsable) {
      connection.destroy()
      return
    }
    const [waiter] = this.#waiters
    if (waiter !== undefined) {
      this.#waiters.delete(waiter)
      waiter.onConnection(connection)
      return
    }
    if (this.#isClosed) {
      connection.end()
      return
    }
    connection.idleSinceMs = Date.now()
    this.#idle.push(connection)
  }

  /**
   * Closes a connection whose statement does not end by a cancel, and ends its backend too. Until that is gone, or every
   * try to end it has failed, it counts as one of the pool's.
   */
  terminate(connection: PostgresConnection, reason: string): void {
    this.#ending++
    connection.destroy(reason)
    const { processId } = connection
    terminateBackend(this.#entry, processId)
      .catch((error: unknown) => this.#onBackendLeft(processId, error))
      .finally(() => {
        this.#ending--
        if (this.#waiters.size > 0) this.#openAsNeeded()
      })
  }

  /** The error of a batch that found no free connection in time. */
  exhausted(): SqlError {
    const { size } = this.#limits
    return gatewayError(
      '53300',
      `the gateway's connection pool is exhausted: all ${size} connections are busy`,
      {
        hint: 'Shorten the transactions, or raise the pool size of the gateway.',
      },
    )
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

  #openAsNeeded(): void {
    const isPaused = this.#all.size > 0 && Date.now() < this.#openNotBeforeMs
    while (
      !isPaused &&
      this.#opening < this.#waiters.size &&
      this.#all.size + this.#opening + this.#ending < this.#limits.size
    ) {
      this.#opening++
      openSession(this.#entry, STARTUP_PARAMETERS, this.#limits.connectTimeoutMs).then(
        session => {
          this.#opening--
          const connection = new PostgresConnection(this.#entry, session, closed => this.#forget(closed))
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

  /** With connections alive the line waits for those; without any, everybody in it is told. */
  #onRefused(error: SqlError): void {
    this.#openNotBeforeMs = Date.now() + OPEN_PAUSE_MS
    if (this.#all.size > 0) return
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    for (const waiter of waiters) waiter.onFailure(error)
  }

  #forget(connection: PostgresConnection): void {
    this.#all.delete(connection)
    const index = this.#idle.indexOf(connection)
    if (index >= 0) this.#idle.splice(index, 1)
    if (this.#waiters.size > 0) this.#openAsNeeded()
  }

  #sweep(): void {
    const limitMs = Date.now() - this.#limits.idleTimeoutMs
    const stale = this.#idle.filter(connection => connection.idleSinceMs < limitMs)
    for (const connection of stale) connection.end()
  }
}
