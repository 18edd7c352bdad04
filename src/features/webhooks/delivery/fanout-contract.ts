// What a `WebhookFanout` can be told and asked, and the events it is handed. Types only, so that features and routes
// know no Durable Object.

import type { ChunkEvent, RowEvent } from '../../row-changes/ingest/messages.ts'
import type { AttemptError } from './send-attempt.ts'
import type { WebhookRow } from './webhook-row.ts'

/** `event_type` of a log entry. */
export type DeliveredEvent = RowEvent | 'TEST'

/** What headers say of an event. It is kept with whatever can be sent again, which says it then too. */
export interface EventNotes {
  /** Of the request that made the change; null where none did. */
  request_id: string | null
  /** Why there are no images although there was a row; null: there are. */
  payload_error: string | null
}

/** One change for one webhook, ready to be sent. */
export interface FanoutEvent extends EventNotes {
  /** `positionOf(chunk, index)`: identity and order. */
  position: string
  /**
   * Events with a key in common are delivered in the order of their positions. Null: has its key in common with all.
   */
  key: string | null
  /**
   * Of an UPDATE that changed its row's key, the key before: the event has both. Else null, and always where `key`
   * is.
   */
  old_key: string | null
  event_type: ChunkEvent
  occurred_at_ms: number
  /** The body; null: it was handed over in pieces before. */
  payload: string | null
  /** UTF-8 bytes of the body, PAYLOAD_BYTES_MAX at most. */
  bytes: number
}

/** Part of a body that is too large for one call or one row. */
export interface PayloadPiece {
  position: string
  occurred_at_ms: number
  number: number
  text: string
}

/** What one webhook gets out of some messages. */
export interface EventShare {
  /** The webhook's version as whoever matched it saw it: an object that knows an older one reads its row again. */
  version: number
  events: FanoutEvent[]
}

/** A logged delivery that is to be sent again. */
export interface LoggedDelivery extends EventNotes {
  id: string
  event_id: string | null
  event_type: DeliveredEvent
  /** The `webhook-id` that it was sent under. */
  webhook_message_id: string
  payload: string
}

/** What one attempt came to, as the endpoints answer it. */
export interface DeliveryAttempt {
  ok: boolean
  status_code: number | null
  latency_ms: number
  response_body: string | null
  error: AttemptError | null
  /** Id of its log entry. */
  log_id: string
}

/** What a webhook's object has stored and not delivered. */
export interface WaitingEvents {
  /** Counted up to 100 000. */
  count: number
  /** When the oldest change among them was made; null: none waits. */
  oldest_at_ms: number | null
  /** Now at the earliest; null: none waits, or the webhook is paused. */
  next_attempt_at_ms: number | null
}

/** The object of one webhook, named by the webhook's id. */
export interface WebhookFanout {
  /** Keeps the events for good, once each, and begins to send. `gone`: the webhook is deleted, nothing was kept. */
  store(share: EventShare): Promise<'stored' | 'gone'>
  /** Keeps a piece of the body of an event that `store` will name. Safe to repeat. */
  storePiece(version: number, piece: PayloadPiece): Promise<'stored' | 'gone'>
  /**
   * The webhook was created or changed: told right after the change is in the database. An older row changes nothing.
   */
  learn(row: WebhookRow): Promise<void>
  /** The webhook was deleted: nothing more is sent, everything kept here is forgotten. */
  removed(): Promise<void>
  /** Sends an example payload, once, also while paused. Undefined: the webhook is deleted. */
  sendTest(): Promise<DeliveryAttempt | undefined>
  /**
   * Sends a logged payload again, once, freshly signed, under its own webhook-id. Undefined: the webhook is deleted.
   * When it arrives, an event that still waits here has arrived too.
   */
  replay(logged: LoggedDelivery): Promise<DeliveryAttempt | undefined>
  /**
   * Tries again what has failed since that time (ISO 8601) and was not delivered, with all attempts before it, and
   * answers how much that is. Events that wait for their next attempt are due at once, in the order of their keys.
   * Unresolved dead letters that were given up between then and now come back into the queue, in no order. Some come at
   * once and the others by themselves. Delivered ones become resolved, those without a payload stay. The answer counts
   * up to 100 000 of them, and none that is in the queue or on its way there already.
   */
  replayFailed(since: string): Promise<number>
  /** What waits here. Reads only, no database either: an object that had no event stays without a trace. */
  waiting(): Promise<WaitingEvents>
}

export interface WebhookFanouts {
  byId(webhookId: string): WebhookFanout
}

/** A body over this is not sent: an isolate has 128 MB for all it does. */
export const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024
/** A body over this comes and is kept in pieces: a row of the object's database holds 2 MB at most. */
export const WHOLE_PAYLOAD_BYTES_MAX = 1024 * 1024
/** Characters (code points, 4 bytes at most) of a piece. */
export const PIECE_CHARACTERS = 250_000
