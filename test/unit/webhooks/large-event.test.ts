// What becomes of a change whose body is too large for one call, and of one that is too large to be sent at all.

import { describe, expect, it } from 'vitest'
import type { ChunkFacts, RowChange } from '../../../src/features/row-changes/consume/subscriber.ts'
import {
  PAYLOAD_BYTES_MAX,
  type PayloadPiece,
} from '../../../src/features/webhooks/delivery/fanout-contract.ts'
import { storeLarge } from '../../../src/features/webhooks/subscription/large-event.ts'

const MIB = 1024 * 1024
const CHUNK: ChunkFacts = {
  id: '7',
  table_id: 1,
  table_schema: 'public',
  table_name: 'files',
  event: 'INSERT',
  occurred_at: '2026-01-01T00:00:00.000Z',
  request_id: 'request-1',
}
const WITHOUT_ROWS =
  '{"event":"INSERT","schema":"public","table":"files","row":null,"old_row":null,' +
  '"timestamp":"2026-01-01T00:00:00.000Z"}'

/** Hands one change over whose row has so many bytes for Postgres, and is `image` when it is read. */
async function handOver(bytes: number, image: string) {
  let isRead = false
  const large = {
    bytes,
    async *read() {
      isRead = true
      yield image
    },
  }
  const change: RowChange = {
    chunk: CHUNK,
    index: 0,
    occurred_at_ms: Date.parse(CHUNK.occurred_at),
    key: '["1"]',
    old_key: null,
    row: null,
    old_row: null,
    error: null,
    large,
  }
  const pieces: PayloadPiece[] = []
  const event = await storeLarge(change, large, async piece => {
    pieces.push(piece)
  })
  return { event, pieces, isRead }
}

describe('a change with a large image', () => {
  it('is handed over in pieces, which are its body', async () => {
    const image = `{"text":"${'é'.repeat(MIB)}"}`
    const { event, pieces } = await handOver(Buffer.byteLength(image), image)
    const body = pieces.map(piece => piece.text).join('')
    expect(body).toBe(WITHOUT_ROWS.replace('null', () => image))
    expect(event).toMatchObject({
      payload: null,
      payload_error: null,
      bytes: Buffer.byteLength(body),
      key: '["1"]',
    })
  })

  // A receiver that heard nothing of it could not know that it misses something.
  it('that is too large to be sent is sent without it, and with the reason', async () => {
    const { event, pieces, isRead } = await handOver(PAYLOAD_BYTES_MAX, 'not read')
    expect(event).toMatchObject({
      payload: WITHOUT_ROWS,
      bytes: WITHOUT_ROWS.length,
      payload_error: 'the body is larger than 16777216 bytes',
      key: '["1"]',
      request_id: 'request-1',
    })
    expect([pieces, isRead]).toEqual([[], false])
  })

  // Postgres counts the bytes of its own encoding, which may be fewer.
  it('is not sent with it either where only reading shows how large it is', async () => {
    const { event } = await handOver(2 * MIB, 'é'.repeat(PAYLOAD_BYTES_MAX / 2))
    expect(event).toMatchObject({ payload: WITHOUT_ROWS, payload_error: expect.stringContaining('larger') })
  })
})
