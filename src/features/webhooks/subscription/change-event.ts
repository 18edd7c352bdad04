// Turns a row change into an event for webhooks' objects, with the body that receivers get. Pure.

import type { RowChange } from '../../row-changes/consume/subscriber.ts'
import { positionOf } from '../delivery/event-identity.ts'
import type { FanoutEvent } from '../delivery/fanout-contract.ts'
import { type PayloadParts, payloadText } from '../delivery/payload.ts'

const encoder = new TextEncoder()

/** The event of a change whose rows are at hand. */
export function eventOf(change: RowChange): FanoutEvent {
  return withBody(change, change, change.error)
}

/** The receiver is told that there was a change, and why it cannot be shown. */
export function eventWithoutRows(change: RowChange, reason: string): FanoutEvent {
  return withBody(change, { row: null, old_row: null }, reason)
}

function withBody(
  change: RowChange,
  { row, old_row }: Pick<RowChange, 'row' | 'old_row'>,
  payload_error: string | null,
): FanoutEvent {
  const payload = payloadText({ ...factsOf(change), row, oldRow: old_row })
  return { ...eventWithoutBody(change), payload, bytes: encoder.encode(payload).length, payload_error }
}

export function eventWithoutBody({
  chunk,
  index,
  occurred_at_ms,
  key,
  old_key,
}: RowChange): Omit<FanoutEvent, 'payload' | 'bytes' | 'payload_error'> {
  return {
    position: positionOf(chunk.id, index),
    key,
    old_key,
    event_type: chunk.event,
    occurred_at_ms,
    request_id: chunk.request_id,
  }
}

/** What a body says of its chunk. */
export function factsOf({ chunk }: RowChange): Omit<PayloadParts, 'row' | 'oldRow'> {
  return {
    event: chunk.event,
    schema: chunk.table_schema,
    table: chunk.table_name,
    occurredAt: chunk.occurred_at,
  }
}
