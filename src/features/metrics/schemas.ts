// Metrics as callers see them, and what a question for them takes.

import * as z from 'zod'
import { Instant } from '../../lib/instant.ts'
import { WholeNumber } from '../../lib/whole-number.ts'
import { ApiKeyRole } from '../api-keys/record/schemas.ts'
import { POINTS_MAX, STEP_SECONDS_MAX } from './span.ts'

export const MetricsQuery = z.strictObject({
  from: Instant.optional().describe('Since when, as 2030-01-31T12:00:00Z; a day before `to` unless said'),
  to: Instant.optional().describe('Until when; now unless said'),
  step: WholeNumber.pipe(z.int().min(60).max(STEP_SECONDS_MAX).multipleOf(60))
    .optional()
    .describe(
      `Seconds of one step, a multiple of 60; of 3600 where from is over two days ago. At most ${POINTS_MAX} steps. ` +
        'Left out: chosen for a chart. ' +
        'from and to are widened to whole steps, counted since 1970',
    ),
})

const Time = z.iso.datetime().describe('begin of the step')
const Milliseconds = z.number().nullable()
const QUANTILES = {
  p50_ms: Milliseconds.describe('half of them took no longer; estimated within a bucket; null: none'),
  p95_ms: Milliseconds,
  p99_ms: Milliseconds,
}

export const Metrics = z
  .object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    step_seconds: z.int(),
    requests: z
      .object({
        total: z.int(),
        series: z.array(z.object({ time: Time, requests: z.int() })).describe('every step'),
        by_key: z
          .array(
            z.object({
              key_id: z.uuid(),
              name: z.string(),
              role: ApiKeyRole,
              project_id: z.uuid(),
              requests: z.int(),
            }),
          )
          .describe('those that called most first, at most 1 000'),
      })
      .describe(
        'Requests with API keys that were let in, up to three minutes late: exact for limits below 6 000 a minute. ' +
          'With an API key those of its project',
      ),
    responses: z
      .object({
        minutes_kept_from: z.iso.datetime().describe('from is earlier only with steps of whole hours'),
        total: z.int(),
        ...QUANTILES,
        series: z
          .array(
            z.object({
              time: Time,
              requests: z.int(),
              by_status: z.record(z.string(), z.int()).describe('by class: 2xx, 3xx, 4xx, 5xx'),
              ...QUANTILES,
            }),
          )
          .describe('every step'),
        by_route: z
          .array(
            z.object({
              route: z.string().describe('method and pattern; unmatched: no route took the request'),
              requests: z.int(),
              client_errors: z.int().describe('answers 4xx'),
              server_errors: z.int().describe('answers 5xx'),
              ...QUANTILES,
            }),
          )
          .describe('those that were called most first'),
      })
      .describe(
        'All answers of this deployment, of the dashboard and of refused calls too; up to ten seconds late. What an ' +
          'isolate counted in the seconds before its end may be missing',
      ),
  })
  .meta({
    id: 'Metrics',
    examples: [
      {
        from: '2026-01-31T11:00:00.000Z',
        to: '2026-01-31T12:00:00.000Z',
        step_seconds: 3600,
        requests: {
          total: 120,
          series: [{ time: '2026-01-31T11:00:00.000Z', requests: 120 }],
          by_key: [
            {
              key_id: '4b7a1c2e-9d3f-4e5a-8b6c-7d8e9f0a1b2c',
              name: 'web shop',
              role: 'anon',
              project_id: '0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a',
              requests: 120,
            },
          ],
        },
        responses: {
          minutes_kept_from: '2026-01-29T12:00:00.000Z',
          total: 121,
          p50_ms: 3.1,
          p95_ms: 9.6,
          p99_ms: 24,
          series: [
            {
              time: '2026-01-31T11:00:00.000Z',
              requests: 121,
              by_status: { '2xx': 120, '4xx': 1 },
              p50_ms: 3.1,
              p95_ms: 9.6,
              p99_ms: 24,
            },
          ],
          by_route: [
            {
              route: 'GET /v1/db/:table',
              requests: 121,
              client_errors: 1,
              server_errors: 0,
              p50_ms: 3.1,
              p95_ms: 9.6,
              p99_ms: 24,
            },
          ],
        },
      },
    ],
  })
export type Metrics = z.infer<typeof Metrics>
