/**
 * Owns one connection's life: connect, stand by until the lock is free, be the active one until stopped or until the
 * connection is lost. Must not reconnect; `listener.ts` does.
 */
import type { ListenerConfig, ListenerLog } from './config.ts'
import type { SendMessages } from './ingest.ts'
import type { Counters } from './metrics.ts'
import { Outbox } from './outbox.ts'
import { MESSAGE_CHUNKS_BYTES_MAX } from './outbox-chunk.ts'
import { Relay, type RelayLimits } from './relay.ts'
import { WakeSignal } from './signal.ts'

export interface TermDeps {
  readonly config: ListenerConfig
  readonly send: SendMessages
  readonly counters: Counters
  readonly log: ListenerLog
  /** The connection is there; nobody has the lock yet. */
  onConnected(outbox: Outbox): void
  onActive(relay: Relay): void
  /** It works: whatever failed before is over. */
  onWorking(): void
}

const INGEST_BACKOFF_FIRST_MS = 100
/** What the ingest route takes in one request (`RowChangesIn`). */
const MESSAGES_PER_REQUEST_MAX = 100

/** Resolves when `stopped`, with everything in order; rejects when the connection cannot be had or is lost. */
export async function runTerm(deps: TermDeps, stopped: AbortSignal): Promise<void> {
  const { databaseUrl, limits } = deps.config
  const lost = new AbortController()
  const outbox = await Outbox.open(databaseUrl, limits.connectTimeoutMs, {
    onEnd: err => lost.abort(err ?? new Error('the connection with Postgres has ended')),
  })
  try {
    deps.onConnected(outbox)
    await standBy(deps, outbox, AbortSignal.any([stopped, lost.signal]))
    if (!stopped.aborted) {
      lost.signal.throwIfAborted()
      const relay = makeRelay(deps, outbox)
      deps.onActive(relay)
      await relay.run(stopped, lost.signal)
    }
    lost.signal.throwIfAborted()
  } finally {
    await outbox.close()
  }
}

/** Asks for the lock again and again: a session that waited inside a statement would keep Postgres from cleaning up. */
async function standBy(deps: TermDeps, outbox: Outbox, ended: AbortSignal): Promise<void> {
  const signal = new WakeSignal()
  ended.addEventListener('abort', () => signal.wake())
  let isAnnounced = false
  while (!ended.aborted && !(await outbox.tryLock())) {
    deps.onWorking()
    if (!isAnnounced) deps.log.info('another listener is active: standing by')
    isAnnounced = true
    await signal.sleep(deps.config.limits.standbyPollMs)
  }
}

function makeRelay({ config, send, counters, log, onWorking }: TermDeps, outbox: Outbox): Relay {
  const { limits } = config
  const relayLimits: RelayLimits = {
    ...limits,
    messageBytesMax: MESSAGE_CHUNKS_BYTES_MAX,
    messagesPerRequestMax: MESSAGES_PER_REQUEST_MAX,
    ingestBackoff: { firstMs: INGEST_BACKOFF_FIRST_MS, maxMs: limits.backoffMsMax },
  }
  return new Relay({ outbox, send, limits: relayLimits, counters, log, onLook: onWorking })
}
