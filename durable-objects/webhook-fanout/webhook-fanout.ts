// One object per webhook, named by its id: a durable queue of deliveries. What it is told and asked, the row it goes
// by and its alarm are here; what is under way is in delivery-lanes.ts, what Postgres is told in reporter.ts, what
// comes back from there in failed-replay.ts, what is kept in storage.ts, and what follows from what is pure and stands
// in features/webhooks/delivery.
//
// Sending begins in `store` and goes on from each finished attempt to the next. The alarm is the safety net behind
// that: while something is due it is never more than ALARM_AHEAD_MS off, so that whatever ends this object, it goes
// on at once.

import { DurableObject } from 'cloudflare:workers'
import { parseConfig } from '../../src/config.ts'
import type { PlatformDatabase } from '../../src/db/database.ts'
import { type Env, platformDatabase } from '../../src/deps.ts'
import type { DeadLetterReason } from '../../src/features/webhooks/delivery/delivery-log.ts'
import {
  eventHeaders,
  examplePayload,
  TEST_HEADERS,
} from '../../src/features/webhooks/delivery/event-headers.ts'
import { positionOfEvent, webhookIdOf } from '../../src/features/webhooks/delivery/event-identity.ts'
import { readExampleRow } from '../../src/features/webhooks/delivery/example-row.ts'
import type {
  DeliveryAttempt,
  EventShare,
  WebhookFanout as Fanout,
  LoggedDelivery,
  PayloadPiece,
  WaitingEvents,
} from '../../src/features/webhooks/delivery/fanout-contract.ts'
import {
  ALARM_AHEAD_MS,
  beforeProbe,
  type FanoutState,
  nextAlarm,
  probedNow,
  withRow,
} from '../../src/features/webhooks/delivery/fanout-state.ts'
import { findWebhookRow, type WebhookRow } from '../../src/features/webhooks/delivery/webhook-row.ts'
import { sharedDeadline } from '../../src/lib/deadline.ts'
import { DeliveryLanes, type LaneHost } from './delivery-lanes.ts'
import type { DueEvent } from './due-event.ts'
import { FailedReplay, type FailedReplayHost } from './failed-replay.ts'
import { logFailure } from './failure.ts'
import { FanoutReporter, type ReportHost } from './reporter.ts'
import { WebhookSender } from './sender.ts'
import { endDelivered, giveUp, logRecord, type SentFacts, settleAttempt } from './settlement.ts'
import { FanoutStorage } from './storage.ts'
import { NOTHING_WAITS, waitingEvents } from './waiting-events.ts'

/** How old the webhook's row may be while there is something to send. */
const ROW_FRESH_MS = 60_000
/** How long events wait for a paused or failing webhook, and ids are known to drop repeats. */
const KEPT_MS = 7 * 24 * 3_600_000
const FORGET_INTERVAL_MS = 3_600_000
const FORGET_BATCH = 1_000

const STATE = 'state'

export class WebhookFanout extends DurableObject<Env> implements Fanout {
  readonly #platform: PlatformDatabase
  readonly #sender: WebhookSender
  /**
   * Both undefined until the webhook's row was read once, and again after `removed`: no trace of what is no webhook.
   */
  #state: FanoutState | undefined
  #storage: FanoutStorage | undefined
  readonly #lanes: DeliveryLanes
  readonly #reporter: FanoutReporter
  readonly #failedReplay: FailedReplay
  #reading: Promise<void> | undefined
  /** How often the webhook has ended: what was read of it before says nothing any more. */
  #removals = 0
  #readAgainAtMs = 0
  #forgetAtMs = 0
  #alarmAtMs = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const config = parseConfig(env)
    const deadline = sharedDeadline()
    this.#platform = platformDatabase(config, deadline)
    this.#sender = new WebhookSender(config, deadline)
    const host = this.#host()
    this.#lanes = new DeliveryLanes(this.#sender, host)
    this.#reporter = new FanoutReporter(this.#platform, host)
    this.#failedReplay = new FailedReplay(this.#platform, host)
    // Reading is synchronous, so no call can come in between and `blockConcurrencyWhile` is not needed.
    this.#state = ctx.storage.kv.get<FanoutState>(STATE)
    if (this.#state !== undefined) this.#storage = new FanoutStorage(ctx.storage.sql)
  }

  async store(share: EventShare): Promise<'stored' | 'gone'> {
    const storage = await this.#storageFor(share.version)
    if (storage === undefined) return 'gone'
    storage.add(share.events, Date.now())
    this.#lanes.pump()
    this.#schedule()
    return 'stored'
  }

  async storePiece(version: number, piece: PayloadPiece): Promise<'stored' | 'gone'> {
    const storage = await this.#storageFor(version)
    storage?.addPiece(piece, Date.now())
    // So that it is forgotten in time if no event follows.
    this.#schedule()
    return storage === undefined ? 'gone' : 'stored'
  }

  /** An object that knows nothing yet reads the row when it first needs it. */
  async learn(row: WebhookRow): Promise<void> {
    if (this.#state === undefined) return
    this.#accept(row)
    this.#schedule()
  }

  async removed(): Promise<void> {
    this.#removals += 1
    this.#state = undefined
    this.#storage = undefined
    this.#lanes.forgetAll()
    this.#alarmAtMs = 0
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
  }

  async sendTest(): Promise<DeliveryAttempt | undefined> {
    await this.#read()
    if (this.#state === undefined) return undefined
    const { webhook } = this.#state
    const image = await readExampleRow(this.#platform, webhook.table_id)
    return await this.#sendOnce(examplePayload(webhook, image, Date.now()), TEST_HEADERS, {
      event_id: null,
      event_type: 'TEST',
      webhook_message_id: `msg_${webhook.id.replaceAll('-', '')}_test_${crypto.randomUUID()}`,
      replay_of: null,
      request_id: null,
      payload_error: null,
    })
  }

  async replay(logged: LoggedDelivery): Promise<DeliveryAttempt | undefined> {
    await this.#read()
    if (this.#state === undefined) return undefined
    const { id, payload, ...sent } = logged
    const notes = { requestId: sent.request_id, payloadError: sent.payload_error, replayOf: id }
    const headers = { ...eventHeaders(notes), ...(sent.event_type === 'TEST' && TEST_HEADERS) }
    return await this.#sendOnce(payload, headers, { ...sent, replay_of: id })
  }

  async replayFailed(since: string): Promise<number> {
    await this.#read()
    // What was given up a moment ago is perhaps still on its way to where it is counted. The log is not worth waiting
    // for.
    if (this.#storage?.reports.has('dead_letter')) await this.#reporter.write()
    const letters = await this.#failedReplay.ask(since)
    if (this.#state === undefined) return letters
    const count = letters + this.#makeFailedDueNow(Date.parse(since))
    if (count === 0) return 0
    // Who asks for it has perhaps mended the receiver.
    this.#setState(probedNow(this.#state))
    this.#lanes.pump()
    // From here on the alarm sees to what is noted, whatever becomes of this call.
    this.#schedule()
    await this.#failedReplay.takePage()
    this.#lanes.pump()
    this.#schedule()
    return count
  }

  async waiting(): Promise<WaitingEvents> {
    if (this.#state === undefined || this.#storage === undefined) return NOTHING_WAITS
    return waitingEvents(this.ctx.storage.sql, this.#storage, this.#state, Date.now())
  }

  /** Sets the next alarm before anything else and catches everything: the runtime's own retries would give up. */
  override async alarm(): Promise<void> {
    if (this.#state === undefined) return
    try {
      await this.#setAlarm(Date.now() + ALARM_AHEAD_MS)
      this.#lanes.settleDelivered()
      this.#lanes.pump()
      if (Date.now() >= this.#readAgainAtMs) await this.#read()
      await this.#reporter.write()
      await this.#failedReplay.takePage()
      this.#lanes.pump()
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
    const removals = this.#removals
    const row = await findWebhookRow(this.#platform, id)
    if (removals !== this.#removals) return
    if (row !== undefined) this.#accept(row)
    else if (this.#state !== undefined) await this.removed()
  }

  #accept(row: WebhookRow): void {
    this.#storage ??= new FanoutStorage(this.ctx.storage.sql)
    const state = withRow(this.#state, row)
    if (state === this.#state) return
    this.#setState(state)
    // A change may be what mends the receiver, and a resumption follows one.
    if (row.active) this.#makeFailedDueNow(0)
    this.#lanes.pump()
  }

  #makeFailedDueNow(sinceMs: number): number {
    this.#lanes.forgetAhead()
    return this.#storage?.makeFailedDueNow(sinceMs, Date.now()) ?? 0
  }

  #setState(state: FanoutState): void {
    if (state === this.#state) return
    this.#state = state
    this.ctx.storage.kv.put(STATE, state)
  }

  /** What the lanes, the reporter and the replay of what failed see of this object. */
  #host(): LaneHost & ReportHost & FailedReplayHost {
    return {
      open: () => (this.#state && this.#storage ? { state: this.#state, storage: this.#storage } : undefined),
      accept: row => this.#accept(row),
      setState: state => this.#setState(state),
      written: () => this.#schedule(),
      probing: nowMs => {
        if (this.#state) this.#setState(beforeProbe(this.#state, nowMs))
      },
      settle: finished => {
        if (this.#state === undefined || this.#storage === undefined) return
        this.#setState(settleAttempt(this.#storage, this.#state, finished))
        this.#reporter.writeSoon()
      },
      keep: work => this.ctx.waitUntil(work),
    }
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
    this.#storage?.reports.add('delivery', record, text)
    if (result.isSuccess && sent.event_id !== null) this.#noteArrival(sent.event_id, sent.webhook_message_id)
    // Whoever asked looks at the log next.
    await this.#reporter.write()
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

  /** Where the event still waits, it ends. Numbers alone do not tell: a restored outbox gives them to others. */
  #noteArrival(eventId: string, messageId: string): void {
    if (this.#state === undefined || this.#storage === undefined) return
    const event = this.#storage.find(positionOfEvent(eventId))
    if (event === undefined) return
    if (webhookIdOf(this.#state.webhook.id, event.position, event.occurredAtMs) !== messageId) return
    if (this.#lanes.noteArrival(event.position)) return
    endDelivered(this.#storage, event, Date.now())
    this.#lanes.forgetAhead()
    this.#lanes.pump()
  }

  #giveUp(event: DueEvent, reason: DeadLetterReason): void {
    if (this.#state === undefined || this.#storage === undefined) return
    giveUp(this.#storage, this.#state.webhook.id, event, reason)
    this.#reporter.writeSoon()
  }

  /** Gives up what has waited for a week and forgets the ids of as long ago, a little at each alarm. */
  #forget(nowMs: number): void {
    const storage = this.#storage
    if (storage === undefined || nowMs < this.#forgetAtMs) return
    const old = storage.storedBefore(nowMs - KEPT_MS, FORGET_BATCH)
    for (const event of old) if (!this.#lanes.has(event.position)) this.#giveUp(event, 'kept_too_long')
    if (old.length > 0) this.#lanes.forgetAhead()
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
      owesReports: storage.reports.hasAny(),
      reportAgainAtMs: this.#reporter.againAtMs,
      readAgainAtMs: this.#readAgainAtMs,
      takeBackAtMs: this.#failedReplay.dueAtMs(),
      forgetAtMs: storage.remembersAny() ? this.#forgetAtMs : undefined,
    })
    if (atMs === undefined) {
      if (!isExact) return
      this.#alarmAtMs = 0
      this.ctx.waitUntil(this.ctx.storage.deleteAlarm())
    } else if (isExact || this.#alarmAtMs <= nowMs || atMs < this.#alarmAtMs) {
      this.ctx.waitUntil(this.#setAlarm(atMs))
    }
  }

  #setAlarm(atMs: number): Promise<void> {
    this.#alarmAtMs = atMs
    return this.ctx.storage.setAlarm(atMs)
  }
}
