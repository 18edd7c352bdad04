// The sends of one WebhookFanout that are under way: how many at a time, which next, and when what they came to is
// written down. Knows no Postgres, no alarm and no row; those are its host's.

import { eventHeaders } from '../../src/features/webhooks/delivery/event-headers.ts'
import { webhookIdOf } from '../../src/features/webhooks/delivery/event-identity.ts'
import type { FanoutState } from '../../src/features/webhooks/delivery/fanout-state.ts'
import { isFailing } from '../../src/features/webhooks/delivery/retry-schedule.ts'
import type { DueEvent } from './due-event.ts'
import { logFailure } from './failure.ts'
import type { WebhookSender } from './sender.ts'
import type { Finished } from './settlement.ts'
import type { FanoutStorage } from './storage.ts'

/** Sends at a time. The platform opens six connections an invocation; two are left for the database. */
const LANES = 4
/**
 * How long successes gather before they are written down together: each write costs more than the delivery. A crash in
 * between sends those events again, under the same `webhook-id` and in the same order.
 */
const SETTLE_MS = 3
/**
 * At least so many events are read ahead, where there are; always a multiple of it, so that SQLite has planned the
 * statement.
 */
const EVENTS_READ_AHEAD = 64
/** An event whose attempt broke here, and not at the receiver, is tried again after this. */
const BROKEN_RETRY_MS = 5_000

/** What a webhook's object keeps of it. */
export interface OpenFanout {
  state: FanoutState
  storage: FanoutStorage
}

export interface LaneHost {
  /** Undefined: the webhook is deleted, or not known yet. */
  open(): OpenFanout | undefined
  /** An event is tried although the webhook is failing. */
  probing(nowMs: number): void
  settle(finished: Finished): void
  /** Something was written down, or an attempt is over: another time may be the next at which something is due. */
  written(): void
  /** Keeps the object awake until then. */
  keep(work: Promise<void>): void
}

type Attempt = Omit<Finished, 'hasArrived'>
type Sender = Pick<WebhookSender, 'send'>

export class DeliveryLanes {
  readonly #sender: Sender
  readonly #host: LaneHost
  /** Being sent, or sent and not yet written down. */
  readonly #underWay = new Set<string>()
  /** Those of them that have arrived by a replay. */
  readonly #arrived = new Set<string>()
  #busy = 0
  #largeBusy = 0
  #ahead: DueEvent[] = []
  /** `orderChanges` of the storage when those were read. */
  #aheadAt = 0
  /**
   * False: a free lane need not look. Since events were read ahead nothing has come or been written down, nor has a
   * large one ended.
   */
  #mayReadMore = true
  #delivered: Attempt[] = []
  #settleTimer: ReturnType<typeof setTimeout> | undefined

  constructor(sender: Sender, host: LaneHost) {
    this.#sender = sender
    this.#host = host
  }

  has(position: string): boolean {
    return this.#underWay.has(position)
  }

  /**
   * An event has arrived by a replay. True when an attempt of it is under way: its end is the event's, and not
   * before, or what follows it would overtake that attempt.
   */
  noteArrival(position: string): boolean {
    if (!this.#underWay.has(position)) return false
    this.#arrived.add(position)
    return true
  }

  /** Forgets what was read ahead: some of it is no longer to be sent. */
  forgetAhead(): void {
    this.#ahead = []
    this.#mayReadMore = true
  }

  /** Nothing that is under way is written down any more. */
  forgetAll(): void {
    this.forgetAhead()
    this.#delivered = []
    this.#arrived.clear()
  }

  /**
   * Begins as many attempts as may be under way. To be called when events were stored, and when it is time for some.
   */
  pump(): void {
    this.#mayReadMore = true
    this.#fillLanes()
  }

  #fillLanes(): void {
    const { state, storage } = this.#host.open() ?? {}
    if (state === undefined || storage === undefined || !state.webhook.active) return
    if (isFailing(state.failCount)) {
      this.#probe(state, storage, Date.now())
      return
    }
    if (this.#aheadAt !== storage.orderChanges) this.forgetAhead()
    while (this.#busy < LANES) {
      if (this.#ahead.length === 0) {
        if (!this.#mayReadMore) return
        this.#readAhead(storage)
      }
      const event = this.#ahead.shift()
      if (event === undefined) return
      if (!this.#underWay.has(event.position)) this.#begin(event)
    }
  }

  /** Writes down what has succeeded. */
  settleDelivered(): void {
    const delivered = this.#delivered
    this.#delivered = []
    for (const attempt of delivered) this.#settle(attempt)
  }

  #readAhead(storage: FanoutStorage): void {
    this.#aheadAt = storage.orderChanges
    this.#mayReadMore = false
    const events = storage.startable(
      Date.now(),
      EVENTS_READ_AHEAD * Math.ceil(1 + this.#underWay.size / EVENTS_READ_AHEAD),
    )
    this.#ahead = events.filter(event => !this.#underWay.has(event.position))
  }

  /** While failing: one event, when it is time for it. */
  #probe(state: FanoutState, storage: FanoutStorage, nowMs: number): void {
    if (this.#underWay.size > 0 || nowMs < state.probeAtMs) return
    // What was read ahead would otherwise be sent a second time once the webhook has healed.
    this.forgetAhead()
    const event = storage.firstDue()
    if (event === undefined) return
    this.#host.probing(nowMs)
    this.#begin(event)
  }

  #begin(event: DueEvent): void {
    // Signing takes the body several times over: of large ones only one at a time.
    if (event.isInPieces && this.#largeBusy > 0) return
    this.#underWay.add(event.position)
    this.#busy += 1
    if (event.isInPieces) this.#largeBusy += 1
    const attempt = this.#deliver(event).finally(() => {
      this.#busy -= 1
      if (event.isInPieces) {
        this.#largeBusy -= 1
        // Another large one may have been passed over meanwhile.
        this.#mayReadMore = true
      }
      this.#fillLanes()
      this.#host.written()
    })
    this.#host.keep(attempt)
  }

  async #deliver(event: DueEvent): Promise<void> {
    try {
      const opened = this.#host.open()
      if (opened === undefined) this.#underWay.delete(event.position)
      else await this.#send(opened, event)
    } catch (err) {
      logFailure('an attempt broke', err)
      this.#underWay.delete(event.position)
      this.#mayReadMore = true
      this.#host.open()?.storage.postpone(event.position, event.attempts, Date.now(), BROKEN_RETRY_MS)
    }
  }

  async #send({ state, storage }: OpenFanout, event: DueEvent): Promise<void> {
    const text = event.payload ?? storage.body(event.position)
    if (text === undefined) throw new Error('the body of an event is not there')
    const webhookId = webhookIdOf(state.webhook.id, event.position, event.occurredAtMs)
    const outgoing = { webhookId, text, extraHeaders: eventHeaders(event) }
    const result = await this.#sender.send(state.webhook, outgoing)
    const attempt = { event, version: state.webhook.version, webhookId, result, finishedAtMs: Date.now() }
    if (result.isSuccess && !isFailing(state.failCount)) this.#settleSoon(attempt)
    else this.#settle(attempt)
  }

  /** A crash before that sends them again, under the same webhook-id and in the same order. */
  #settleSoon(attempt: Attempt): void {
    this.#delivered.push(attempt)
    this.#settleTimer ??= setTimeout(() => {
      this.#settleTimer = undefined
      this.settleDelivered()
      this.#fillLanes()
      this.#host.written()
    }, SETTLE_MS)
  }

  /** What waited for the event may be sent now, or the event again. */
  #settle(attempt: Attempt): void {
    this.#mayReadMore = true
    const { position } = attempt.event
    this.#underWay.delete(position)
    this.#host.settle({ ...attempt, hasArrived: this.#arrived.delete(position) })
  }
}
