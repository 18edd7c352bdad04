// Deliveries as callers see them: log entries, dead letters, what one attempt came to, and figures of many.

import * as z from 'zod'
import { Instant, isForward, REVERSED } from '../../lib/instant.ts'
import { RowEvent } from '../row-changes/ingest/messages.ts'
import { DEAD_LETTER_REASONS } from './delivery/delivery-log.ts'
import { ATTEMPT_ERRORS } from './delivery/send-attempt.ts'
import { EntryListQuery, nextCursor, Time, WEBHOOK_EXAMPLE, Webhook } from './schemas.ts'

const EventId = z.string().nullable().describe('of the row change; null for a test')
const Payload = z.record(z.string(), z.unknown()).nullable()
const Failure = z
  .enum(ATTEMPT_ERRORS)
  .nullable()
  .describe('why the attempt was no success; null when it was one')

/** In a path. */
export const LogId = z.uuid().describe('id of the entry in the log')
/** In a path. */
export const DeadLetterId = z.uuid().describe('id of the dead letter')

const ROW_CHANGE_EXAMPLE = {
  event: 'INSERT',
  schema: 'public',
  table: 'notes',
  row: { id: 6, title: 'hello' },
  old_row: null,
  timestamp: '2026-01-31T12:00:00.000Z',
}

const DELIVERY_EXAMPLE = {
  id: 'b3c1f0de-5a4b-4c55-8a5e-6f7a8b9c0d1e',
  event_id: '1-0',
  event_type: 'INSERT',
  message_id: 'msg_0bb59ce97f484c55b0edf9a9986db8cb_1-0_mwqcl80k',
  payload: ROW_CHANGE_EXAMPLE,
  status_code: 200,
  response_body: 'ok',
  error: null,
  latency_ms: 41,
  attempt: 1,
  replay_of: null,
  created_at: '2026-01-31T12:00:00.000Z',
}

export const Delivery = z
  .object({
    id: z.uuid(),
    event_id: EventId,
    event_type: z.enum([...RowEvent.options, 'TEST']),
    message_id: z
      .string()
      .describe('the header `webhook-id`: the same at every attempt and replay of an event'),
    payload: Payload.describe('what was sent; null where it is over 1 MiB, which the log does not keep'),
    status_code: z.int().nullable().describe('null: there was no answer'),
    response_body: z.string().nullable().describe('up to 16 KiB of it'),
    error: Failure,
    latency_ms: z.int(),
    attempt: z.int().describe('1 for the first'),
    replay_of: z.uuid().nullable().describe('the log entry or dead letter that was sent again'),
    created_at: Time,
  })
  .meta({
    id: 'Delivery',
    examples: [DELIVERY_EXAMPLE],
  })

export const DeliveryList = z
  .object({ data: z.array(Delivery), next_cursor: nextCursor })
  .meta({ id: 'DeliveryList' })

export const DeliveryListQuery = EntryListQuery.extend({
  event_type: Delivery.shape.event_type.optional().describe('Entries of this event alone'),
  outcome: z.enum(['succeeded', 'failed']).optional().describe('What became of the attempt'),
  from: Instant.optional().describe('Entries of this time and later, as 2030-01-31T12:00:00Z'),
  to: Instant.optional().describe('Entries before this time'),
}).refine(isForward, REVERSED)
export type DeliveryListQuery = z.infer<typeof DeliveryListQuery>

export const DeadLetter = z
  .object({
    id: z.uuid(),
    event_id: EventId,
    reason: z.enum(DEAD_LETTER_REASONS).describe('why the event was given up'),
    payload: Payload.describe('what was to be sent; null where it is over 1 MiB: kept, but not shown'),
    created_at: Time,
    resolved_at: Time.nullable().describe('when a replay was delivered'),
  })
  .meta({
    id: 'DeadLetter',
    examples: [
      {
        id: '7d1a4c9e-2b3f-4e6a-9c8d-1f2e3d4c5b6a',
        event_id: '1-0',
        reason: 'attempts_exhausted',
        payload: ROW_CHANGE_EXAMPLE,
        created_at: '2026-01-31T12:00:00.000Z',
        resolved_at: null,
      },
    ],
  })

export const DeadLetterList = z
  .object({ data: z.array(DeadLetter), next_cursor: nextCursor })
  .meta({ id: 'DeadLetterList' })

export const Attempt = z
  .object({
    ok: z.boolean().describe('the receiver answered 2xx'),
    status_code: z.int().nullable(),
    latency_ms: z.int(),
    response_body: z.string().nullable(),
    error: Failure,
    log_id: z.uuid().describe('id of the entry in the log'),
  })
  .meta({
    id: 'Attempt',
    examples: [
      {
        ok: true,
        status_code: 200,
        latency_ms: 12,
        response_body: 'ok',
        error: null,
        log_id: 'b3c1f0de-5a4b-4c55-8a5e-6f7a8b9c0d1e',
      },
    ],
  })
export type Attempt = z.infer<typeof Attempt>

const YEAR_10000_MS = Date.UTC(10_000)

/** No event is older than this software, and beyond the year 9999 `toISOString` writes what Postgres does not read. */
const Since = Instant.refine(
  text => !(Date.parse(text) < 0 || Date.parse(text) >= YEAR_10000_MS),
  'must be a time of the years 1970 to 9999 in UTC, as 2030-01-31T12:00:00Z',
)

export const ReplaySince = z
  .strictObject({
    since: Since.describe('Everything that failed at this time or later and was not delivered is sent again'),
  })
  .meta({ id: 'ReplaySince' })
export type ReplaySince = z.infer<typeof ReplaySince>

export const Queued = z
  .object({
    queued: z
      .int()
      .describe(
        'dead letters, counted up to 100 000, and events that waited for their next attempt: all are tried ' +
          'again, nine times',
      ),
  })
  .meta({ id: 'Queued', examples: [{ queued: 12 }] })
export type Queued = z.infer<typeof Queued>

const FIGURES =
  'of the newest 1 000 attempts to deliver events within 24 hours: replays are counted, tests not'

const STATISTICS_EXAMPLE = {
  attempts: 240,
  succeeded: 238,
  failed: 2,
  latency_ms_p50: 41,
  latency_ms_p95: 120,
  last_attempt_at: '2026-01-31T12:00:00.000Z',
  last_success_at: '2026-01-31T12:00:00.000Z',
  last_status_code: 200,
  dead_letters: 0,
}

export const WebhookStatistics = z
  .object({
    attempts: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    latency_ms_p50: z.number().nullable(),
    latency_ms_p95: z.number().nullable(),
    last_attempt_at: Time.nullable(),
    last_success_at: Time.nullable(),
    last_status_code: z.int().nullable(),
    dead_letters: z.int().describe('events that were given up and not delivered since; counted up to 1 000'),
  })
  .describe(FIGURES)
  .meta({ id: 'WebhookStatistics', examples: [STATISTICS_EXAMPLE] })
export type WebhookStatistics = z.infer<typeof WebhookStatistics>

const HOURS = 24

const WAITING_EXAMPLE = {
  ...STATISTICS_EXAMPLE,
  hours: [...Array(HOURS - 1).fill({ succeeded: 10, failed: 0 }), { succeeded: 8, failed: 2 }],
  waiting: 0,
  oldest_waiting_at: null,
  next_attempt_at: null,
}

export const WaitingStatistics = WebhookStatistics.extend({
  hours: z
    .array(z.object({ succeeded: z.int(), failed: z.int() }))
    .length(HOURS)
    .describe('the same attempts by the hour, oldest first; the last hour ends now'),
  waiting: z
    .int()
    .nullable()
    .describe(
      'events that are not delivered yet, counted up to 100 000; null: the object that has them did not answer',
    ),
  oldest_waiting_at: Time.nullable().describe(
    'when the oldest of the changes that wait was made; null: none waits',
  ),
  next_attempt_at: Time.nullable().describe(
    'now at the earliest; null: none waits, or the webhook is paused',
  ),
})
  .describe(`${FIGURES}; and of what waits now`)
  .meta({
    id: 'WaitingStatistics',
    examples: [WAITING_EXAMPLE],
  })
export type WaitingStatistics = z.infer<typeof WaitingStatistics>

export const WebhookWithWaiting = Webhook.extend({ statistics: WaitingStatistics }).meta({
  id: 'WebhookWithWaiting',
  examples: [{ ...WEBHOOK_EXAMPLE, statistics: WAITING_EXAMPLE }],
})
export type WebhookWithWaiting = z.infer<typeof WebhookWithWaiting>

const WebhookWithStatistics = Webhook.extend({ statistics: WebhookStatistics }).meta({
  id: 'WebhookWithStatistics',
  examples: [{ ...WEBHOOK_EXAMPLE, statistics: STATISTICS_EXAMPLE }],
})

export const WebhookWithStatisticsList = z
  .object({
    data: z.array(WebhookWithStatistics),
    next_cursor: nextCursor,
  })
  .meta({ id: 'WebhookWithStatisticsList' })
export type WebhookWithStatisticsList = z.infer<typeof WebhookWithStatisticsList>

export const WebhookDetail = WebhookWithWaiting.extend({
  recent_logs: z.array(Delivery).describe('the newest 20 at most'),
}).meta({
  id: 'WebhookDetail',
  examples: [{ ...WEBHOOK_EXAMPLE, statistics: WAITING_EXAMPLE, recent_logs: [DELIVERY_EXAMPLE] }],
})
