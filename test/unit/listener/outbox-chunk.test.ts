import { expect, it } from 'vitest'
import { chunkOf, type OutboxRow } from '../../../listener/outbox-chunk.ts'
import { Chunk, MESSAGE_CHUNKS_BYTES_MAX } from '../../../src/features/row-changes/ingest/messages.ts'

const ROW: OutboxRow = {
  id: '8796093022207',
  table_id: 16_402,
  table_schema: 'public',
  table_name: 'todos',
  event: 'INSERT',
  occurred_at: '2026-01-01T00:00:00.000Z',
  request_id: null,
  keys: ['["1"]'],
  change_count: 1,
  changes_bytes: 20,
  changes: [{ key: '["1"]', old_key: null, row: '{"id":1}', old_row: null, error: null }],
}

it('makes of a row what the agreement says, counting bytes and not characters', () => {
  const chunk = chunkOf({ ...ROW, table_name: 'tschüß' })
  expect(Chunk.strict().parse(JSON.parse(chunk.text))).toMatchObject({ id: ROW.id, changes: ROW.changes })
  expect(chunk).toMatchObject({
    id: 8_796_093_022_207n,
    bytes: Buffer.byteLength(chunk.text),
    referencedBytes: 0,
  })
})

it('sends a chunk without its changes when they were not read, or grow too large by escaping', () => {
  const row = JSON.stringify('"'.repeat(30_000))
  const quotes = [{ key: null, old_key: null, row, old_row: null, error: null }]
  for (const changes of [null, quotes]) {
    const chunk = chunkOf({ ...ROW, changes_bytes: 60_000, changes })
    expect(JSON.parse(chunk.text).changes).toBeNull()
    expect(chunk.referencedBytes).toBe(60_000)
    expect(chunk.bytes).toBeLessThan(MESSAGE_CHUNKS_BYTES_MAX)
  }
})
