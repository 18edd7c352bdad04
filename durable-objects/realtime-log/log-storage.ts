// What the log keeps in its SQLite: entries in their order, the ids of those that came lately, and which hub follows
// which tables. It grows to bounds and no further.

import type {
  LogEntry,
  LoggedChange,
  LogReading,
  LogState,
  NewChange,
  NewChanges,
} from '../../src/features/realtime/log/log-contract.ts'
import { encodeUtf8 } from '../../src/lib/utf8.ts'

export interface LogBounds {
  readonly entriesMax: number
  readonly bytesMax: number
  readonly keptMs: number
}

export const LOG_BOUNDS: LogBounds = {
  entriesMax: 100_000,
  bytesMax: 256 * 1024 * 1024,
  keptMs: 24 * 3_600_000,
}

/** A row of SQLite holds 2 MB: 3 bytes a character, or 2 where JSON escapes it once more. */
const ROWS_LENGTH_MAX = 512 * 1024
const PAGE_ENTRIES_MAX = 2_000
const PAGE_BYTES_MAX = 2 * 1024 * 1024
/** That one page looks through: few of them may be of its tables. */
const PAGE_NUMBERS_MAX = 20_000
/** A change that comes again is known for so long at least; it is said again each minute until it is confirmed. */
const IDS_KEPT_MS = 3_600_000
/** Entries that one store lets go beyond twice what it brings: it catches up, and never takes long. */
const TRIMMED_MORE = 2_000

// The ids have the numbers of their entries, and outlive them.
const TABLES = `
  create table if not exists entries (
    number integer primary key, table_id integer, bytes integer not null,
    stored_at_ms integer not null, data text);
  create table if not exists ids (
    number integer primary key, event_id text not null unique, seen_at_ms integer not null);
  create table if not exists hubs (name text primary key, table_ids text not null);`

const TOTALS = 'totals'
/** In place of the data of a gap. */
const NEW_LIFE = 'new life'

interface Totals {
  entries: number
  bytes: number
  /** The number of the last entry that was let go, or that this log does not begin with. */
  trimmedTo: number
  /** The place in front of the first entry of this life of the database. */
  begunAt: number
}

/** Synchronous throughout: the runtime holds answers back until writes are durable. */
export class LogStorage {
  readonly #storage: DurableObjectStorage
  readonly #bounds: LogBounds

  constructor(storage: DurableObjectStorage, bounds: LogBounds = LOG_BOUNDS) {
    this.#storage = storage
    this.#bounds = bounds
    storage.sql.exec(TABLES)
    // A log of before may have handed out numbers: this one begins where none of them has come to.
    if (this.#storage.kv.get(TOTALS) === undefined) this.#storage.kv.put(TOTALS, emptyFrom(Date.now()))
  }

  get head(): number {
    const [row] = this.#run('select max(number) as head from entries')
    return Math.max(Number(row?.['head'] ?? 0), this.#totals().trimmedTo)
  }

  /** Keeps what is new, with a gap where changes may be missing. Answers the entries that came to be. */
  store({ epoch, gaps, changes }: NewChanges, nowMs: number): LogEntry[] {
    return this.#storage.transactionSync(() => {
      const totals = this.#totals()
      const stored: LogEntry[] = []
      const life = this.#lifeOf(epoch, gaps)
      const isNewLife = life === 'new'
      if (isNewLife) this.#clear(totals)
      const addGap = () => {
        const number = this.#insert(totals, null, isNewLife ? NEW_LIFE : null, nowMs)
        stored.push({ kind: 'gap', number, isNewLife })
      }
      if (isNewLife || life === 'after_gap') addGap()
      for (const change of changes) {
        if (this.#isKnown(change.event_id, nowMs)) continue
        const kept = withoutLargeRows(change)
        const number = this.#insert(totals, change.table_id, JSON.stringify(kept), nowMs)
        this.#run('insert into ids values (?, ?, ?)', number, change.event_id, nowMs)
        stored.push({ ...kept, kind: 'change', number })
      }
      // It was given up, and comes late: what is newer may stand before it, and clients may have it already.
      if (life === 'before_gap' && stored.length > 0) addGap()
      const trimmed = this.#trim(totals, 2 * stored.length + TRIMMED_MORE, nowMs)
      if (stored.length > 0 || trimmed) this.#storage.kv.put(TOTALS, totals)
      return stored
    })
  }

  /** A page may be empty and have more behind it. */
  read(after: number, tableIds: readonly number[]): LogReading {
    const { head } = this
    const { trimmedTo, begunAt } = this.#totals()
    if (after < begunAt || after > head) return 'another_life'
    if (after < trimmedTo) return 'too_old'
    const last = Math.min(head, after + PAGE_NUMBERS_MAX)
    const entries: LogEntry[] = []
    let bytes = 0
    const cursor = this.#storage.sql.exec(
      `select number, table_id, data, bytes from entries
        where number > ? and number <= ? and (table_id is null or table_id in (select value from json_each(?)))
        order by number`,
      ...[after, last, JSON.stringify(tableIds)],
    )
    for (const row of cursor) {
      bytes += Number(row['bytes'])
      const isFull = entries.length === PAGE_ENTRIES_MAX || (entries.length > 0 && bytes > PAGE_BYTES_MAX)
      if (isFull) return { entries, upTo: entries.at(-1)?.number ?? after, hasMore: true }
      entries.push(toEntry(row))
    }
    return { entries, upTo: last, hasMore: last < head }
  }

  follow(hub: string, tableIds: readonly number[]): void {
    if (tableIds.length === 0) this.forget(hub)
    else this.#run('insert or replace into hubs values (?, ?)', hub, JSON.stringify(tableIds))
  }

  forget(hub: string): void {
    this.#run('delete from hubs where name = ?', hub)
  }

  hubs(): { name: string; tableIds: number[] }[] {
    return this.#run('select name, table_ids from hubs').map(row => ({
      name: String(row['name']),
      tableIds: JSON.parse(String(row['table_ids'])) as number[],
    }))
  }

  state(): Pick<LogState, 'head' | 'oldestAfter' | 'oldestOccurredAt' | 'entries' | 'bytes' | 'hubs'> {
    const [oldest] = this.#run('select data from entries where table_id is not null order by number limit 1')
    const change = oldest && (JSON.parse(String(oldest['data'])) as NewChange)
    const { entries, bytes, trimmedTo } = this.#totals()
    return {
      head: this.head,
      oldestAfter: trimmedTo,
      oldestOccurredAt: change?.occurred_at ?? null,
      entries,
      bytes,
      hubs: this.hubs(),
    }
  }

  #totals(): Totals {
    return { ...emptyFrom(0), ...this.#storage.kv.get<Totals>(TOTALS) }
  }

  /**
   * Whether changes were missed in front of a share, or the database is another one; or whether the share itself is
   * older than what was missed. The first share of all is none of these.
   */
  #lifeOf(epoch: string, gaps: number): 'same' | 'new' | 'after_gap' | 'before_gap' {
    const known = this.#storage.kv.get<{ epoch: string; gaps: number }>('life')
    if (known?.epoch === epoch && known.gaps === gaps) return 'same'
    if (known?.epoch === epoch && known.gaps > gaps) return 'before_gap'
    this.#storage.kv.put('life', { epoch, gaps })
    if (known === undefined) return 'same'
    return known.epoch === epoch ? 'after_gap' : 'new'
  }

  #isKnown(eventId: string, nowMs: number): boolean {
    const sql = 'update ids set seen_at_ms = ? where event_id = ? returning 1'
    return this.#run(sql, nowMs, eventId).length > 0
  }

  #insert(totals: Totals, tableId: number | null, data: string | null, nowMs: number): number {
    const bytes = data === null ? 0 : encodeUtf8(data).byteLength
    // The first number of all is told by what was let go.
    const [row] = this.#run(
      `insert into entries (number, table_id, bytes, stored_at_ms, data)
        values ((select max(coalesce((select max(number) from entries), 0), ?) + 1), ?, ?, ?, ?) returning number`,
      ...[totals.trimmedTo, tableId, bytes, nowMs, data],
    )
    totals.entries += 1
    totals.bytes += bytes
    return Number(row?.['number'])
  }

  /** Entries of another database name its tables: nobody may be told them as those of this one. */
  #clear(totals: Totals): void {
    Object.assign(totals, emptyFrom(this.head))
    this.#run('delete from entries')
  }

  /** The oldest first, at most `most` of them. Answers whether any went. */
  #trim(totals: Totals, most: number, nowMs: number): boolean {
    const { entriesMax, bytesMax, keptMs } = this.#bounds
    const before = totals.trimmedTo
    // Read one by one: mostly the first says that nothing goes.
    const oldest = this.#storage.sql.exec(
      'select number, bytes, stored_at_ms from entries order by number limit ?',
      most,
    )
    for (const { number, bytes, stored_at_ms } of oldest) {
      const isOver =
        totals.entries > entriesMax || totals.bytes > bytesMax || Number(stored_at_ms) < nowMs - keptMs
      if (!isOver) break
      totals.entries -= 1
      totals.bytes -= Number(bytes)
      totals.trimmedTo = Number(number)
    }
    if (totals.trimmedTo > before) this.#run('delete from entries where number <= ?', totals.trimmedTo)
    this.#run(
      `delete from ids where number in (select number from ids where number <= ? order by number limit ?)
        and seen_at_ms < ?`,
      ...[totals.trimmedTo, most, nowMs - IDS_KEPT_MS],
    )
    return totals.trimmedTo > before
  }

  #run(sql: string, ...bindings: SqlStorageValue[]): Record<string, SqlStorageValue>[] {
    return this.#storage.sql.exec(sql, ...bindings).toArray()
  }
}

const emptyFrom = (place: number): Totals => ({ entries: 0, bytes: 0, trimmedTo: place, begunAt: place })

function toEntry(row: Record<string, SqlStorageValue>): LogEntry {
  const number = Number(row['number'])
  if (row['table_id'] === null) return { kind: 'gap', number, isNewLife: row['data'] === NEW_LIFE }
  return { ...(JSON.parse(String(row['data'])) as NewChange), kind: 'change', number } satisfies LoggedChange
}

function withoutLargeRows(change: NewChange): NewChange {
  const length = (change.row?.length ?? 0) + (change.old_row?.length ?? 0)
  if (length <= ROWS_LENGTH_MAX) return change
  return {
    ...change,
    row: null,
    old_row: null,
    error: `the row has more than ${ROWS_LENGTH_MAX} characters as JSON`,
  }
}
