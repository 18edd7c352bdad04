// Turns a chunk's changes into events for fan-outs: the body of each is made once, whoever gets it. Pure.

import { positionOf } from '../../webhooks/delivery/event-identity.ts'
import type { FanoutEvent } from '../../webhooks/delivery/fanout-contract.ts'
import { type PayloadParts, payloadText } from '../../webhooks/delivery/payload.ts'
import type { Change, Chunk } from '../ingest/messages.ts'

const encoder = new TextEncoder()

/** The chunk's events, in order. */
export function eventsOf(chunk: Chunk, changes: readonly Change[], firstIndex = 0): FanoutEvent[] {
  return changes.map((change, offset) => {
    const payload = payloadText({ ...factsOf(chunk), row: change.row, oldRow: change.old_row })
    return {
      ...eventWithoutBody(chunk, firstIndex + offset, change),
      payload,
      bytes: encoder.encode(payload).length,
      payload_error: change.error,
    }
  })
}

export function eventWithoutBody(
  chunk: Chunk,
  index: number,
  { key, old_key }: Pick<Change, 'key' | 'old_key'>,
): Omit<FanoutEvent, 'payload' | 'bytes' | 'payload_error'> {
  return {
    position: positionOf(chunk.id, index),
    key,
    old_key,
    event_type: chunk.event,
    occurred_at_ms: Date.parse(chunk.occurred_at),
    request_id: chunk.request_id,
  }
}

/** What a body says of its chunk. */
export function factsOf(chunk: Chunk): Omit<PayloadParts, 'row' | 'oldRow'> {
  return {
    event: chunk.event,
    schema: chunk.table_schema,
    table: chunk.table_name,
    occurredAt: chunk.occurred_at,
  }
}
