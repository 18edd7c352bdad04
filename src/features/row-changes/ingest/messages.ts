// What the listener sends and the queue carries (docs/design/row-changes.md). Shared by both sides; types and limits
// only. What fails for its own content fails each time, so it must not get onto the queue: whatever consumers cannot
// take, these schemas refuse (NUL characters, which Postgres cannot store, are refused in every body).

import * as z from 'zod'

/**
 * The advisory lock that the active listener holds: `quoinL` in ASCII. Advisory locks are per database, so one number
 * serves all.
 */
export const LISTENER_LOCK_KEY = '124749194292812'

/** Where the Worker takes them. The path is signed: a proxy in between may not change it. */
export const INGEST_PATH = '/internal/row-changes'

export const RowEvent = z.enum(['INSERT', 'UPDATE', 'DELETE'])
export type RowEvent = z.infer<typeof RowEvent>

/** What a chunk tells of. TRUNCATE has one change without a row, for whoever follows the table as a whole. */
const ChunkEvent = z.enum([...RowEvent.options, 'TRUNCATE'])
export type ChunkEvent = z.infer<typeof ChunkEvent>

/**
 * One change of a chunk. The images are JSON texts as Postgres wrote them and are never parsed on the way: a bigint
 * or a numeric would lose digits. `error` stands in place of the images where they could not be made. `old_key`: the
 * key before, where an UPDATE changed it.
 */
export const Change = z.object({
  key: z.string().nullable(),
  old_key: z.string().nullable(),
  row: z.string().nullable(),
  old_row: z.string().nullable(),
  error: z.string().nullable(),
})
export type Change = z.infer<typeof Change>

/** Changes in one chunk of the outbox, at most: the trigger begins a new chunk after 1 000. */
export const CHANGES_PER_CHUNK_MAX = 1_024
/** Of Postgres' bigint. */
const CHUNK_ID_MAX = 2n ** 63n - 1n
const OID_MAX = 2 ** 32 - 1

export const Chunk = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d{0,18}$/, { abort: true })
    .refine(id => BigInt(id) <= CHUNK_ID_MAX, `must be a number up to ${CHUNK_ID_MAX}`),
  table_id: z.int().positive().max(OID_MAX),
  table_schema: z.string(),
  table_name: z.string(),
  event: ChunkEvent,
  occurred_at: z.iso.datetime({ offset: true }),
  request_id: z.string().nullable(),
  change_count: z.int().positive().max(CHANGES_PER_CHUNK_MAX),
  /** Null: too large for a message; the consumer reads the chunk from the outbox. */
  changes: z.array(Change).max(CHANGES_PER_CHUNK_MAX).nullable(),
})
export type Chunk = z.infer<typeof Chunk>

/** What goes onto the queue as one message; all of it is confirmed together. */
export const RowChangesMessage = z.object({
  /** Of the registry of who wants what (`quoin.webhook_registry`), as the listener's snapshot saw it. */
  registry_version: z.int().nonnegative(),
  chunks: z.array(Chunk).min(1),
})
export type RowChangesMessage = z.infer<typeof RowChangesMessage>

/** The body of `POST /internal/row-changes`. */
export const RowChangesIn = z.object({
  registry_version: z.int().nonnegative(),
  messages: z
    .array(z.object({ chunks: z.array(Chunk).min(1) }))
    .min(1)
    .max(100),
})
export type RowChangesIn = z.infer<typeof RowChangesIn>

/** A queue takes 128 000 bytes a message; the rest is for the queue's own encoding. */
export const MESSAGE_BYTES_MAX = 100_000
/** Of a message's chunks: `{"registry_version":n,"chunks":[...]}` is around them. */
export const MESSAGE_CHUNKS_BYTES_MAX = MESSAGE_BYTES_MAX - 64
/** A chunk of more bytes than this travels without its changes. */
export const INLINE_CHANGES_BYTES_MAX = 64 * 1024
/** Bytes of one ingest request. */
export const INGEST_BYTES_MAX = 4 * 1024 * 1024
/** JSON values of one ingest request: the smallest change that the listener sends takes six, and more than 60 bytes. */
export const INGEST_VALUES_MAX = 400_000
