// Attempts and dead letters on their way into Postgres, many in one statement. The ids are given by the sender, so
// that a batch that is written twice is there once.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { DeliveredEvent, EventNotes } from './fanout-contract.ts'
import type { AttemptError } from './send-attempt.ts'

/** One attempt, without its payload. */
export interface DeliveryRecord extends EventNotes {
  id: string
  webhook_id: string
  /** `<chunk>.<index>`; null for a test. */
  event_id: string | null
  webhook_message_id: string
  event_type: DeliveredEvent
  status_code: number | null
  response_body: string | null
  error: AttemptError | null
  latency_ms: number
  attempt: number
  /** The log entry or dead letter that was sent again. */
  replay_of: string | null
  created_at: string
}

/** Why an event was given up. */
export const DEAD_LETTER_REASONS = ['attempts_exhausted', 'kept_too_long'] as const
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number]

/** An event that was given up. */
export interface DeadLetterRecord extends EventNotes {
  id: string
  webhook_id: string
  event_id: string
  reason: DeadLetterReason
  created_at: string
}

/**
 * Adds attempts to the log; those that are there already stay as they are. A body that was kept in pieces (over
 * WHOLE_PAYLOAD_BYTES_MAX) is not kept in the log: its payload is empty there.
 */
export async function insertDeliveries(
  platform: PlatformDatabase,
  deliveries: readonly (DeliveryRecord & { payload: string })[],
): Promise<void> {
  await platform.query(
    `insert into quoin.webhook_deliveries (id, webhook_id, event_id, webhook_message_id, event_type, payload,
        status_code, response_body, error, latency_ms, attempt, replay_of, request_id, payload_error, created_at)
      select id, webhook_id, event_id, webhook_message_id, event_type, payload,
        status_code, response_body, error, latency_ms, attempt, replay_of, request_id, payload_error, created_at
      from pg_catalog.json_populate_recordset(null::quoin.webhook_deliveries, $1::json)
      on conflict (id) do nothing returning id`,
    [JSON.stringify(deliveries)],
  )
}

/**
 * Adds a dead letter; one that is there already stays as it is. Null: its body follows in parts, or there is none to
 * keep.
 */
export async function insertDeadLetter(
  platform: PlatformDatabase,
  letter: DeadLetterRecord,
  payload: string | null,
): Promise<void> {
  await platform.query(
    `insert into quoin.dead_letters (id, webhook_id, event_id, reason, request_id, payload_error, created_at, payload)
      select id, webhook_id, event_id, reason, request_id, payload_error, created_at, $2
      from pg_catalog.json_populate_record(null::quoin.dead_letters, $1::json)
      on conflict (id) do nothing returning id`,
    [JSON.stringify(letter), payload],
  )
}

/**
 * Keeps a part of a body that is too large for one statement, where no reader of dead letters sees it. Safe to
 * repeat.
 */
export async function insertDeadLetterPart(
  platform: PlatformDatabase,
  id: string,
  number: number,
  text: string,
): Promise<void> {
  await platform.query(
    `insert into quoin.dead_letter_parts (dead_letter_id, number, text) values ($1::uuid, $2::int, $3)
      on conflict do nothing returning number`,
    [id, String(number), text],
  )
}

/** Gives a dead letter the body that its parts make, all of them; one that has its body keeps it. Safe to repeat. */
export async function joinDeadLetterParts(platform: PlatformDatabase, id: string): Promise<void> {
  await platform.texts(
    `with parts as (delete from quoin.dead_letter_parts where dead_letter_id = $1::uuid returning number, text)
      update quoin.dead_letters set payload = (select pg_catalog.string_agg(text, '' order by number) from parts)
      where id = $1::uuid and payload is null returning id`,
    [id],
  )
}

/** Notes that dead letters were delivered after all. */
export async function resolveDeadLetters(
  platform: Pick<PlatformDatabase, 'query'>,
  ids: readonly string[],
): Promise<void> {
  await platform.query(
    'update quoin.dead_letters set resolved_at = now() where id = any($1::uuid[]) and resolved_at is null returning id',
    [`{${ids.join(',')}}`],
  )
}

/** Notes that an event was delivered after all, where it was given up. */
export async function resolveEvent(
  platform: Pick<PlatformDatabase, 'query'>,
  webhookId: string,
  eventId: string,
): Promise<void> {
  await platform.query(
    `update quoin.dead_letters set resolved_at = now()
      where webhook_id = $1::uuid and event_id = $2 and resolved_at is null returning id`,
    [webhookId, eventId],
  )
}
