// What a WebhookFanout keeps in its SQLite: events that are due, in an order that each key can rely on
// (key-order.ts), and which chunks it has had; bodies in pieces, and what Postgres is to be told and asked, beside
// them. It decides nothing.

import { chunkOf, indexOf } from '../../src/features/webhooks/delivery/event-identity.ts'
import type { FanoutEvent, PayloadPiece } from '../../src/features/webhooks/delivery/fanout-contract.ts'
import { DUE_EVENT, type DueEvent, dueEventOf, EVENT_COLUMNS } from './due-event.ts'
import { FailedReplayStorage } from './failed-replay-storage.ts'
import { KeyOrder } from './key-order.ts'
import { PieceStorage } from './piece-storage.ts'
import { ReportStorage } from './report-storage.ts'
import { firstRow, limitTo, type SqlExec, type SqlValue, textOrNull } from './sql-rows.ts'

const TABLES = [
  // With a rowid: in the pages of an index a body of 1 KB overflows already.
  `create table if not exists events (
    position text primary key, key text, old_key text, event_type text not null, payload text,
    bytes integer not null, occurred_at_ms integer not null, request_id text, payload_error text, replay_of text,
    attempts integer not null default 0, ready_at_ms integer, failed_at_ms integer, stored_at_ms integer not null)`,
  'create index if not exists events_ready on events (ready_at_ms, position) where ready_at_ms is not null',
  'create index if not exists events_taken_back on events (replay_of) where replay_of is not null',
  `create table if not exists chunks (
    chunk text primary key, occurred_at_ms integer not null, through integer not null,
    stored_at_ms integer not null) without rowid`,
]

/**
 * Synchronous throughout: what is done without waiting in between is one transaction, and answers wait for the disk.
 */
export class FanoutStorage {
  readonly pieces: PieceStorage
  readonly failedReplays: FailedReplayStorage
  readonly reports: ReportStorage
  readonly #sql: SqlExec
  readonly #order: KeyOrder

  constructor(sql: SqlExec) {
    this.#sql = sql
    for (const table of TABLES) sql.exec(table)
    this.#order = new KeyOrder(sql)
    this.pieces = new PieceStorage(sql)
    this.failedReplays = new FailedReplayStorage(sql)
    this.reports = new ReportStorage(sql)
  }

  /** Grows when an event that `startable` gave out may not be sent any more, or not yet. */
  get orderChanges(): number {
    return this.#order.changes
  }

  /**
   * Keeps the events that it never had, and answers how many those were. Of one chunk events come in the order of their
   * index, in one call or several, so that the highest index says which. The same number with another time is another
   * chunk: the outbox was restored from a backup.
   */
  add(events: readonly FanoutEvent[], nowMs: number): number {
    let added = 0
    let last = this.#order.lastPosition()
    for (const [chunk, ofChunk] of Map.groupBy(events, event => chunkOf(event.position))) {
      const occurredAtMs = ofChunk[0]?.occurred_at_ms ?? 0
      const through = this.#knownThrough(chunk, occurredAtMs)
      const fresh = ofChunk.filter(event => indexOf(event.position) >= (through ?? 0))
      for (const event of fresh) {
        // The event that had this number may still be here, and others wait for it.
        if (through === undefined) this.finish(event.position, nowMs)
        this.#insert(event, null, nowMs)
        this.#order.enter(event, last)
        if (event.position > last) last = event.position
      }
      added += fresh.length
      const highest = fresh.at(-1)
      if (highest === undefined) continue
      const next = indexOf(highest.position) + 1
      this.#sql.exec('insert or replace into chunks values (?, ?, ?, ?)', chunk, occurredAtMs, next, nowMs)
    }
    return added
  }

  /** Keeps a piece of an event's body, unless it has had the event: what lies there now may be cut otherwise. */
  addPiece({ position, occurred_at_ms, number, text }: PayloadPiece, nowMs: number): void {
    const through = this.#knownThrough(chunkOf(position), occurred_at_ms) ?? 0
    const waiting = this.find(position)
    const isHere = waiting !== undefined && waiting.occurredAtMs === occurred_at_ms
    if (isHere || indexOf(position) < through) return
    this.pieces.put(position, number, text, nowMs)
  }

  /** Takes an event back whose chunk it has had, outside the order, under a key of its own. False: it is here. */
  addAgain(event: FanoutEvent, replayOf: string, nowMs: number): boolean {
    if (this.has(event.position)) return false
    this.#insert(event, replayOf, nowMs)
    return true
  }

  /**
   * The dead letters that were taken back and are not yet written down as delivered; of those that wait so many at
   * most.
   */
  takenBack(waitingMax: number): string[] {
    const sql = `select replay_of from events where replay_of is not null ${limitTo(waitingMax)}`
    const waiting = Array.from(this.#sql.exec(sql), row => String(row['replay_of']))
    return [...waiting, ...this.reports.resolved()]
  }

  /** Events that may be sent at `nowMs`, those longest due first. */
  startable(nowMs: number, limit: number): DueEvent[] {
    return this.#due(`where ready_at_ms <= ? order by ready_at_ms, position ${limitTo(limit)}`, nowMs)
  }

  /** The event that has been or will be due first of all; undefined when nothing waits. */
  firstDue(): DueEvent | undefined {
    return this.#due('where ready_at_ms is not null order by ready_at_ms, position limit 1')[0]
  }

  has(position: string): boolean {
    return firstRow(this.#sql, 'select 1 from events where position = ?', position) !== undefined
  }

  /** An event that waits, whether its turn has come or not; undefined: it does not. */
  find(position: string): DueEvent | undefined {
    return this.#due('where position = ?', position)[0]
  }

  /** When the first event is due; undefined when nothing waits. */
  firstDueAtMs(): number | undefined {
    const row = firstRow(this.#sql, 'select min(ready_at_ms) as at from events where ready_at_ms is not null')
    return typeof row?.['at'] === 'number' ? row['at'] : undefined
  }

  /** The body of an event; undefined when it is gone or was never whole. */
  body(position: string): string | undefined {
    const payload = firstRow(this.#sql, 'select payload from events where position = ?', position)?.[
      'payload'
    ]
    if (typeof payload === 'string') return payload
    const texts = [...this.pieces.of(position)]
    return texts.length === 0 ? undefined : texts.join('')
  }

  /** An attempt has failed at `nowMs`; the next may be made after `delayMs`. */
  postpone(position: string, attempts: number, nowMs: number, delayMs: number): void {
    this.#sql.exec(
      'update events set ready_at_ms = ?, failed_at_ms = ?, attempts = ? where position = ?',
      nowMs + delayMs,
      nowMs,
      attempts,
      position,
    )
  }

  /** Lets go of an event and of its keys: what waited for it alone becomes due. */
  finish(position: string, nowMs: number): void {
    const sql = 'delete from events where position = ? returning key, old_key, replay_of'
    const gone = firstRow(this.#sql, sql, position)
    if (gone === undefined || gone['replay_of'] !== null) return
    this.#order.leave({ key: textOrNull(gone['key']), old_key: textOrNull(gone['old_key']) }, nowMs)
  }

  /** Everything that waits for its next attempt is due at once. */
  makeDueNow(nowMs: number): void {
    this.#sql.exec('update events set ready_at_ms = ? where ready_at_ms > ?', nowMs, nowMs)
  }

  /**
   * Whatever has failed at `sinceMs` or later and is first of its key is due at once, with all its attempts before it
   * (forget what was read ahead). Answers how many that are.
   */
  makeFailedDueNow(sinceMs: number, nowMs: number): number {
    const madeDue = this.#sql.exec(
      `update events set ready_at_ms = min(ready_at_ms, ?), attempts = 0
        where ready_at_ms is not null and failed_at_ms >= ? returning position`,
      nowMs,
      sinceMs,
    )
    return Array.from(madeDue).length
  }

  hasEvents(): boolean {
    return firstRow(this.#sql, 'select 1 from events limit 1') !== undefined
  }

  /** True while there is anything that housekeeping will give up or forget. */
  remembersAny(): boolean {
    return (
      this.hasEvents() ||
      this.pieces.hasAny() ||
      firstRow(this.#sql, 'select 1 from chunks limit 1') !== undefined
    )
  }

  /** Events that were stored before `beforeMs`, some of them at a time, oldest first. */
  storedBefore(beforeMs: number, limit: number): DueEvent[] {
    // Positions grow with time, so that the oldest are at the front and no index of times is needed.
    return this.#due(`order by position ${limitTo(limit)}`).filter(event => event.storedAtMs < beforeMs)
  }

  /**
   * Forgets chunks and orphaned pieces from before `beforeMs`, at most `limit` of each; true when there may be more.
   */
  forgetBefore(beforeMs: number, limit: number): boolean {
    const old = `(select chunk from chunks order by chunk ${limitTo(limit)})`
    const chunks = this.#sql.exec(
      `delete from chunks where chunk in ${old} and stored_at_ms < ? returning chunk`,
      beforeMs,
    )
    const count = Array.from(chunks).length
    // What a dead letter still needs looks like an orphan.
    if (!this.reports.has('dead_letter')) this.pieces.dropOrphans(beforeMs)
    return count === limit
  }

  /** How many events of a chunk it has had; undefined: none, but some of another chunk with its number. */
  #knownThrough(chunk: string, occurredAtMs: number): number | undefined {
    const known = firstRow(this.#sql, 'select occurred_at_ms, through from chunks where chunk = ?', chunk)
    if (known === undefined) return 0
    return known['occurred_at_ms'] === occurredAtMs ? Number(known['through']) : undefined
  }

  #insert(event: FanoutEvent, replayOf: string | null, nowMs: number): void {
    const isBlocked = replayOf === null && this.#order.isBlocked(event)
    this.#sql.exec(
      `insert or replace into events (${EVENT_COLUMNS}, key, old_key, payload, ready_at_ms)
        values (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)`,
      event.position,
      event.event_type,
      event.bytes,
      event.occurred_at_ms,
      event.request_id,
      event.payload_error,
      replayOf,
      nowMs,
      event.key,
      event.old_key,
      event.payload,
      isBlocked ? null : nowMs,
    )
  }

  #due(clause: string, ...bindings: SqlValue[]): DueEvent[] {
    const rows = this.#sql.exec(`select ${DUE_EVENT} from events ${clause}`, ...bindings)
    return Array.from(rows, dueEventOf)
  }
}
