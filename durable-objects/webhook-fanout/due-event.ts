// An event that waits in a WebhookFanout, as it is read out of SQLite.

import { textOrNull } from './sql-rows.ts'

export interface DueEvent {
  position: string
  eventType: string
  /** The body is kept in pieces, apart from the event: it is large. */
  isInPieces: boolean
  bytes: number
  occurredAtMs: number
  requestId: string | null
  payloadError: string | null
  replayOf: string | null
  attempts: number
  storedAtMs: number
  /** The body where it is short enough to be read along; null: `body` of the storage has it. */
  payload: string | null
}

/** Columns of `events` that a DueEvent has as they are. */
export const EVENT_COLUMNS =
  'position, event_type, bytes, occurred_at_ms, request_id, payload_error, replay_of, attempts, stored_at_ms'
/** Longer bodies are read one by one. */
const READ_ALONG_BYTES_MAX = 32 * 1024
/** What `dueEventOf` needs of `events`. */
export const DUE_EVENT = `${EVENT_COLUMNS}, payload is null as in_pieces,
  case when bytes <= ${READ_ALONG_BYTES_MAX} then payload end as payload`

export function dueEventOf(row: Record<string, unknown>): DueEvent {
  return {
    position: String(row['position']),
    eventType: String(row['event_type']),
    isInPieces: row['in_pieces'] === 1,
    bytes: Number(row['bytes']),
    occurredAtMs: Number(row['occurred_at_ms']),
    requestId: textOrNull(row['request_id']),
    payloadError: textOrNull(row['payload_error']),
    replayOf: textOrNull(row['replay_of']),
    attempts: Number(row['attempts']),
    storedAtMs: Number(row['stored_at_ms']),
    payload: textOrNull(row['payload']),
  }
}
