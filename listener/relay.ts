/**
 * Owns the work of the active listener: looks into the outbox, sends what may go, keeps what is sent until it is gone.
 * What to send and how soon to look is decided elsewhere (`window.ts`, `pace.ts`, `backoff.ts`).
 */
import { type BackoffBounds, SendGate } from './backoff.ts'
import type { ListenerLog } from './config.ts'
import { Floor } from './floor.ts'
import type { SendMessages } from './ingest.ts'
import type { IngestOutcome } from './ingest-answer.ts'
import type { Counters } from './metrics.ts'
import { type Outbox, type OutboxLook, unreadableState } from './outbox.ts'
import { READ_CHANGES_BYTES_MAX } from './outbox-chunk.ts'
import { nextPauseMs, nextPollMs, PAUSE_MS_MIN } from './pace.ts'
import { WakeSignal } from './signal.ts'
import { UnmovedTables } from './unmoved.ts'
import { type LookRequest, type WaitingChunk, Window, type WindowLimits } from './window.ts'

export interface RelayLimits extends WindowLimits {
  /** How long a chunk that has arrived may stay in the outbox before it is sent again. */
  readonly confirmTimeoutMs: number
  readonly refusedRetryMs: number
  /** The longest pause between two questions to Postgres. */
  readonly pollMs: number
  readonly shutdownGraceMs: number
  readonly ingestBackoff: BackoffBounds
}

export interface RelayDeps {
  readonly outbox: Pick<Outbox, 'look' | 'snapshot' | 'truncateMoved'>
  readonly send: SendMessages
  readonly limits: RelayLimits
  readonly counters: Counters
  readonly log: ListenerLog
  /** Called after each look. */
  onLook(): void
}

type Failure = Exclude<IngestOutcome, { outcome: 'accepted' }>

const REPORTS = {
  refused: {
    level: 'error',
    text: 'the ingest route refuses a message: its rows wait, others go on; retried slowly',
  },
  unauthorized: {
    level: 'error',
    text: 'the ingest route does not know the signature: check INGEST_SECRET and both clocks',
  },
  misconfigured: {
    level: 'error',
    text: 'this is no answer of the ingest route: check INGEST_URL; retried slowly',
  },
  unavailable: { level: 'warn', text: 'the ingest route is not available: trying again' },
} as const

/** A mark costs Postgres a transaction number. */
const MARK_INTERVAL_MS = 1_000
const TRUNCATE_INTERVAL_MS = 10_000

export class Relay {
  readonly #deps: RelayDeps
  readonly #window: Window
  readonly #floor = new Floor()
  readonly #gate: SendGate
  readonly #signal = new WakeSignal()
  readonly #underWay = new Set<Promise<void>>()
  readonly #abort = new AbortController()
  /** The snapshot of the last look, if it found nothing: while Postgres' is the same, another would find nothing either. */
  #quietSnapshot: string | undefined
  #hasMore = true
  #pauseMs = PAUSE_MS_MIN
  #polledAtMs = 0
  #requestAtMs = 0
  #markedAtMs = Number.NEGATIVE_INFINITY
  #truncatedAtMs = Number.NEGATIVE_INFINITY
  readonly #unmovedTables = new UnmovedTables()
  #reportedUnmoved = ''

  constructor(deps: RelayDeps) {
    this.#deps = deps
    this.#window = new Window(deps.limits)
    this.#gate = new SendGate(deps.limits.ingestBackoff)
  }

  get state() {
    return {
      waitingChunks: this.#window.waitingChunks,
      sentChunks: this.#window.sentChunks,
      requestsUnderWay: this.#underWay.size,
      isIngestFailing: this.#gate.isFailing,
      floor: this.#window.floor,
    }
  }

  /**
   * Works until `stopped`, then lets the requests under way end, for the grace time. Rejects when the outbox does, or with the
   * reason of `lost`; requests are broken off then, since another listener may be active by now.
   */
  async run(stopped: AbortSignal, lost: AbortSignal): Promise<void> {
    const wake = (): void => this.#signal.wake()
    const breakOff = (): void => this.#abort.abort()
    stopped.addEventListener('abort', wake)
    for (const listener of [breakOff, wake]) lost.addEventListener('abort', listener)
    try {
      while (!stopped.aborted) {
        lost.throwIfAborted()
        const waitMs = this.#dueMs() - performance.now()
        if (waitMs > 0) await this.#signal.sleep(waitMs)
        else await this.#poll()
      }
      await this.#finish(lost)
    } finally {
      breakOff()
      await Promise.all(this.#underWay)
    }
  }

  /** When to ask Postgres next. */
  #dueMs(): number {
    const { limits } = this.#deps
    const nowMs = performance.now()
    if (this.#gate.places(nowMs, this.#underWay.size, limits.requestsMax) === 0) {
      return nowMs < this.#gate.opensAtMs ? this.#gate.opensAtMs : Number.POSITIVE_INFINITY
    }
    if (this.#hasMore) return nowMs
    const pollMs = nextPollMs({
      polledAtMs: this.#polledAtMs,
      pauseMs: this.#pauseMs,
      requestAtMs: this.#underWay.size === 0 ? undefined : this.#requestAtMs,
    })
    return Math.min(pollMs, this.#window.nextOverdueMs())
  }

  /** Looks; at rest only if something was committed since the last look. */
  async #poll(): Promise<void> {
    this.#giveBackOverdue()
    await this.#truncateMoved()
    const foundChange = (await this.#mayFind()) && (await this.#lookAndSend())
    this.#deps.counters.polls += 1
    this.#polledAtMs = performance.now()
    this.#pauseMs = nextPauseMs(this.#pauseMs, foundChange, this.#deps.limits.pollMs)
  }

  /** Where changes come often, the question would only make them later. */
  async #mayFind(): Promise<boolean> {
    const { outbox, limits } = this.#deps
    const hasRetry = performance.now() >= this.#unmovedTables.retryAtMs
    const isQuiet = this.#quietSnapshot !== undefined && this.#pauseMs >= limits.pollMs
    return this.#hasMore || hasRetry || !isQuiet || (await outbox.snapshot()) !== this.#quietSnapshot
  }

  /** True when chunks came or went. */
  async #lookAndSend(): Promise<boolean> {
    const { limits, counters, onLook } = this.#deps
    const request = this.#window.lookRequest()
    const startedMs = performance.now()
    const look = await this.#look(request, this.#unmovedTables.untried(startedMs))
    this.#floor.raise(look)
    const absorbed = this.#window.absorb(request, look)
    counters.looks += 1
    counters.takenChunks += absorbed.newChunks
    counters.confirmedChunks += absorbed.confirmedChunks
    onLook()
    this.#unmovedTables.note(look.unmoved, startedMs)
    this.#reportUnmoved(look.unmoved)
    const foundChange = absorbed.newChunks + absorbed.confirmedChunks > 0 || absorbed.isPartial
    this.#quietSnapshot = foundChange ? undefined : look.snapshot
    const places = this.#gate.places(performance.now(), this.#underWay.size, limits.requestsMax)
    for (const messages of this.#window.takeRequests(places)) this.#start(look.registryVersion, messages)
    // Rows that are sent leave the memory: the look may have had no room where there is some now.
    const hasGotRoom = request.chunksMax === 0 && this.#window.hasRoom
    this.#hasMore = absorbed.isPartial || this.#window.hasReady || hasGotRoom
    return foundChange
  }

  /** A chunk whose changes Postgres cannot read must not stop the others: all that this look finds go without theirs. */
  async #look(request: LookRequest, untried: readonly string[]): Promise<OutboxLook> {
    const { outbox, log } = this.#deps
    const options = { above: this.#floor.value, untried, wantsMark: this.#wantsMark() }
    try {
      return await outbox.look(request, { ...options, changesBytesMax: READ_CHANGES_BYTES_MAX })
    } catch (err) {
      const sqlState = unreadableState(err)
      if (sqlState === undefined) throw err
      log.warn({ sqlState }, 'Postgres cannot read the changes of a chunk: sending those found by id')
      return await outbox.look(request, { ...options, changesBytesMax: 0 })
    }
  }

  async #truncateMoved(): Promise<void> {
    const nowMs = performance.now()
    if (nowMs - this.#truncatedAtMs < TRUNCATE_INTERVAL_MS) return
    this.#truncatedAtMs = nowMs
    await this.#deps.outbox.truncateMoved()
  }

  /** Once, and again when it has become another. */
  #reportUnmoved(stagingTables: readonly string[]): void {
    const unmoved = stagingTables.toSorted().join('; ')
    if (unmoved !== this.#reportedUnmoved && unmoved !== '')
      this.#deps.log.error({ stagingTables }, 'staged inserts cannot be moved: they wait, others go on')
    this.#reportedUnmoved = unmoved
  }

  #wantsMark(): boolean {
    const nowMs = performance.now()
    const isDue = this.#floor.wantsMark && nowMs - this.#markedAtMs >= MARK_INTERVAL_MS
    if (isDue) this.#markedAtMs = nowMs
    return isDue
  }

  #giveBackOverdue(): void {
    const { counters, log } = this.#deps
    const overdueChunks = this.#window.giveBackOverdue(performance.now())
    if (overdueChunks === 0) return
    this.#hasMore = true
    counters.overdueChunks += overdueChunks
    log.warn({ overdueChunks }, 'sending again what was not confirmed in time')
  }

  #start(registryVersion: number, messages: WaitingChunk[][]): void {
    const task = this.#deliver(registryVersion, messages).finally(() => {
      this.#underWay.delete(task)
      this.#signal.wake()
    })
    this.#underWay.add(task)
    this.#requestAtMs = performance.now()
  }

  /** A request that is refused is sent message by message, so that one that is bad stops nobody but its own keys. */
  async #deliver(registryVersion: number, messages: WaitingChunk[][]): Promise<void> {
    const outcome = await this.#send(registryVersion, messages)
    if (outcome.outcome !== 'refused' || messages.length === 1) {
      this.#settle(messages, outcome)
      return
    }
    for (const [index, message] of messages.entries()) {
      const single = await this.#send(registryVersion, [message])
      this.#settle([message], single)
      const isStopped = single.outcome !== 'accepted' && single.outcome !== 'refused'
      if (isStopped) {
        this.#giveBack(idsOf(messages.slice(index + 1)))
        return
      }
    }
  }

  async #send(registryVersion: number, messages: WaitingChunk[][]): Promise<IngestOutcome> {
    const texts = messages.map(chunks => chunks.map(({ text }) => text))
    const outcome = await this.#deps.send(registryVersion, texts, this.#abort.signal)
    this.#deps.counters.requests[outcome.outcome] += 1
    return outcome
  }

  #settle(messages: WaitingChunk[][], outcome: IngestOutcome): void {
    const { limits, counters } = this.#deps
    const nowMs = performance.now()
    const ids = idsOf(messages)
    if (outcome.outcome !== 'accepted') this.#report(outcome, messages)
    switch (outcome.outcome) {
      case 'accepted':
        this.#gate.succeed()
        countSent(counters, messages)
        this.#window.hold(ids, nowMs + limits.confirmTimeoutMs)
        break
      case 'refused':
        this.#window.hold(ids, nowMs + limits.refusedRetryMs)
        break
      case 'unavailable':
      case 'unauthorized':
      case 'misconfigured':
        this.#gate.fail(nowMs, Math.random(), askedMsOf(outcome, limits))
        this.#giveBack(ids)
        break
    }
  }

  #giveBack(ids: readonly bigint[]): void {
    this.#window.giveBack(ids)
    this.#hasMore = true
  }

  #report({ outcome, reason }: Failure, messages: WaitingChunk[][]): void {
    // With the connection to Postgres lost, or the grace time over, the requests were broken off by ourselves.
    if (this.#abort.signal.aborted) return
    const { level, text } = REPORTS[outcome]
    const firstChunkId = String(messages[0]?.[0]?.id)
    this.#deps.log[level]({ reason, messages: messages.length, firstChunkId }, text)
  }

  async #finish(lost: AbortSignal): Promise<void> {
    const timer = setTimeout(() => this.#abort.abort(), this.#deps.limits.shutdownGraceMs)
    await Promise.all(this.#underWay)
    clearTimeout(timer)
    lost.throwIfAborted()
  }
}

function countSent(counters: Counters, messages: WaitingChunk[][]): void {
  const chunks = messages.flat()
  counters.sentMessages += messages.length
  counters.sentChunks += chunks.length
  for (const { changeCount } of chunks) counters.sentEvents += changeCount
}

function askedMsOf(outcome: IngestOutcome, limits: RelayLimits): number {
  if (outcome.outcome === 'unavailable') return outcome.askedMs
  return outcome.outcome === 'misconfigured' ? limits.refusedRetryMs : 0
}

function idsOf(messages: WaitingChunk[][]): bigint[] {
  return messages.flat().map(({ id }) => id)
}
