// What an ApiKeyLimiter keeps in its SQLite: the facts about its key, and the buckets of its window. No decisions.
// Nothing is created before there is something to keep: an object of an unknown key must leave no trace.

import type { LimiterFacts } from '../src/features/api-keys/limit/limiter-state.ts'
import { type Bucket, WINDOW_MS, type WindowJournal } from '../src/features/api-keys/limit/window.ts'

const FACTS = 'facts'

/** Synchronous throughout: the runtime holds answers back until writes are durable, so nothing here is awaited. */
export class LimiterStorage implements WindowJournal {
  readonly #storage: DurableObjectStorage
  #hasTable: boolean

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#hasTable = this.readFacts() !== undefined
  }

  readFacts(): LimiterFacts | undefined {
    return this.#storage.kv.get<LimiterFacts>(FACTS)
  }

  writeFacts(facts: LimiterFacts): void {
    this.#storage.kv.put(FACTS, facts)
    if (this.#hasTable) return
    this.#storage.sql.exec(
      'create table if not exists window_buckets (end_ms integer primary key, count integer not null)',
    )
    this.#hasTable = true
  }

  readBuckets(): Bucket[] {
    if (!this.#hasTable) return []
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

  /** Removes the buckets that no longer count at `nowMs`. */
  clearExpired(nowMs: number): void {
    if (this.#hasTable)
      this.#storage.sql.exec('delete from window_buckets where end_ms <= ?', nowMs - WINDOW_MS)
  }

  /** Forgets everything, tables included. */
  async clear(): Promise<void> {
    this.#hasTable = false
    await this.#storage.deleteAll()
  }
}
