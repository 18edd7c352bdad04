// What an ApiKeyLimiter keeps in its SQLite: the facts about its key, the buckets of its window, and the minutes that
// these add up to. No decisions. Nothing is created before there is something to keep: an object of an unknown key must
// leave no trace.

import type { LimiterFacts } from '../src/features/api-keys/limit/limiter-state.ts'
import { type Bucket, WINDOW_MS, type WindowJournal } from '../src/features/api-keys/limit/window.ts'
import type { UsedMinute } from '../src/features/usage/usage-row.ts'

const FACTS = 'facts'
const COUNTED = 'counted'

/** Whose requests the minutes are, up to which minute (since 1970) the buckets are in them, and their sum so far. */
export interface Counted {
  keyId: string
  keyHash: string
  minute: number
  total: number
}

const TABLES = `
  create table if not exists window_buckets (end_ms integer primary key, count integer not null);
  create table if not exists adopted_buckets (end_ms integer primary key, count integer not null);
  create table if not exists used_minutes (minute integer primary key, requests integer not null);`

/** Synchronous throughout: the runtime holds answers back until writes are durable, so nothing here is awaited. */
export class LimiterStorage implements WindowJournal {
  readonly #storage: DurableObjectStorage
  #hasTables = false

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    if (this.readFacts() !== undefined || this.readCounted() !== undefined) this.#makeTables()
  }

  readFacts(): LimiterFacts | undefined {
    return this.#storage.kv.get<LimiterFacts>(FACTS)
  }

  writeFacts(facts: LimiterFacts): void {
    this.#storage.kv.put(FACTS, facts)
    this.#makeTables()
  }

  readCounted(): Counted | undefined {
    return this.#storage.kv.get<Counted>(COUNTED)
  }

  readBuckets(): Bucket[] {
    if (!this.#hasTables) return []
    const rows = this.#storage.sql.exec<{ end_ms: number; count: number }>(
      'select end_ms, count from window_buckets',
    )
    return Array.from(rows, row => ({ endMs: row.end_ms, count: row.count }))
  }

  write(endMs: number, count: number): void {
    this.#storage.sql.exec(
      'insert or replace into window_buckets (end_ms, count) values (?, ?)',
      endMs,
      count,
    )
  }

  /** Notes that these requests, which the window is about to take over, are counted by another limiter. */
  noteAdopted(buckets: readonly Bucket[]): void {
    for (const { endMs, count } of buckets) {
      this.#storage.sql.exec(
        `insert into adopted_buckets (end_ms, count) values (?, ?)
          on conflict (end_ms) do update set count = count + excluded.count`,
        endMs,
        count,
      )
    }
  }

  /** Adds the buckets up to whole minutes, to the end of `counted.minute`; each bucket once, in one write. */
  countUsage(counted: Omit<Counted, 'total'>): void {
    if (!this.#hasTables) return
    const { minute: before, total } = this.readCounted() ?? { minute: 0, total: 0 }
    if (before >= counted.minute) return
    this.#storage.sql.exec(
      `insert into used_minutes (minute, requests)
        select minute, sum(count) from (
          select (end_ms - 1) / 60000 as minute, count from window_buckets
          union all select (end_ms - 1) / 60000, -count from adopted_buckets)
        where minute > ? and minute <= ? group by minute having sum(count) > 0`,
      before,
      counted.minute,
    )
    const { added } = this.#storage.sql
      .exec<{ added: number }>(
        'select coalesce(sum(requests), 0) as added from used_minutes where minute > ? and minute <= ?',
        before,
        counted.minute,
      )
      .one()
    this.#storage.kv.put(COUNTED, { ...counted, total: total + added })
  }

  /** The minutes that nobody was told of yet, at most a day of them, oldest first. */
  readUsedMinutes(): UsedMinute[] {
    if (!this.#hasTables) return []
    return this.#storage.sql
      .exec<{ minute: number; requests: number }>(
        'select minute, requests from used_minutes order by minute limit 1440',
      )
      .toArray()
  }

  /** Whether anything is left that has to be counted or told. */
  isUsed(): boolean {
    if (!this.#hasTables) return false
    const { n } = this.#storage.sql
      .exec<{ n: number }>(
        'select exists(select 1 from window_buckets) or exists(select 1 from used_minutes) as n',
      )
      .one()
    return n === 1
  }

  /** Forgets the minutes up to this one: somebody else has them. */
  clearUsedMinutes(minute: number): void {
    this.#storage.sql.exec('delete from used_minutes where minute <= ?', minute)
  }

  /** Removes the buckets that no longer count at `nowMs` and are in the minutes. */
  clearExpired(nowMs: number): void {
    if (!this.#hasTables) return
    const countedMs = ((this.readCounted()?.minute ?? -1) + 1) * 60_000
    const endMs = Math.min(nowMs - WINDOW_MS, countedMs)
    this.#storage.sql.exec('delete from window_buckets where end_ms <= ?', endMs)
    this.#storage.sql.exec('delete from adopted_buckets where end_ms <= ?', endMs)
  }

  /** Forgets the key and its window; what it used stays until it is told. */
  clearKey(): void {
    this.#storage.kv.delete(FACTS)
    if (!this.#hasTables) return
    this.#storage.sql.exec('delete from window_buckets; delete from adopted_buckets')
  }

  /** Forgets everything, tables included. */
  async clear(): Promise<void> {
    this.#hasTables = false
    await this.#storage.deleteAll()
  }

  #makeTables(): void {
    if (this.#hasTables) return
    this.#storage.sql.exec(TABLES)
    this.#hasTables = true
  }
}
