// Hands a change whose body is too large for one call to its webhooks, piece by piece: read, handed on, forgotten.

import type { LargeRows, RowChange } from '../../row-changes/consume/subscriber.ts'
import {
  type FanoutEvent,
  PAYLOAD_BYTES_MAX,
  type PayloadPiece,
  PIECE_CHARACTERS,
} from '../delivery/fanout-contract.ts'
import { payloadFrame } from '../delivery/payload.ts'
import { eventWithoutBody, eventWithoutRows, factsOf } from './change-event.ts'

const encoder = new TextEncoder()

/**
 * The event, its pieces handed to `store` before. A body that is too large to be sent has no rows in it (Decision
 * 104). Throws what reading the rows throws.
 */
export async function storeLarge(
  change: RowChange,
  large: LargeRows,
  store: (piece: PayloadPiece) => Promise<void>,
): Promise<FanoutEvent> {
  const event = { ...eventWithoutBody(change), payload: null, payload_error: change.error }
  const withoutRows = eventWithoutRows(change, `the body is larger than ${PAYLOAD_BYTES_MAX} bytes`)
  if (large.bytes + withoutRows.bytes > PAYLOAD_BYTES_MAX) return withoutRows
  let [number, bytes] = [0, 0]
  for await (const part of bodyParts(change, large)) {
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

async function* bodyParts(change: RowChange, large: LargeRows): AsyncGenerator<string> {
  const { beforeRow, betweenRows, afterRows } = payloadFrame(factsOf(change))
  yield beforeRow
  yield* large.read('new')
  yield betweenRows
  if (change.chunk.event === 'INSERT') yield 'null'
  else yield* large.read('old')
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
