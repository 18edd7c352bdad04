// What a consumer of row changes is: it says who of it wants a chunk, and renders its own messages. It knows the
// stream, and the stream knows nothing of it. docs/design/row-changes.md, "A subscriber", shows one.

import type { Chunk } from '../ingest/messages.ts'

/**
 * Whoever is told of row changes: an entry in `deps.ts`. The triggers of its tables come with `quoin.apply_watch`,
 * which reads the view `quoin.watches`: another one's tables are to be named there.
 */
export interface RowChangeSubscriber {
  /** As logs call it. */
  readonly name: string
  /**
   * Told of the chunks of messages of which something passes it by: it failed, or answered `gave_up`, or the ten
   * seconds were over that a batch waits for it. Some of their changes may be stored all the same. It tells its
   * clients. Null: it never gives up, and a chunk stays in the outbox until it is stored.
   */
  readonly gaveUp: ((chunks: readonly Chunk[]) => Promise<void>) | null
  /**
   * Who of it wants the changes of this chunk, by what is registered now. `registryVersion` is what the writer of the
   * message saw: throws where only something older can be read.
   */
  recipientsOf(chunk: Chunk, registryVersion: number): Promise<readonly Recipient[]>
  /**
   * Brings its records of tables to what these are by now (renamed, dropped and made again), every minute, before
   * triggers are repaired. Answers the tables that were busy or failed, with the error.
   */
  followTables(): Promise<ReadonlyMap<number, unknown>>
}

export interface Recipient {
  /** Tells it from the subscriber's others: changes for one id may come together. */
  readonly id: string
  /**
   * Keeps these changes for good, once each: what was not confirmed comes again. Bounds its calls to ten seconds each.
   */
  store(changes: readonly RowChange[]): Promise<'stored' | 'gave_up'>
}

/** One change. Its rows are JSON texts as Postgres wrote them, and are never parsed: numbers would lose digits. */
export interface RowChange {
  readonly chunk: ChunkFacts
  /** In the chunk, from 0: with the chunk's id what a change is known by, and its place in the order of all changes. */
  readonly index: number
  /** When the trigger ran: `occurred_at` of the chunk. */
  readonly occurred_at_ms: number
  /** Changes with a key in common have an order. Null: has its key in common with all of its table. */
  readonly key: string | null
  /** Of an UPDATE that changed its row's key, the key before; else null. */
  readonly old_key: string | null
  readonly row: string | null
  readonly old_row: string | null
  /** Why there are no rows although there was one; null: there are. */
  readonly error: string | null
  /** Rows that are too large to hold: then `row` and `old_row` are null. */
  readonly large: LargeRows | null
}

/** What a chunk says of all its changes. */
export type ChunkFacts = Omit<Chunk, 'changes' | 'change_count'>

export interface LargeRows {
  /** Of both rows, in Postgres' encoding. */
  readonly bytes: number
  /** A row part by part, a few megabytes each; nothing is held. */
  read(which: 'new' | 'old'): AsyncIterable<string>
}
