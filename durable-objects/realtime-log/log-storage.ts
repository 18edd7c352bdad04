// What the log keeps in its SQLite: entries in their order, the ids of those that came lately, and which hub follows
// which tables. It grows to bounds and no further.

import type {
  LogEntry,
  LoggedChange,
  LogPage,
  LogReading,
  LogShare,
  LogState,
  NewChange,
} from '../../src/features/realtime/log/log-contract.ts'

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

/** A row of SQLite holds 2 MB. */
const ROWS_LENGTH_MAX = 512 * 1024
const PAGE_ENTRIES_MAX = 2_000
const PAGE_LENGTH_MAX = 2 * 1024 * 1024
/** So long a change that comes again is known: the listener sends what was not confirmed within minutes. */
const IDS_KEPT_MS = 3_600_000
/** Entries that go at a time, more than come: a store must not take long. */
const TRIMMED_MAX = 2_000

const TABLES = `
  create table if not exists entries (
    number integer primary key autoincrement, table_id integer, data text, length integer not null,
    stored_at_ms integer not null);
  create index if not exists entries_of_table on entries (table_id, number);
  create table if not exists ids (event_id text primary key, stored_at_ms integer not null) without rowid;
  create index if not exists ids_by_age on ids (stored_at_ms);
  create table if not exists hubs (name text primary key, table_ids text not null);`

interface Totals {
  entries: number
  length: number
  /** The number of the last entry that was let go; 0: none was. */
  trimmedTo: number
}

/** Synchronous throughout: the runtime holds answers back until writes are durable. */
export class LogStorage {
  readonly #storage: DurableObjectStorage
  readonly #bounds: LogBounds
  #totals: Totals

  constructor(storage: DurableObjectStorage, bounds: LogBounds = LOG_BOUNDS) {
    this.#storage = storage
    this.#bounds = bounds
    storage.sql.exec(TABLES)
    this.#totals = storage.kv.get<Totals>('totals') ?? { entries: 0, length: 0, trimmedTo: 0 }
  }

  get head(): number {
    const [row] = this.#run('select max(number) as head from entries')
    return Math.max(Number(row?.['head'] ?? 0), this.#totals.trimmedTo)
  }

  /** Keeps what is new, behind a gap where changes may be missing. Answers the entries that came to be. */
  store({ epoch, gaps, changes }: LogShare, nowMs: number): LogEntry[] {
    return this.#storage.transactionSync(() => {
      const stored: LogEntry[] = []
      if (this.#isGap(epoch, gaps)) stored.push({ kind: 'gap', number: this.#insert(null, null, nowMs) })
      for (const change of changes) {
        const isNew = this.#run('insert or ignore into ids values (?, ?) returning 1', change.event_id, nowMs)
        if (isNew.length === 0) continue
        const kept = withoutLargeRows(change)
        const number = this.#insert(change.table_id, JSON.stringify(kept), nowMs)
        stored.push({ ...kept, kind: 'change', number })
      }
      if (stored.length > 0) this.#trim(nowMs)
      return stored
    })
  }

  read(after: number, tableIds: readonly number[]): LogReading {
    const { head } = this
    if (after < this.#totals.trimmedTo || after > head) return 'too_old'
    const entries: LogEntry[] = []
    let length = 0
    const cursor = this.#storage.sql.exec(
      `select number, table_id, data, length from entries
        where number > ? and (table_id is null or table_id in (${tableIds.map(Number).join(',')}))
        order by number limit ${PAGE_ENTRIES_MAX + 1}`,
      after,
    )
    for (const row of cursor) {
      if (entries.length === PAGE_ENTRIES_MAX || length > PAGE_LENGTH_MAX) return pageOf(entries)
      length += Number(row['length'])
      entries.push(toEntry(row))
    }
    return { entries, upTo: head, hasMore: false }
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
    const [oldest] = this.#run('select data from entries where data is not null order by number limit 1')
    const change = oldest && (JSON.parse(String(oldest['data'])) as NewChange)
    return {
      head: this.head,
      oldestAfter: this.#totals.trimmedTo,
      oldestOccurredAt: change?.occurred_at ?? null,
      entries: this.#totals.entries,
      bytes: this.#totals.length,
      hubs: this.hubs(),
    }
  }

  /** Of another life of the database, or where changes passed the log by; not for the first share of all. */
  #isGap(epoch: string, gaps: number): boolean {
    const known = this.#storage.kv.get<{ epoch: string; gaps: number }>('life')
    const isSame = known?.epoch === epoch && known.gaps >= gaps
    if (!isSame) this.#storage.kv.put('life', { epoch, gaps })
    return known !== undefined && !isSame
  }

  #insert(tableId: number | null, data: string | null, nowMs: number): number {
    const length = data?.length ?? 0
    const [row] = this.#run(
      'insert into entries (table_id, data, length, stored_at_ms) values (?, ?, ?, ?) returning number',
      tableId,
      data,
      length,
      nowMs,
    )
    this.#totals.entries += 1
    this.#totals.length += length
    return Number(row?.['number'])
  }

  #trim(nowMs: number): void {
    const { entriesMax, bytesMax, keptMs } = this.#bounds
    const totals = this.#totals
    // Read one by one: mostly the first says that nothing goes.
    const oldest = this.#storage.sql.exec(
      `select number, length, stored_at_ms from entries order by number limit ${TRIMMED_MAX}`,
    )
    for (const { number, length, stored_at_ms } of oldest) {
      const isOver =
        totals.entries > entriesMax || totals.length > bytesMax || Number(stored_at_ms) < nowMs - keptMs
      if (!isOver) break
      totals.entries -= 1
      totals.length -= Number(length)
      totals.trimmedTo = Number(number)
    }
    this.#run('delete from entries where number <= ?', totals.trimmedTo)
    this.#run(
      `delete from ids where event_id in (
        select event_id from ids where stored_at_ms < ? order by stored_at_ms limit ${TRIMMED_MAX})`,
      nowMs - IDS_KEPT_MS,
    )
    this.#storage.kv.put('totals', totals)
  }

  #run(sql: string, ...bindings: SqlStorageValue[]): Record<string, SqlStorageValue>[] {
    return this.#storage.sql.exec(sql, ...bindings).toArray()
  }
}

function pageOf(entries: readonly LogEntry[]): LogPage {
  return { entries, upTo: entries.at(-1)?.number ?? 0, hasMore: true }
}

function toEntry(row: Record<string, SqlStorageValue>): LogEntry {
  const number = Number(row['number'])
  if (row['table_id'] === null) return { kind: 'gap', number }
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
