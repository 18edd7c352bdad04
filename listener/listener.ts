/**
 * Owns the listener as a whole: its HTTP side, one term after the other, start and stop.
 * Must not read the environment; `main.ts` does.
 */
import { type BackoffBounds, backoffMs } from './backoff.ts'
import type { ListenerConfig, ListenerLog } from './config.ts'
import { serveHealth } from './health-server.ts'
import { makeSender } from './ingest.ts'
import { makeCounters, metricsText, type Role } from './metrics.ts'
import type { Lag, Outbox } from './outbox.ts'
import type { Relay } from './relay.ts'
import { WakeSignal } from './signal.ts'
import { runTerm, type TermDeps } from './term.ts'

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
const LAG_TIMEOUT_MS = 2_000
const NO_RELAY = {
  waitingChunks: 0,
  sentChunks: 0,
  requestsUnderWay: 0,
  isIngestFailing: false,
}

/** Starts a listener in this process; rejects when its port is taken. A Postgres that is away is waited for. */
export async function startListener(config: ListenerConfig, log: ListenerLog): Promise<Listener> {
  const run = new Run(config, log)
  const server = await serveHealth(run, config.healthHost, config.healthPort)
  const stop = new AbortController()
  const ended = run.serveTerms(stop.signal)
  let closing: Promise<void> | undefined
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
    close: () => (closing ??= close()),
  }
}

class Run {
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

  /** One term after the other until `stopped`; never rejects. */
  async serveTerms(stopped: AbortSignal): Promise<void> {
    const signal = new WakeSignal()
    stopped.addEventListener('abort', () => signal.wake())
    while (!stopped.aborted) {
      try {
        await runTerm(this.#termDeps(), stopped)
      } catch (err) {
        if (!stopped.aborted) await signal.sleep(this.#waitAfter(err))
      }
      this.#outbox = undefined
      this.#relay = undefined
    }
  }

  #waitAfter(err: unknown): number {
    this.#outbox = undefined
    this.#relay = undefined
    this.#failures += 1
    this.#counters.databaseFailures += 1
    const waitMs = backoffMs(this.#failures, RECONNECT_BACKOFF, Math.random())
    this.#log.error(
      { ...describe(err), waitMs: Math.round(waitMs) },
      'no connection with Postgres: trying again',
    )
    return waitMs
  }

  #termDeps(): TermDeps {
    const log = this.#log
    return {
      config: this.#config,
      send: makeSender({
        url: this.#config.ingestUrl,
        secret: this.#config.ingestSecret,
        timeoutMs: this.#config.limits.ingestTimeoutMs,
      }),
      counters: this.#counters,
      log,
      onConnected: outbox => {
        this.#outbox = outbox
      },
      onActive: relay => {
        this.#relay = relay
        log.info('active')
      },
      onWorking: () => {
        this.#failures = 0
      },
    }
  }

  async #lag(floor: bigint): Promise<Lag | undefined> {
    const outbox = this.#outbox
    if (outbox === undefined) return undefined
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>(resolve => {
      timer = setTimeout(() => resolve(undefined), LAG_TIMEOUT_MS)
    })
    // A connection that breaks is reported by its term.
    const lag = outbox.lag(floor).catch(() => undefined)
    return Promise.race([lag, late]).finally(() => clearTimeout(timer))
  }
}

/** An error of Postgres may quote rows in its detail: only what names the failure is logged. */
function describe(err: unknown): Record<string, unknown> {
  if (!(err instanceof Error)) return { reason: 'unknown' }
  return { reason: err.message, ...('code' in err ? { code: err.code } : {}) }
}
