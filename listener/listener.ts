/**
 * Owns the listener as a whole: its HTTP side, one connection after the other, standing by, start and stop.
 * Must not read the environment; `main.ts` does.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BackoffBounds, backoffMs } from './backoff.ts'
import type { ListenerConfig, ListenerLog } from './config.ts'
import { type HealthSource, serveHealth } from './health-server.ts'
import { makeSender } from './ingest.ts'
import { makeCounters, metricsText, type Role } from './metrics.ts'
import { type Lag, Outbox } from './outbox.ts'
import { Relay } from './relay.ts'

/** A listener that runs. */
export interface Listener {
  /** Where `/healthz` and `/metrics` are. */
  readonly url: string
  readonly port: number
  readonly role: Role
  /** Ends in order: the requests under way may end within the grace time, then the lock is given back. */
  close(): Promise<void>
}

const RECONNECT_BACKOFF: BackoffBounds = { firstMs: 100, maxMs: 5_000 }
/** A connection that lasted this long was no failure. */
const STABLE_MS = 10_000
const LAG_TIMEOUT_MS = 2_000
const NO_RELAY = { waitingChunks: 0, sentChunks: 0, requestsUnderWay: 0, isIngestFailing: false }

/** Starts a listener in this process; rejects when its port is taken. A Postgres that is away is waited for. */
export async function startListener(config: ListenerConfig, log: ListenerLog): Promise<Listener> {
  const run = new Run(config, log)
  const server = await serveHealth(run, config.healthHost, config.healthPort)
  const stop = new AbortController()
  const ended = run.untilStopped(stop.signal)
  const close = async (): Promise<void> => {
    stop.abort()
    await ended
    await server.close()
  }
  return {
    url: server.url,
    port: server.port,
    get role() {
      return run.role
    },
    close,
  }
}

class Run implements HealthSource {
  readonly #config: ListenerConfig
  readonly #log: ListenerLog
  readonly #counters = makeCounters()
  #outbox: Outbox | undefined
  #relay: Relay | undefined
  #failures = 0

  constructor(config: ListenerConfig, log: ListenerLog) {
    this.#config = config
    this.#log = log
  }

  get role(): Role {
    if (this.#outbox === undefined) return 'disconnected'
    return this.#relay === undefined ? 'standby' : 'active'
  }

  async metrics(): Promise<string> {
    const state = this.#relay?.state
    const lag = await this.#lag(state?.floor ?? 0n)
    return metricsText(this.#counters, { role: this.role, ...(state ?? NO_RELAY), lag })
  }

  /** One connection after the other; never rejects. */
  async untilStopped(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const startedAtMs = performance.now()
      try {
        await this.#useConnection(stopped)
      } catch (err) {
        if (performance.now() - startedAtMs > STABLE_MS) this.#failures = 0
        if (!stopped.aborted) await pause(this.#waitAfter(err), stopped)
      }
    }
  }

  /** Resolves when `stopped`, with everything in order; rejects when the connection cannot be had or is lost. */
  async #useConnection(stopped: AbortSignal): Promise<void> {
    const { databaseUrl, limits } = this.#config
    const lost = new AbortController()
    const outbox = await Outbox.open(databaseUrl, limits.connectTimeoutMs, {
      onNotify: () => this.#relay?.notice(),
      onLost: err => lost.abort(err),
    })
    try {
      this.#outbox = outbox
      await this.#standBy(outbox, AbortSignal.any([stopped, lost.signal]))
      if (!stopped.aborted) {
        lost.signal.throwIfAborted()
        this.#relay = this.#makeRelay(outbox, await outbox.listen())
        this.#log.info('active')
        await this.#relay.run(stopped, lost.signal)
      }
      lost.signal.throwIfAborted()
    } finally {
      this.#outbox = undefined
      this.#relay = undefined
      await outbox.close()
    }
  }

  /** Asks for the lock again and again: a session that waited in a statement would keep Postgres from cleaning up. */
  async #standBy(outbox: Outbox, ended: AbortSignal): Promise<void> {
    let isAnnounced = false
    while (!ended.aborted && !(await outbox.tryLock())) {
      if (!isAnnounced) this.#log.info('another listener is active: standing by')
      isAnnounced = true
      await pause(this.#config.limits.standbyPollMs, ended)
    }
  }

  #makeRelay(outbox: Outbox, isNotified: boolean): Relay {
    const { limits, ingestUrl: url, ingestSecret: secret } = this.#config
    return new Relay({
      outbox,
      isNotified,
      send: makeSender({ url, secret, timeoutMs: limits.ingestTimeoutMs }),
      limits,
      counters: this.#counters,
      log: this.#log,
    })
  }

  #waitAfter(err: unknown): number {
    this.#failures += 1
    this.#counters.databaseFailures += 1
    const waitMs = backoffMs(this.#failures, RECONNECT_BACKOFF, Math.random())
    const report = { ...describe(err), waitMs: Math.round(waitMs) }
    this.#log.error(report, 'no connection with Postgres: trying again')
    return waitMs
  }

  async #lag(floor: bigint): Promise<Lag | undefined> {
    // A connection that breaks is reported by its user.
    const lag = this.#outbox?.lag(floor).catch(() => undefined)
    return await Promise.race([lag, sleep(LAG_TIMEOUT_MS, undefined, { ref: false })])
  }
}

async function pause(ms: number, ended: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: ended }).catch(() => {
    // It has ended: whoever pauses sees that.
  })
}

/** An error of Postgres may quote rows in its detail: only what names the failure is logged. */
function describe(err: unknown): Record<string, unknown> {
  if (!(err instanceof Error)) return { reason: 'unknown' }
  return { reason: err.message, ...('code' in err ? { code: err.code } : {}) }
}
