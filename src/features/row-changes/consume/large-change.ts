// Hands a change whose body is too large for one call to its webhooks, piece by piece: read, handed on, forgotten.

import type { PlatformDatabase } from '../../../db/database.ts'
import {
  type FanoutEvent,
  PAYLOAD_BYTES_MAX,
  type PayloadPiece,
  PIECE_CHARACTERS,
} from '../../webhooks/delivery/fanout-contract.ts'
import { payloadFrame, payloadText } from '../../webhooks/delivery/payload.ts'
import type { Chunk } from '../ingest/messages.ts'
import { eventWithoutBody, factsOf } from './chunk-events.ts'
import { type ChangeFacts, readImage } from './outbox.ts'

const encoder = new TextEncoder()

/**
 * The event, its pieces handed to `store` before. A body that is too large to be sent has no rows in it (Decision
 * 104).
 */
export async function handOverLarge(
  platform: Pick<PlatformDatabase, 'texts'>,
  chunk: Chunk,
  change: ChangeFacts,
  store: (piece: PayloadPiece) => Promise<void>,
): Promise<FanoutEvent> {
  const event = {
    ...eventWithoutBody(chunk, change.index, change),
    payload: null,
    payload_error: change.error,
  }
  const withoutRows = eventWithoutRows(chunk, change)
  if (change.bytes + withoutRows.bytes > PAYLOAD_BYTES_MAX) return withoutRows
  let [number, bytes] = [0, 0]
  for await (const part of bodyParts(platform, chunk, change)) {
    for (const text of piecesOf(part)) {
      await store({ position: event.position, occurred_at_ms: event.occurred_at_ms, number, text })
      number += 1
      bytes += encoder.encode(text).length
    }
    // Postgres counts in its own encoding, which may take less. What is stored by now is forgotten in time.
    if (bytes > PAYLOAD_BYTES_MAX) return withoutRows
  }
  return { ...event, bytes }
}

/** The receiver is told that there was a change, and why it cannot be shown. */
function eventWithoutRows(chunk: Chunk, change: ChangeFacts): FanoutEvent {
  const payload = payloadText({ ...factsOf(chunk), row: null, oldRow: null })
  const payload_error = `the body is larger than ${PAYLOAD_BYTES_MAX} bytes`
  const bytes = encoder.encode(payload).length
  return { ...eventWithoutBody(chunk, change.index, change), payload, bytes, payload_error }
}

async function* bodyParts(
  platform: Pick<PlatformDatabase, 'texts'>,
  chunk: Chunk,
  { index }: ChangeFacts,
): AsyncGenerator<string> {
  const { beforeRow, betweenRows, afterRows } = payloadFrame(factsOf(chunk))
  yield beforeRow
  yield* readImage(platform, chunk.id, index, 'new')
  yield betweenRows
  if (chunk.event === 'INSERT') yield 'null'
  else yield* readImage(platform, chunk.id, index, 'old')
  yield afterRows
}

/** Never between the two halves of a character. */
export function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + PIECE_CHARACTERS)
    const last = text.charCodeAt(to - 1)
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to -= 1
    yield text.slice(from, to)
    from = to
  }
}
