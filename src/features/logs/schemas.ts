// The log as callers see it, and what a question for it takes.

import * as z from 'zod'
import { Instant, isForward, REVERSED } from '../../lib/instant.ts'
import { WholeNumber } from '../../lib/whole-number.ts'

/** In the order in which entries of one time come. */
export const LOG_SOURCES = ['audit', 'delivery', 'request'] as const
export const LogSource = z.enum(LOG_SOURCES)
export type LogSource = z.infer<typeof LogSource>

const Filter = (description: string) => z.string().min(1).max(500).optional().describe(description)

export const LogQuery = z
  .strictObject({
    source: LogSource.optional().describe(
      'Requests, changes in the audit log, or deliveries of webhooks; all unless said',
    ),
    request_id: Filter('X-Request-Id of the answer'),
    route: Filter('Requests of this route: `GET /v1/keys/:id`, or its pattern alone'),
    status: z
      .string()
      .regex(/^([1-5]\d\d|[1-5]xx)$/, 'must be a status as 404, or a class as 5xx')
      .optional()
      .describe('Requests and deliveries that were answered so: 404, or 5xx'),
    key_id: z.uuid().optional().describe('Requests and changes with this API key'),
    from: Instant.optional().describe('Entries of this time and later'),
    to: Instant.optional().describe('Entries before this time'),
    limit: WholeNumber.pipe(z.int().min(1).max(500)).default(100).describe('Entries per page'),
    cursor: z
      .string()
      .max(300)
      .optional()
      .describe('`next_cursor` of the page before, with the same filters'),
  })
  .refine(isForward, REVERSED)
export type LogQuery = z.infer<typeof LogQuery>

export const LogEntry = z
  .object({
    source: LogSource,
    id: z.string().describe('of the audit entry or the delivery; of a request its request_id'),
    time: z.iso.datetime(),
    request_id: z.string().nullable(),
    name: z.string().describe('route of a request, action of a change, event type of a delivery'),
    status: z.int().nullable().describe('of the answer; null: a change, or a delivery without an answer'),
    outcome: z.string().nullable().describe('of a change; why a delivery failed'),
    duration_ms: z.number().nullable(),
    key_id: z.string().nullable().describe('the API key that called'),
    target_id: z.string().nullable().describe('what was changed; the webhook of a delivery'),
  })
  .meta({
    id: 'LogEntry',
    examples: [
      {
        source: 'request',
        id: '8c1f4ab0-6f5c-4a0e-9f0b-3d1b7a5f2c9e',
        time: '2026-01-31T12:00:00.040Z',
        request_id: '8c1f4ab0-6f5c-4a0e-9f0b-3d1b7a5f2c9e',
        name: 'GET /v1/db/:table',
        status: 200,
        outcome: null,
        duration_ms: 3.4,
        key_id: '4b7a1c2e-9d3f-4e5a-8b6c-7d8e9f0a1b2c',
        target_id: null,
      },
    ],
  })
export type LogEntry = z.infer<typeof LogEntry>

export const LogList = z
  .object({
    data: z.array(LogEntry),
    next_cursor: z.string().nullable().describe('null: the list is complete'),
  })
  .meta({ id: 'LogList' })
export type LogList = z.infer<typeof LogList>
