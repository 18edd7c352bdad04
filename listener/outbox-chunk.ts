/**
 * Owns turning a row of the outbox into a chunk of a message, and deciding whether its changes go along. Pure.
 */
import {
  type Change,
  type Chunk,
  MESSAGE_CHUNKS_BYTES_MAX,
} from '../src/features/row-changes/ingest/messages.ts'
import { tableKey } from './chunk-keys.ts'
import type { WaitingChunk } from './window.ts'

/** A row as the look's statement answers it; `changes` is null when the chunk is too large to be read. */
export interface OutboxRow extends Chunk {
  readonly keys: string[] | null
  readonly changes_bytes: number
}

/** What a key takes in memory beside its characters. */
export const KEY_OVERHEAD_BYTES = 64

/** Escaping may double the images, so a chunk that was small enough to read may still have to go without them. */
export function chunkOf(row: OutboxRow): WaitingChunk {
  const whole = JSON.stringify(wireChunk(row, row.changes))
  const wholeBytes = Buffer.byteLength(whole)
  const isInline = row.changes !== null && wholeBytes < MESSAGE_CHUNKS_BYTES_MAX
  const text = isInline ? whole : JSON.stringify(wireChunk(row, null))
  const keys = row.keys?.map(key => tableKey(row.table_id, key)) ?? null
  const keyBytes = keys?.reduce((sum, key) => sum + key.length + KEY_OVERHEAD_BYTES, 0) ?? 0
  return {
    id: BigInt(row.id),
    tableId: row.table_id,
    keys,
    text,
    changeCount: row.change_count,
    bytes: isInline ? wholeBytes : Buffer.byteLength(text),
    referencedBytes: isInline ? 0 : row.changes_bytes,
    heldBytes: text.length + keyBytes,
  }
}

function wireChunk(row: OutboxRow, changes: Change[] | null): Chunk {
  const { id, table_id, table_schema, table_name, event, occurred_at, request_id, change_count } = row
  return { id, table_id, table_schema, table_name, event, occurred_at, request_id, change_count, changes }
}
