// What the listener sends, for tests of what takes it.

import type { Change, Chunk } from '../../src/features/row-changes/ingest/messages.ts'

/** An UPDATE of key 1. */
export const CHANGE: Change = {
  key: '["1"]',
  old_key: null,
  row: '{"id":1}',
  old_row: '{"id":1}',
  error: null,
}

/** A chunk of one change, of the table with the oid 1. */
export const CHUNK: Chunk = {
  id: '1',
  table_id: 1,
  table_schema: 'public',
  table_name: 'todos',
  event: 'UPDATE',
  occurred_at: '2026-01-01T00:00:00.000Z',
  request_id: null,
  change_count: 1,
  changes: [CHANGE],
}
