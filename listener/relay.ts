/**
 * Owns the work of the active listener: looks into the outbox, sends what may go, keeps what is sent until it is gone.
 * What to send, when to look and when to rest is decided elsewhere (`window.ts`, `attention.ts`, `backoff.ts`).
 */
import { INLINE_CHANGES_BYTES_MAX } from '../src/features/row-changes/ingest/messages.ts'
import { type Attention, afterLook, lookDueMs, restingPauseMs, wakeUp } from './attention.ts'
import { SendGate } from './backoff.ts'
import type { ListenerLimits, ListenerLog } from './config.ts'
import type { SendMessages } from './ingest.ts'
import type { IngestOutcome } from './ingest-answer.ts'
import type { Counters } from './metrics.ts'
import { type Outbox, unreadableState } from './outbox.ts'
import { type LookRequest, type LookResult, type WaitingChunk, Window } from './window.ts'

export interface RelayDeps {
  readonly outbox: Pick<Outbox, 'look' | 'setResting'>
  /** False: triggers must send no NOTIFY. */
  readonly isNotified: boolean
  readonly send: SendMessages
  readonly limits: ListenerLimits
  readonly counters: Counters
  readonly log: ListenerLog
}

/** Messages that came to the same end. */
interface Delivery {
  readonly messages: WaitingChunk[][]
  readonly outcome: IngestOutcome
}

const REPORTS = {
  refused: ['error', 'the ingest route refuses a message: its rows wait, others go on; retried slowly'],
  unauthorized: [
    'error',
    'the ingest route does not know the signature: check INGEST_SECRET and both clocks',
  ],
  misconfigured: ['error', 'this is no answer of the ingest route: check INGEST_URL; retried slowly'],
  unavailable: ['warn', 'the ingest route is not available: trying again'],
} as const

const INGEST_BACKOFF_FIRST_MS = 100

export class Relay {
  readonly #deps: RelayDeps
  readonly #window: Window
  readonly #gate: SendGate
  readonly #abort = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  readonly #ended: Delivery[] = []
  readonly #restPauseMs: number
  #attention: Attention = wakeUp(performance.now())
  /** What triggers see; undefined: a listener before this one may have left it up. */
  #isFlagUp: boolean | undefined
  /** True: the limits of a look kept it from bringing all there is. */
  #hasMore = false
  #lookedAtMs = 0
  #requestAtMs = 0
  #wake = (): void => undefined

  constructor(deps: RelayDeps) {
    this.#deps = deps
    this.#window = new Window(deps.limits)
    this.#gate = new SendGate({ firstMs: INGEST_BACKOFF_FIRST_MS, maxMs: deps.limits.backoffMsMax })
    this.#restPauseMs = restingPauseMs(deps.limits.fallbackLookMs, deps.isNotified)
  }

  get state() {
    const requests = { requestsUnderWay: this.#underWay.size, isIngestFailing: this.#gate.isFailing }
    return { ...this.#window.state, ...requests }
  }

  /** NOTIFY has come. */
  notice(): void {
    if (!this.#attention.isResting) return
    this.#attention = wakeUp(performance.now())
    this.#wake()
  }

  /**
   * Works until `stopped`, then lets the requests under way end, for the grace time. Rejects when the outbox does, or
   * with the reason of `lost`; requests are broken off then, since another listener may be active by now.
   */
  async run(stopped: AbortSignal, lost: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake()
    const breakOff = (): void => this.#abort.abort()
    stopped.addEventListener('abort', wake)
    for (const listener of [breakOff, wake]) lost.addEventListener('abort', listener)
    try {
      while (!stopped.aborted) {
        lost.throwIfAborted()
        this.#settleEnded()
        const waitMs = this.#dueMs() - performance.now()
        if (waitMs > 0) await this.#sleep(waitMs)
        else await this.#lookAndSend()
      }
      await this.#finish(lost)
    } finally {
      stopped.removeEventListener('abort', wake)
      breakOff()
      await Promise.all(this.#underWay)
    }
  }

  /** Until something wakes it, or for so long. */
  async #sleep(ms: number): Promise<void> {
    await new Promise<void>(resolve => {
      // A longer timer would fire at once.
      const timer = setTimeout(resolve, Math.min(ms, 2 ** 31 - 1))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** When the next look is due. */
  #dueMs(): number {
    const nowMs = performance.now()
    if (this.#places(nowMs) === 0) {
      return nowMs < this.#gate.opensAtMs ? this.#gate.opensAtMs : Number.POSITIVE_INFINITY
    }
    if (this.#hasMore) return nowMs
    const requestAtMs = this.#underWay.size === 0 ? undefined : this.#requestAtMs
    return lookDueMs(this.#attention, this.#lookedAtMs, requestAtMs)
  }

  /** How many requests may start now. */
  #places(nowMs: number): number {
    return this.#gate.places(nowMs, this.#underWay.size, this.#deps.limits.requestsMax)
  }

  /** The flag goes up before the look that begins a rest, and down after the one that ends it: that one is urgent. */
  async #lookAndSend(): Promise<void> {
    const { counters } = this.#deps
    if (this.#attention.isResting) await this.#setFlag(this.#deps.isNotified)
    this.#giveBackOverdue()
    const request = this.#window.lookRequest()
    const look = await this.#look(request)
    const { newChunks, confirmedChunks } = this.#window.absorb(request, look)
    this.#settleEnded()
    const nowMs = performance.now()
    for (const messages of this.#window.takeRequests(this.#places(nowMs))) {
      this.#start(look.registryVersion, messages)
    }
    counters.looks += 1
    counters.takenChunks += newChunks
    counters.confirmedChunks += confirmedChunks
    const { waitingChunks, sentChunks } = this.#window.state
    const outcome = {
      foundChange: newChunks + confirmedChunks > 0,
      hasChunks: waitingChunks + sentChunks > 0,
    }
    this.#attention = afterLook(this.#attention, outcome, this.#restPauseMs, nowMs)
    this.#hasMore = newChunks > 0 && !look.isComplete
    this.#lookedAtMs = nowMs
    if (!this.#attention.isResting) await this.#setFlag(false)
  }

  async #setFlag(isUp: boolean): Promise<void> {
    if (isUp === this.#isFlagUp) return
    await this.#deps.outbox.setResting(isUp)
    this.#isFlagUp = isUp
  }

  /** A chunk whose changes Postgres cannot read must not stop others: all that this look finds go without theirs. */
  async #look(request: LookRequest): Promise<LookResult> {
    const { outbox, log } = this.#deps
    try {
      return await outbox.look(request, INLINE_CHANGES_BYTES_MAX)
    } catch (err) {
      const sqlState = unreadableState(err)
      if (sqlState === undefined) throw err
      log.warn({ sqlState }, 'Postgres cannot read the changes of a chunk: sending those found by id')
      return await outbox.look(request, 0)
    }
  }

  #giveBackOverdue(): void {
    const { counters, log } = this.#deps
    const overdueChunks = this.#window.giveBackOverdue(performance.now())
    if (overdueChunks === 0) return
    counters.overdueChunks += overdueChunks
    log.warn({ overdueChunks }, 'sending again what was not confirmed in time')
  }

  #start(registryVersion: number, messages: WaitingChunk[][]): void {
    const task = this.#deliver(registryVersion, messages).finally(() => {
      this.#underWay.delete(task)
      this.#wake()
    })
    this.#underWay.add(task)
    this.#requestAtMs = performance.now()
  }

  /** A request that is refused is sent message by message, so that one that is bad stops nobody but its own keys. */
  async #deliver(registryVersion: number, messages: WaitingChunk[][]): Promise<void> {
    const outcome = await this.#send(registryVersion, messages)
    if (outcome.outcome !== 'refused' || messages.length === 1) {
      this.#ended.push({ messages, outcome })
      return
    }
    for (const [index, message] of messages.entries()) {
      const single = await this.#send(registryVersion, [message])
      const goesOn = single.outcome === 'accepted' || single.outcome === 'refused'
      this.#ended.push({ messages: goesOn ? [message] : messages.slice(index), outcome: single })
      if (!goesOn) return
    }
  }

  async #send(registryVersion: number, messages: WaitingChunk[][]): Promise<IngestOutcome> {
    const texts = messages.map(chunks => chunks.map(({ text }) => text))
    const outcome = await this.#deps.send(registryVersion, texts, this.#abort.signal)
    this.#deps.counters.requests[outcome.outcome] += 1
    return outcome
  }

  /** Requests end at any time; what follows for the window waits until no look is under way. */
  #settleEnded(): void {
    for (const delivery of this.#ended.splice(0)) this.#settle(delivery)
  }

  #settle({ messages, outcome }: Delivery): void {
    const { limits, counters } = this.#deps
    const nowMs = performance.now()
    const chunks = messages.flat()
    const ids = chunks.map(({ id }) => id)
    this.#report(messages, outcome)
    if (outcome.outcome === 'accepted') {
      this.#gate.succeed()
      counters.sentMessages += messages.length
      counters.sentChunks += chunks.length
      for (const { changeCount } of chunks) counters.sentEvents += changeCount
      this.#window.hold(ids, nowMs + limits.confirmTimeoutMs)
    } else if (outcome.outcome === 'refused') {
      this.#window.hold(ids, nowMs + limits.refusedRetryMs)
    } else {
      this.#gate.fail(nowMs, Math.random(), askedMsOf(outcome, limits))
      this.#window.giveBack(ids)
    }
  }

  #report(messages: WaitingChunk[][], outcome: IngestOutcome): void {
    // With the connection to Postgres lost, or the grace time over, the requests were broken off by ourselves.
    if (outcome.outcome === 'accepted' || this.#abort.signal.aborted) return
    const [level, text] = REPORTS[outcome.outcome]
    const firstChunkId = String(messages[0]?.[0]?.id)
    this.#deps.log[level]({ reason: outcome.reason, messages: messages.length, firstChunkId }, text)
  }

  async #finish(lost: AbortSignal): Promise<void> {
    const timer = setTimeout(() => this.#abort.abort(), this.#deps.limits.shutdownGraceMs)
    await Promise.all(this.#underWay)
    clearTimeout(timer)
    this.#settleEnded()
    lost.throwIfAborted()
    // With nobody to wake, a NOTIFY would only make commits wait for each other.
    await this.#setFlag(false)
  }
}

function askedMsOf(outcome: IngestOutcome, limits: ListenerLimits): number {
  if (outcome.outcome === 'unavailable') return outcome.askedMs
  return outcome.outcome === 'misconfigured' ? limits.refusedRetryMs : 0
}
