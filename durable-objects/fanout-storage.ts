// What a WebhookFanout keeps in its SQLite: events that are due, in an order that each key can rely on; which chunks it has
// had; and what is to be written to Postgres. It decides nothing but the order of keys.
//
// Of all events that share a key only the first has a `ready_at_ms`; the others wait until it is finished. So the next to
// send are found by an index, however many wait behind one that fails. An event without a key (its table has no primary
// key, or it changed one) shares one with every other: it waits for all before it, and all after it wait for it.

import { CHANGES_PER_CHUNK_MAX, chunkOf } from '../src/features/webhooks/delivery/event-identity.ts'
import type { FanoutEvent, PayloadPiece } from '../src/features/webhooks/delivery/webhook-fanout.ts'

type SqlValue = string | number | null

/** The part of `SqlStorage` that is used here; tests bring node:sqlite under it. */
export interface SqlExec {
  exec(query: string, ...bindings: SqlValue[]): Iterable<Record<string, unknown>>
}

/** An event that waits. */
export interface DueEvent {
  position: number
  key: string | null
  eventType: string
  /** The body is kept in pieces, apart from the event: it is large. */
  isInPieces: boolean
  bytes: number
  occurredAtMs: number
  requestId: string | null
  payloadError: string | null
  replayOf: string | null
  attempts: number
  storedAtMs: number
  /** The body where it is short enough to be read along; null: `body` has it. */
  payload: string | null
}

/** Something that Postgres is to be told. `record` is JSON text. */
export interface Report {
  sequence: number
  kind: ReportKind
  record: string
  payload: string | null
}

/** An attempt for the log, an event that was given up, or a dead letter that was delivered after all. */
export type ReportKind = 'delivery' | 'dead_letter' | 'resolved'

const DUE_COLUMNS =
  'position, key, event_type, bytes, occurred_at_ms, request_id, payload_error, replay_of, attempts, stored_at_ms'
/** Longer bodies are read one by one. */
const READ_ALONG_BYTES_MAX = 32 * 1024
const DUE = `${DUE_COLUMNS}, payload is null as in_pieces,
  case when bytes <= ${READ_ALONG_BYTES_MAX} then payload end as payload`
const TABLES = [
  `create table if not exists events (
    position integer primary key, key text, event_type text not null, payload text, bytes integer not null,
    occurred_at_ms integer not null, request_id text, payload_error text, replay_of text, attempts integer not null default 0,
    ready_at_ms integer, failed_at_ms integer, stored_at_ms integer not null)`,
  'create index if not exists events_ready on events (ready_at_ms, position) where ready_at_ms is not null',
  'create index if not exists events_by_key on events (key, position)',
  `create table if not exists pieces (
    position integer, number integer, text text not null, stored_at_ms integer not null,
    primary key (position, number)) without rowid`,
  `create table if not exists chunks (
    chunk integer primary key, occurred_at_ms integer not null, through integer not null, stored_at_ms integer not null)`,
  `create table if not exists reports (
    sequence integer primary key autoincrement, kind text not null, record text not null, payload text)`,
]

/** Synchronous throughout: what is done without waiting in between is one transaction, and answers wait for the disk. */
export class FanoutStorage {
  readonly #sql: SqlExec
  /** False: no event without a key is here, so that nobody needs to look for one. */
  #mayHaveBarriers = true
  #orderChanges = 0

  constructor(sql: SqlExec) {
    this.#sql = sql
    for (const table of TABLES) sql.exec(table)
  }

  /** Grows when an event that `startable` gave out may not be sent any more, or not yet. */
  get orderChanges(): number {
    return this.#orderChanges
  }

  /**
   * Keeps the events that it never had, and answers how many those were. Of one chunk events come in the order of their
   * index, in one call or several, so that the highest index says which. The same number with another time is another
   * chunk: the outbox was restored from a backup.
   */
  add(events: readonly FanoutEvent[], nowMs: number): number {
    let added = 0
    let last = this.#lastPosition()
    for (const [chunk, ofChunk] of Map.groupBy(events, event => chunkOf(event.position))) {
      const occurredAtMs = ofChunk[0]?.occurred_at_ms ?? 0
      const known = this.#first('select occurred_at_ms, through from chunks where chunk = ?', chunk)
      const through = known?.['occurred_at_ms'] === occurredAtMs ? Number(known['through']) : 0
      const fresh = ofChunk.filter(event => event.position % CHANGES_PER_CHUNK_MAX >= through)
      for (const event of fresh) {
        this.#insert(event, null, nowMs, last)
        last = Math.max(last, event.position)
      }
      added += fresh.length
      const highest = fresh.at(-1)
      if (highest === undefined) continue
      const next = (highest.position % CHANGES_PER_CHUNK_MAX) + 1
      this.#sql.exec('insert or replace into chunks values (?, ?, ?, ?)', chunk, occurredAtMs, next, nowMs)
    }
    return added
  }

  /** Takes an event back whose chunk it has had. False: it is here. */
  addAgain(event: FanoutEvent, replayOf: string, nowMs: number): boolean {
    if (this.#first('select 1 from events where position = ?', event.position) !== undefined) return false
    this.#insert(event, replayOf, nowMs, this.#lastPosition())
    return true
  }

  putPiece({ position, number, text }: PayloadPiece, nowMs: number): void {
    this.#sql.exec('insert or replace into pieces values (?, ?, ?, ?)', position, number, text, nowMs)
  }

  /** Events that may be sent at `nowMs`, those longest due first. */
  startable(nowMs: number, limit: number): DueEvent[] {
    return this.#due('where ready_at_ms <= ? order by ready_at_ms, position limit ?', nowMs, limit)
  }

  /** The event that has been or will be due first of all; undefined when nothing waits. */
  firstDue(): DueEvent | undefined {
    return this.#due('where ready_at_ms is not null order by ready_at_ms, position limit 1')[0]
  }

  /** An event that waits, whether its turn has come or not; undefined: it does not. */
  find(position: number): DueEvent | undefined {
    return this.#due('where position = ?', position)[0]
  }

  /** When the first event is due; undefined when nothing waits. */
  firstDueAtMs(): number | undefined {
    const row = this.#first('select min(ready_at_ms) as at from events where ready_at_ms is not null')
    return typeof row?.['at'] === 'number' ? row['at'] : undefined
  }

  /** The body of an event; undefined when it is gone or was never whole. */
  body(position: number): string | undefined {
    const payload = this.#first('select payload from events where position = ?', position)?.['payload']
    if (typeof payload === 'string') return payload
    const texts = [...this.pieces(position)]
    return texts.length === 0 ? undefined : texts.join('')
  }

  /** The parts of a body that is kept in pieces, one at a time. */
  *pieces(position: number): Generator<string> {
    for (let number = 0; ; number++) {
      const piece = this.#first('select text from pieces where position = ? and number = ?', position, number)
      if (piece === undefined) return
      yield String(piece['text'])
    }
  }

  dropPieces(position: number): void {
    this.#sql.exec('delete from pieces where position = ?', position)
  }

  /** An attempt has failed at `nowMs`; the next may be made after `delayMs`. */
  postpone(position: number, attempts: number, nowMs: number, delayMs: number): void {
    this.#sql.exec(
      'update events set ready_at_ms = ?, failed_at_ms = ?, attempts = ? where position = ?',
      nowMs + delayMs,
      nowMs,
      attempts,
      position,
    )
  }

  /** Lets go of an event and of its key: what waited for it alone becomes due. */
  finish({ position, key }: Pick<DueEvent, 'position' | 'key'>, nowMs: number): void {
    this.#sql.exec('delete from events where position = ?', position)
    const barrier = this.#firstBarrier()
    if (key === null) this.#releaseBefore(barrier, nowMs)
    else {
      const next = this.#firstOfKey(key)
      if (next !== undefined && (barrier === undefined || next < barrier)) this.#makeReady(next, nowMs)
    }
    if (barrier !== undefined && this.#firstPosition() === barrier) this.#makeReady(barrier, nowMs)
  }

  /** Everything that waits for its next attempt is due at once. */
  rouse(nowMs: number): void {
    this.#sql.exec('update events set ready_at_ms = ? where ready_at_ms > ?', nowMs, nowMs)
  }

  /**
   * Whatever has failed at `sinceMs` or later and is first of its key is due at once, with all its attempts before it
   * (forget what was read ahead). Answers how many that are.
   */
  rouseFailed(sinceMs: number, nowMs: number): number {
    const roused = this.#sql.exec(
      `update events set ready_at_ms = min(ready_at_ms, ?), attempts = 0
        where ready_at_ms is not null and failed_at_ms >= ? returning position`,
      nowMs,
      sinceMs,
    )
    return Array.from(roused).length
  }

  hasEvents(): boolean {
    return this.#first('select 1 from events limit 1') !== undefined
  }

  /** True while anything is remembered that housekeeping will forget. */
  isEmpty(): boolean {
    return !this.hasEvents() && this.#first('select 1 from chunks limit 1') === undefined
  }

  /** Events that were stored before `beforeMs`, some of them at a time, oldest first. */
  storedBefore(beforeMs: number, limit: number): DueEvent[] {
    // Positions grow with time, so that the oldest are at the front and no index of times is needed.
    return this.#due('order by position limit ?', limit).filter(event => event.storedAtMs < beforeMs)
  }

  /** Forgets chunks and orphaned pieces from before `beforeMs`, at most `limit` of each; true when there may be more. */
  forgetBefore(beforeMs: number, limit: number): boolean {
    const old = '(select chunk from chunks order by chunk limit ?)'
    const chunks = this.#sql.exec(
      `delete from chunks where chunk in ${old} and stored_at_ms < ? returning chunk`,
      limit,
      beforeMs,
    )
    const count = Array.from(chunks).length
    // What a report still needs looks like an orphan.
    if (!this.hasReports()) {
      this.#sql.exec(
        'delete from pieces where stored_at_ms < ? and position not in (select position from events)',
        beforeMs,
      )
    }
    return count === limit
  }

  addReport(kind: ReportKind, record: object, payload: string | null): void {
    const sql = 'insert into reports (kind, record, payload) values (?, ?, ?)'
    this.#sql.exec(sql, kind, JSON.stringify(record), payload)
  }

  /** As `addReport`, with the body of an event that is kept whole, copied where it lies. */
  addReportOf(kind: ReportKind, record: object, position: number): void {
    const sql =
      'insert into reports (kind, record, payload) select ?, ?, payload from events where position = ?'
    this.#sql.exec(sql, kind, JSON.stringify(record), position)
  }

  /** The oldest reports, at most `limit` and about `charactersMax`, at least one where there is any. */
  reports(limit: number, charactersMax: number): Report[] {
    const rows = this.#sql.exec(
      `select sequence, kind, record, payload from (
        select *, sum(size) over (order by sequence) - size as before from (
          select *, length(record) + coalesce(length(payload), 0) as size from reports order by sequence limit ?))
        where before < ? order by sequence`,
      limit,
      charactersMax,
    )
    return Array.from(rows, row => ({
      sequence: Number(row['sequence']),
      kind: String(row['kind']) as ReportKind,
      record: String(row['record']),
      payload: textOrNull(row['payload']),
    }))
  }

  hasReports(): boolean {
    return this.#first('select 1 from reports limit 1') !== undefined
  }

  dropReports(sequences: readonly number[]): void {
    const list = JSON.stringify(sequences)
    this.#sql.exec('delete from reports where sequence in (select value from json_each(?))', list)
  }

  #insert(event: FanoutEvent, replayOf: string | null, nowMs: number, last: number): void {
    const { position, key } = event
    const isBlocked = this.#isBlocked(position, key)
    this.#sql.exec(
      `insert or replace into events (${DUE_COLUMNS}, payload, ready_at_ms) values (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`,
      position,
      key,
      event.event_type,
      event.bytes,
      event.occurred_at_ms,
      event.request_id,
      event.payload_error,
      replayOf,
      nowMs,
      event.payload,
      isBlocked ? null : nowMs,
    )
    if (key === null) this.#mayHaveBarriers = true
    if (position < last) this.#stepBackBehind(position, key)
  }

  #isBlocked(position: number, key: string | null): boolean {
    const before = key === null ? this.#firstPosition() : this.#firstOfKey(key)
    const barrier = this.#firstBarrier()
    return (before !== undefined && before < position) || (barrier !== undefined && barrier < position)
  }

  /** What came before its turn is no longer the first of its key. */
  #stepBackBehind(position: number, key: string | null): void {
    this.#orderChanges += 1
    this.#sql.exec(
      'update events set ready_at_ms = null where ready_at_ms is not null and position > ? and (key = ? or key is null or ? is null)',
      position,
      key,
      key,
    )
  }

  /** The first event of each key before the barrier is due. */
  #releaseBefore(barrier: number | undefined, nowMs: number): void {
    const before = barrier ?? Number.MAX_SAFE_INTEGER
    const first = this.#firstPosition()
    if (first === undefined || first >= before) return
    this.#sql.exec(
      `update events set ready_at_ms = ? where ready_at_ms is null and position in
        (select min(position) from events where position < ? and key is not null group by key)`,
      nowMs,
      before,
    )
  }

  #makeReady(position: number, nowMs: number): void {
    this.#sql.exec(
      'update events set ready_at_ms = ? where position = ? and ready_at_ms is null',
      nowMs,
      position,
    )
  }

  #firstPosition(): number | undefined {
    return positionIn(this.#first('select position from events order by position limit 1'))
  }

  #lastPosition(): number {
    return Number(this.#first('select max(position) as position from events')?.['position'] ?? -1)
  }

  #firstBarrier(): number | undefined {
    const barrier = this.#mayHaveBarriers ? this.#firstOfKey(null) : undefined
    this.#mayHaveBarriers = barrier !== undefined
    return barrier
  }

  #firstOfKey(key: string | null): number | undefined {
    // `is` also compares null, and uses the index either way.
    return positionIn(
      this.#first('select position from events where key is ? order by position limit 1', key),
    )
  }

  #due(clause: string, ...bindings: SqlValue[]): DueEvent[] {
    const rows = this.#sql.exec(`select ${DUE} from events ${clause}`, ...bindings)
    return Array.from(rows, toDueEvent)
  }

  #first(query: string, ...bindings: SqlValue[]): Record<string, unknown> | undefined {
    for (const row of this.#sql.exec(query, ...bindings)) return row
    return undefined
  }
}

function toDueEvent(row: Record<string, unknown>): DueEvent {
  return {
    position: Number(row['position']),
    key: textOrNull(row['key']),
    eventType: String(row['event_type']),
    isInPieces: row['in_pieces'] === 1,
    bytes: Number(row['bytes']),
    occurredAtMs: Number(row['occurred_at_ms']),
    requestId: textOrNull(row['request_id']),
    payloadError: textOrNull(row['payload_error']),
    replayOf: textOrNull(row['replay_of']),
    attempts: Number(row['attempts']),
    storedAtMs: Number(row['stored_at_ms']),
    payload: textOrNull(row['payload']),
  }
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : String(value)
}

function positionIn(row: Record<string, unknown> | undefined): number | undefined {
  return row === undefined ? undefined : Number(row['position'])
}
