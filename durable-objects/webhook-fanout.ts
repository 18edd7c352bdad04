// One object per webhook, named by its id: a durable queue of deliveries. Holds the I/O alone; what follows from what
// stands in features/webhooks/delivery and is pure, what is kept in fanout-storage.ts.
//
// Sending begins in `store` and goes on from each finished attempt to the next. The alarm is the safety net behind that:
// while something is due it is never more than ALARM_AHEAD_MS off, so that whatever ends this object, it goes on at once.

import { DurableObject } from 'cloudflare:workers'
import { parseConfig } from '../src/config.ts'
import type { PlatformDatabase } from '../src/db/database.ts'
import { type Env, platformDatabase } from '../src/deps.ts'
import type {
  DeadLetterReason,
  DeadLetterRecord,
  DeliveryRecord,
} from '../src/features/webhooks/delivery/delivery-log.ts'
import {
  eventHeaders,
  examplePayload,
  TEST_HEADERS,
} from '../src/features/webhooks/delivery/event-headers.ts'
import { eventIdOf, webhookIdOf } from '../src/features/webhooks/delivery/event-identity.ts'
import {
  ALARM_AHEAD_MS,
  afterAttempt,
  type FanoutState,
  healthOf,
  nextAlarm,
  withRow,
} from '../src/features/webhooks/delivery/fanout-state.ts'
import {
  isFailing,
  judgeAttempt,
  PROBE_INTERVAL_MS,
  type Verdict,
} from '../src/features/webhooks/delivery/retry-schedule.ts'
import type { AttemptResult } from '../src/features/webhooks/delivery/send-attempt.ts'
import {
  type DeliveryAttempt,
  type EventShare,
  type WebhookFanout as Fanout,
  type LoggedDelivery,
  PAYLOAD_BYTES_MAX,
  type PayloadPiece,
} from '../src/features/webhooks/delivery/webhook-fanout.ts'
import {
  findWebhookRow,
  pauseForReceiver,
  type WebhookRow,
  writeHealth,
} from '../src/features/webhooks/delivery/webhook-row.ts'
import { flushReports } from './fanout-reports.ts'
import { type DueEvent, FanoutStorage } from './fanout-storage.ts'
import { redeliverDeadLetters } from './redelivery.ts'
import { WebhookSender } from './webhook-sender.ts'

/** Sends at a time. The platform opens six connections an invocation; two are left for the database. */
const LANES = 4
/** How long successes gather before they are written down together: each write costs more than the delivery. */
const SETTLE_MS = 3
/** Events that are read ahead. */
const AHEAD = 64
/** How long reports gather before they are written together. */
const GATHER_MS = 200
/** Pause after Postgres has not taken them. */
const REPORT_RETRY_MS = 10_000
/** How old the webhook's row may be while there is something to send. */
const ROW_FRESH_MS = 60_000
/** An event whose attempt broke here, and not at the receiver, is tried again after this. */
const BROKEN_RETRY_MS = 5_000
/** How long events wait for a paused or failing webhook, and ids are known to drop repeats. */
const KEPT_MS = 7 * 24 * 3_600_000
const FORGET_INTERVAL_MS = 3_600_000
const FORGET_BATCH = 1_000

const STATE = 'state'

export class WebhookFanout extends DurableObject<Env> implements Fanout {
  readonly #platform: PlatformDatabase
  readonly #sender: WebhookSender
  /** Both undefined until the webhook's row was read once, and again after `removed`: no trace of what is no webhook. */
  #state: FanoutState | undefined
  #storage: FanoutStorage | undefined
  /** Sent or being sent, and not yet written down. */
  readonly #underWay = new Set<number>()
  #busyLanes = 0
  #largeUnderWay = 0
  #ahead: DueEvent[] = []
  /** `orderChanges` of the storage when those were read. */
  #aheadAt = 0
  #delivered: Finished[] = []
  #settleTimer: ReturnType<typeof setTimeout> | undefined
  #reading: Promise<void> | undefined
  #readAgainAtMs = 0
  #flushing: Promise<void> | undefined
  #flushTimer: ReturnType<typeof setTimeout> | undefined
  #reportAgainAtMs = 0
  #forgetAtMs = 0
  #alarmAtMs = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const config = parseConfig(env)
    this.#platform = platformDatabase(config)
    this.#sender = new WebhookSender(config)
    // Reading is synchronous, so no call can come in between and `blockConcurrencyWhile` is not needed.
    this.#state = ctx.storage.kv.get<FanoutState>(STATE)
    if (this.#state !== undefined) this.#storage = new FanoutStorage(ctx.storage.sql)
  }

  async store(share: EventShare): Promise<'stored' | 'gone'> {
    const storage = await this.#storageFor(share.version)
    if (storage === undefined) return 'gone'
    storage.add(share.events, Date.now())
    this.#pump()
    this.#schedule()
    return 'stored'
  }

  async storePiece(version: number, piece: PayloadPiece): Promise<'stored' | 'gone'> {
    const storage = await this.#storageFor(version)
    storage?.putPiece(piece, Date.now())
    return storage === undefined ? 'gone' : 'stored'
  }

  /** An object that knows nothing yet reads the row when it first needs it. */
  async learn(row: WebhookRow): Promise<void> {
    if (this.#state === undefined) return
    this.#accept(row)
    this.#schedule()
  }

  async removed(): Promise<void> {
    this.#state = undefined
    this.#storage = undefined
    this.#ahead = []
    this.#delivered = []
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
  }

  async sendTest(): Promise<DeliveryAttempt | undefined> {
    await this.#read()
    if (this.#state === undefined) return undefined
    const nowMs = Date.now()
    const { webhook } = this.#state
    return await this.#sendOnce(examplePayload(webhook, nowMs), TEST_HEADERS, {
      event_id: null,
      event_type: 'TEST',
      webhook_message_id: `msg_${webhook.id.replaceAll('-', '')}_test_${crypto.randomUUID()}`,
      replay_of: null,
    })
  }

  async replay(logged: LoggedDelivery): Promise<DeliveryAttempt | undefined> {
    await this.#read()
    if (this.#state === undefined) return undefined
    const headers = { 'x-quoin-replay-of': logged.id, ...(logged.event_type === 'TEST' && TEST_HEADERS) }
    return await this.#sendOnce(logged.payload, headers, {
      event_id: logged.event_id,
      event_type: logged.event_type,
      webhook_message_id: logged.webhook_message_id,
      replay_of: logged.id,
    })
  }

  async redeliver(since: string): Promise<number> {
    await this.#read()
    if (this.#state === undefined || this.#storage === undefined) return 0
    const count = await redeliverDeadLetters(this.#platform, this.#storage, this.#state.webhook.id, since)
    this.#pump()
    this.#schedule()
    return count
  }

  /** Sets the next alarm before anything else and catches everything: the runtime's own retries would give up. */
  override async alarm(): Promise<void> {
    if (this.#state === undefined) return
    try {
      await this.#setAlarm(Date.now() + ALARM_AHEAD_MS)
      this.#settleDelivered()
      this.#pump()
      if (Date.now() >= this.#readAgainAtMs) await this.#read()
      await this.#flush()
      this.#forget(Date.now())
    } catch (err) {
      logFailure('the alarm failed', err)
    }
    this.#schedule(true)
  }

  /** Undefined: there is no such webhook. */
  async #storageFor(version: number): Promise<FanoutStorage | undefined> {
    if (this.#state === undefined || this.#state.webhook.version < version) await this.#read()
    return this.#storage
  }

  /** Reads the webhook's row; all who wait share one reading. */
  #read(): Promise<void> {
    this.#reading ??= this.#readRow().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readRow(): Promise<void> {
    const id = this.ctx.id.name ?? this.#state?.webhook.id
    if (id === undefined)
      throw new Error('a fan-out is found by the id of its webhook, never by an id of its own')
    this.#readAgainAtMs = Date.now() + ROW_FRESH_MS
    const row = await findWebhookRow(this.#platform, id)
    if (row !== undefined) this.#accept(row)
    else if (this.#state !== undefined) await this.removed()
  }

  #accept(row: WebhookRow): void {
    this.#storage ??= new FanoutStorage(this.ctx.storage.sql)
    this.#setState(withRow(this.#state, row))
    this.#pump()
  }

  #setState(state: FanoutState): void {
    if (state === this.#state) return
    this.#state = state
    this.ctx.storage.kv.put(STATE, state)
  }

  /** Begins as many attempts as may be under way. */
  #pump(): void {
    const [state, storage] = [this.#state, this.#storage]
    if (state === undefined || storage === undefined || !state.webhook.active) return
    if (isFailing(state.failCount)) {
      this.#probe(state, storage, Date.now())
      return
    }
    let mayRead = true
    while (this.#busyLanes < LANES) {
      if (this.#aheadAt !== storage.orderChanges) this.#ahead = []
      if (this.#ahead.length === 0) {
        if (!mayRead) return
        mayRead = false
        this.#readAhead(storage)
      }
      const event = this.#ahead.shift()
      if (event === undefined) return
      if (!this.#underWay.has(event.position)) this.#begin(event)
    }
  }

  #readAhead(storage: FanoutStorage): void {
    this.#aheadAt = storage.orderChanges
    const events = storage.startable(Date.now(), AHEAD + this.#underWay.size)
    this.#ahead = events.filter(event => !this.#underWay.has(event.position))
  }

  /** While failing: one event, once a minute. */
  #probe(state: FanoutState, storage: FanoutStorage, nowMs: number): void {
    if (this.#underWay.size > 0 || nowMs < state.probeAtMs) return
    // What was read ahead would otherwise be sent a second time once the webhook has healed.
    this.#ahead = []
    const event = storage.firstDue()
    if (event === undefined) return
    this.#setState({ ...state, probeAtMs: nowMs + PROBE_INTERVAL_MS })
    this.#begin(event)
  }

  #begin(event: DueEvent): void {
    // Signing takes the body several times over: of large ones only one at a time.
    if (event.isInPieces && this.#largeUnderWay > 0) return
    this.#underWay.add(event.position)
    this.#busyLanes += 1
    if (event.isInPieces) this.#largeUnderWay += 1
    const attempt = this.#deliver(event).finally(() => {
      this.#busyLanes -= 1
      if (event.isInPieces) this.#largeUnderWay -= 1
      this.#pump()
      this.#schedule()
    })
    this.ctx.waitUntil(attempt)
  }

  async #deliver(event: DueEvent): Promise<void> {
    try {
      const [state, storage] = [this.#state, this.#storage]
      if (state === undefined || storage === undefined) return
      if (event.bytes > PAYLOAD_BYTES_MAX) {
        this.#giveUp(event, 'payload_too_large')
        this.#underWay.delete(event.position)
        return
      }
      const text = event.payload ?? storage.body(event.position)
      if (text === undefined) throw new Error('the body of an event is not there')
      const webhookId = webhookIdOf(state.webhook.id, event.position, event.occurredAtMs)
      const outgoing = { webhookId, text, extraHeaders: eventHeaders(event) }
      const result = await this.#sender.send(state.webhook, outgoing)
      const finished = { event, webhookId, result, finishedAtMs: Date.now() }
      if (result.isSuccess && !isFailing(state.failCount)) this.#settleSoon(finished)
      else this.#settle(finished)
    } catch (err) {
      logFailure('an attempt broke', err)
      this.#underWay.delete(event.position)
      this.#storage?.postpone(event.position, Date.now() + BROKEN_RETRY_MS, event.attempts)
    }
  }

  /** A crash before that sends them again, under the same webhook-id and in the same order. */
  #settleSoon(finished: Finished): void {
    this.#delivered.push(finished)
    this.#settleTimer ??= setTimeout(() => {
      this.#settleTimer = undefined
      this.#settleDelivered()
      this.#pump()
      this.#schedule()
    }, SETTLE_MS)
  }

  #settleDelivered(): void {
    const delivered = this.#delivered
    this.#delivered = []
    for (const finished of delivered) this.#settle(finished)
  }

  /** Writes down what an attempt came to and what follows, in one transaction: nothing in here waits. */
  #settle({ event, webhookId, result, finishedAtMs }: Finished): void {
    this.#underWay.delete(event.position)
    const [state, storage] = [this.#state, this.#storage]
    if (state === undefined || storage === undefined) return
    const nowMs = Date.now()
    const record = logRecord(state.webhook.id, result, finishedAtMs, {
      event_id: eventIdOf(event.position),
      // Only rows of events are stored as due: tests and replays are sent without.
      event_type: event.eventType as DeliveryRecord['event_type'],
      webhook_message_id: webhookId,
      replay_of: event.replayOf,
      attempt: event.attempts + 1,
    })
    storage.addReportOf('delivery', record, event.position)
    const verdict = judgeAttempt(
      result,
      { attempts: event.attempts, failCount: state.failCount },
      Math.random(),
    )
    this.#follow(event, verdict, storage, nowMs)
    const wasFailing = isFailing(state.failCount)
    this.#setState(afterAttempt(this.#state ?? state, verdict, nowMs))
    // What waited for its next attempt waited for the receiver: it is back.
    if (wasFailing && verdict.outcome === 'delivered') storage.rouse(nowMs)
    this.#flushSoon()
  }

  #follow(event: DueEvent, verdict: Verdict, storage: FanoutStorage, nowMs: number): void {
    switch (verdict.outcome) {
      case 'delivered':
        storage.finish(event, nowMs)
        if (event.isInPieces) storage.dropPieces(event.position)
        if (event.replayOf !== null) storage.addReport('resolved', { id: event.replayOf }, null)
        break
      case 'retry':
        storage.postpone(event.position, nowMs + verdict.delayMs, verdict.attempts)
        break
      case 'gone':
        storage.postpone(event.position, nowMs, event.attempts)
        break
      case 'dead':
        this.#giveUp(event, 'attempts_exhausted')
        break
    }
  }

  /** The event is a dead letter and lets go of its key. One that was a dead letter before simply is one again. */
  #giveUp(event: DueEvent, reason: DeadLetterReason): void {
    const [state, storage] = [this.#state, this.#storage]
    if (state === undefined || storage === undefined) return
    if (event.replayOf === null) {
      const letter: DeadLetterRecord = {
        id: crypto.randomUUID(),
        webhook_id: state.webhook.id,
        event_id: eventIdOf(event.position),
        reason,
        created_at: new Date().toISOString(),
      }
      storage.addReportOf('dead_letter', letter, event.position)
    } else storage.dropPieces(event.position)
    storage.finish(event, Date.now())
    this.#flushSoon()
  }

  async #sendOnce(
    text: string,
    extraHeaders: Readonly<Record<string, string>>,
    sent: Omit<SentFacts, 'attempt'>,
  ): Promise<DeliveryAttempt | undefined> {
    if (this.#state === undefined) return undefined
    const { webhook } = this.#state
    const outgoing = { webhookId: sent.webhook_message_id, text, extraHeaders }
    const result = await this.#sender.send(webhook, outgoing)
    const record = logRecord(webhook.id, result, Date.now(), { ...sent, attempt: 1 })
    this.#storage?.addReport('delivery', record, text)
    // Whoever asked looks at the log next.
    await this.#flush()
    this.#schedule()
    return {
      ok: result.isSuccess,
      status_code: result.statusCode,
      latency_ms: result.latencyMs,
      response_body: result.responseBody,
      error: result.error,
      log_id: record.id,
    }
  }

  #flushSoon(): void {
    if (Date.now() < this.#reportAgainAtMs) return
    this.#flushTimer ??= setTimeout(() => {
      this.#flushTimer = undefined
      this.ctx.waitUntil(this.#flush())
    }, GATHER_MS)
  }

  /** Never throws: what Postgres does not take is kept, and the alarm tries again. */
  #flush(): Promise<void> {
    this.#flushing ??= this.#writeReports().finally(() => {
      this.#flushing = undefined
      this.#schedule()
    })
    return this.#flushing
  }

  async #writeReports(): Promise<void> {
    if (this.#storage === undefined) return
    try {
      await flushReports(this.#platform, this.#storage)
      await this.#writePause()
      await this.#writeHealth()
      this.#reportAgainAtMs = 0
    } catch (err) {
      this.#reportAgainAtMs = Date.now() + REPORT_RETRY_MS
      logFailure('reports could not be written', err)
    }
  }

  async #writePause(): Promise<void> {
    if (!this.#state?.owesPause) return
    const { id, version } = this.#state.webhook
    const row =
      (await pauseForReceiver(this.#platform, id, version)) ?? (await findWebhookRow(this.#platform, id))
    if (row !== undefined) this.#accept(row)
  }

  async #writeHealth(): Promise<void> {
    const state = this.#state
    if (!state?.owesHealth) return
    await writeHealth(this.#platform, state.webhook.id, state.failCount, healthOf(state))
    // Changed again while it was written: then the next flush writes it again.
    if (this.#state === state) this.#setState({ ...state, owesHealth: false })
  }

  /** Gives up what has waited for a week and forgets the ids of as long ago, a little at each alarm. */
  #forget(nowMs: number): void {
    const storage = this.#storage
    if (storage === undefined || nowMs < this.#forgetAtMs) return
    const old = storage.storedBefore(nowMs - KEPT_MS, FORGET_BATCH)
    for (const event of old) if (!this.#underWay.has(event.position)) this.#giveUp(event, 'kept_too_long')
    if (old.length > 0) this.#ahead = []
    const hasMore = storage.forgetBefore(nowMs - KEPT_MS, FORGET_BATCH) || old.length > 0
    this.#forgetAtMs = hasMore ? nowMs : nowMs + FORGET_INTERVAL_MS
  }

  /** An alarm that goes off too early only looks; so an earlier one is left as it is, unless `isExact`. */
  #schedule(isExact = false): void {
    const [state, storage] = [this.#state, this.#storage]
    if (state === undefined || storage === undefined) return
    const nowMs = Date.now()
    const isNear = this.#alarmAtMs > nowMs && this.#alarmAtMs <= nowMs + ALARM_AHEAD_MS
    if (isNear && !isExact) return
    const atMs = nextAlarm({
      nowMs,
      state,
      firstDueAtMs: storage.firstDueAtMs(),
      owesReports: storage.hasReports(),
      reportAgainAtMs: this.#reportAgainAtMs,
      readAgainAtMs: this.#readAgainAtMs,
      forgetAtMs: storage.isEmpty() ? undefined : this.#forgetAtMs,
    })
    if (atMs === undefined) {
      if (isExact) this.ctx.waitUntil(this.ctx.storage.deleteAlarm())
    } else if (isExact || this.#alarmAtMs <= nowMs || atMs < this.#alarmAtMs) {
      this.ctx.waitUntil(this.#setAlarm(atMs))
    }
  }

  #setAlarm(atMs: number): Promise<void> {
    this.#alarmAtMs = atMs
    return this.ctx.storage.setAlarm(atMs)
  }
}

/** An attempt that is over, to be written down. */
interface Finished {
  event: DueEvent
  webhookId: string
  result: AttemptResult
  finishedAtMs: number
}

type SentFacts = Pick<
  DeliveryRecord,
  'event_id' | 'event_type' | 'webhook_message_id' | 'replay_of' | 'attempt'
>

function logRecord(webhookId: string, result: AttemptResult, atMs: number, sent: SentFacts): DeliveryRecord {
  return {
    id: crypto.randomUUID(),
    webhook_id: webhookId,
    ...sent,
    status_code: result.statusCode,
    response_body: result.responseBody,
    error: result.error,
    latency_ms: Math.max(0, Math.round(result.latencyMs)),
    created_at: new Date(atMs).toISOString(),
  }
}

/** Names what failed, never a secret, a URL or a body. */
function logFailure(message: string, err: unknown): void {
  console.error(JSON.stringify({ level: 'error', component: 'webhook-fanout', message, cause: String(err) }))
}
