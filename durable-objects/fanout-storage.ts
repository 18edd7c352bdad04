// What a WebhookFanout keeps in its SQLite: events that are due, in an order that each key can rely on, and which chunks it
// has had; bodies in pieces and what is to be written to Postgres beside them. It decides nothing but the order of keys.
//
// Of all events that share a key only the first has a `ready_at_ms`; the others wait until it is finished. So the next to
// send are found by an index, however many wait behind one that fails. An event without a key (its table has no primary
// key, or it changed one) shares one with every other: it waits for all before it, and all after it wait for it. What was
// taken back (`replay_of`) has lost its place in the order: it waits for nobody, and nobody for it.

import { CHANGES_PER_CHUNK_MAX, chunkOf } from '../src/features/webhooks/delivery/event-identity.ts'
import type { FanoutEvent } from '../src/features/webhooks/delivery/fanout-contract.ts'
import { DUE_EVENT, type DueEvent, dueEventOf, EVENT_COLUMNS } from './due-event.ts'
import { PieceStorage } from './piece-storage.ts'
import { ReportStorage } from './report-storage.ts'
import { firstRow, type SqlExec, type SqlValue } from './sql-rows.ts'

const TABLES = [
  `create table if not exists events (
    position integer primary key, key text, event_type text not null, payload text, bytes integer not null,
    occurred_at_ms integer not null, request_id text, payload_error text, replay_of text, attempts integer not null default 0,
    ready_at_ms integer, failed_at_ms integer, stored_at_ms integer not null)`,
  'create index if not exists events_ready on events (ready_at_ms, position) where ready_at_ms is not null',
  'create index if not exists events_by_key on events (key, position)',
  'create index if not exists events_in_order on events (position) where replay_of is null',
  'create index if not exists events_taken_back on events (replay_of) where replay_of is not null',
  `create table if not exists chunks (
    chunk integer primary key, occurred_at_ms integer not null, through integer not null, stored_at_ms integer not null)`,
]

/** Synchronous throughout: what is done without waiting in between is one transaction, and answers wait for the disk. */
export class FanoutStorage {
  readonly pieces: PieceStorage
  readonly reports: ReportStorage
  readonly #sql: SqlExec
  /** False: no event without a key is here, so that nobody needs to look for one. */
  #mayHaveBarriers = true
  #orderChanges = 0

  constructor(sql: SqlExec) {
    this.#sql = sql
    for (const table of TABLES) sql.exec(table)
    this.pieces = new PieceStorage(sql)
    this.reports = new ReportStorage(sql)
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
      const known = firstRow(this.#sql, 'select occurred_at_ms, through from chunks where chunk = ?', chunk)
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

  /** Takes an event back whose chunk it has had, outside the order, under a key of its own. False: it is here. */
  addAgain(event: FanoutEvent, replayOf: string, nowMs: number): boolean {
    if (firstRow(this.#sql, 'select 1 from events where position = ?', event.position) !== undefined)
      return false
    this.#insert(event, replayOf, nowMs, this.#lastPosition())
    return true
  }

  /** The dead letters that were taken back and are not yet written down as delivered. */
  takenBack(): Set<string> {
    const rows = this.#sql.exec('select replay_of from events where replay_of is not null')
    const waiting = Array.from(rows, row => String(row['replay_of']))
    return new Set([...waiting, ...this.reports.resolved()])
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
    const row = firstRow(this.#sql, 'select min(ready_at_ms) as at from events where ready_at_ms is not null')
    return typeof row?.['at'] === 'number' ? row['at'] : undefined
  }

  /** The body of an event; undefined when it is gone or was never whole. */
  body(position: number): string | undefined {
    const payload = firstRow(this.#sql, 'select payload from events where position = ?', position)?.[
      'payload'
    ]
    if (typeof payload === 'string') return payload
    const texts = [...this.pieces.of(position)]
    return texts.length === 0 ? undefined : texts.join('')
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
    const gone = firstRow(this.#sql, 'delete from events where position = ? returning replay_of', position)
    if (typeof gone?.['replay_of'] === 'string') return
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
    return firstRow(this.#sql, 'select 1 from events limit 1') !== undefined
  }

  /** True while there is anything that housekeeping will give up or forget. */
  remembersAny(): boolean {
    return this.hasEvents() || firstRow(this.#sql, 'select 1 from chunks limit 1') !== undefined
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
    if (!this.reports.hasAny()) this.pieces.dropOrphans(beforeMs)
    return count === limit
  }

  #insert(event: FanoutEvent, replayOf: string | null, nowMs: number, last: number): void {
    const { position, key } = event
    const isBlocked = replayOf === null && this.#isBlocked(position, key)
    this.#sql.exec(
      `insert or replace into events (${EVENT_COLUMNS}, payload, ready_at_ms) values (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`,
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
    if (replayOf === null && position < last) this.#stepBackBehind(position, key)
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
      `update events set ready_at_ms = null where ready_at_ms is not null and replay_of is null and position > ?
        and (key = ? or key is null or ? is null)`,
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
    return positionIn(
      firstRow(this.#sql, 'select position from events where replay_of is null order by position limit 1'),
    )
  }

  #lastPosition(): number {
    return Number(
      firstRow(this.#sql, 'select max(position) as position from events where replay_of is null')?.[
        'position'
      ] ?? -1,
    )
  }

  #firstBarrier(): number | undefined {
    const barrier = this.#mayHaveBarriers ? this.#firstOfKey(null) : undefined
    this.#mayHaveBarriers = barrier !== undefined
    return barrier
  }

  #firstOfKey(key: string | null): number | undefined {
    // `is` also compares null, and uses the index either way.
    return positionIn(
      firstRow(this.#sql, 'select position from events where key is ? order by position limit 1', key),
    )
  }

  #due(clause: string, ...bindings: SqlValue[]): DueEvent[] {
    const rows = this.#sql.exec(`select ${DUE_EVENT} from events ${clause}`, ...bindings)
    return Array.from(rows, dueEventOf)
  }
}

function positionIn(row: Record<string, unknown> | undefined): number | undefined {
  return row === undefined ? undefined : Number(row['position'])
}
