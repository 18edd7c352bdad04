// What a project has used this month, beside what its plan allows. Quotas are shown, and not enforced.

import * as z from 'zod'
import type { PlatformDatabase } from '../../db/database.ts'
import { type ProjectScope, projectNotFound, projectOf, reaches } from '../api-keys/record/project-scope.ts'
import { STORAGE_TOTALS_SQL, type StorageTotals } from '../storage/totals-sql.ts'
import { USAGE_READING } from '../usage/read-usage.ts'

const Quota = z.int().nullable().describe('null: no quota')

export const Billing = z
  .object({
    project_id: z.uuid(),
    plan: z.object({
      id: z.string(),
      name: z.string(),
      requests_per_month: Quota,
      database_bytes: Quota,
      storage_bytes: Quota,
    }),
    period: z.object({ from: z.iso.datetime(), to: z.iso.datetime() }).describe('this month, in UTC'),
    usage: z.object({
      requests: z.int().describe("requests of the project's keys that were let in; up to three minutes late"),
      database_bytes: z.int().describe('size of the database, which all projects share'),
      storage_bytes: z
        .int()
        .describe('size of all files, which all projects share; deleted ones do not count'),
    }),
    projection: z
      .object({
        requests: z.int().describe('requests of the whole month, if it goes on as since its first request'),
        estimated: z.literal(true),
      })
      .nullable()
      .describe('null: there is less than a day to go by'),
  })
  .meta({
    id: 'Billing',
    examples: [
      {
        project_id: '0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a',
        plan: {
          id: 'self-hosted',
          name: 'Self-hosted',
          requests_per_month: null,
          database_bytes: null,
          storage_bytes: null,
        },
        period: { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' },
        usage: { requests: 120_000, database_bytes: 9_437_184, storage_bytes: 734_003_200 },
        projection: { requests: 310_000, estimated: true },
      },
    ],
  })
export type Billing = z.infer<typeof Billing>

export const BillingQuery = z.strictObject({
  project_id: z
    .uuid()
    .optional()
    .describe('Unless said the project of the key, with a session the oldest one. A key has its own alone'),
})

interface BillingDeps {
  platform: Pick<PlatformDatabase, 'forReading'>
  now: () => Date
}

interface Row {
  project_id: string
  plan: Billing['plan']
  requests: number
  /** When the first counted hour of the period begins. */
  first_hour: string | null
  database_bytes: number
  storage: StorageTotals
}

const BILLING_SQL = `
  select p.id as project_id, to_json(q) as plan, coalesce(used.requests, 0) as requests, used.first_hour,
    pg_database_size(current_database()) as database_bytes, ${STORAGE_TOTALS_SQL} as storage
  from quoin.projects p join quoin.plans q on q.id = p.plan
  left join lateral (
    select sum(u.total) as requests, min(u.hour) as first_hour
      from quoin.usage u join quoin.api_keys k on k.id = u.key_id
      where k.project_id = p.id and u.hour >= $2::timestamptz and u.hour < $3::timestamptz) used on true
  where p.id = coalesce($1::uuid, (select id from quoin.projects order by created_at, id limit 1))`

/**
 * Of the project that is asked for, else of the scope's, or of the oldest one. One trip. Throws `not_found` for a
 * project that is not there, or not in the scope.
 */
export async function readBilling(
  { platform, now }: BillingDeps,
  scope: ProjectScope,
  { project_id: askedId }: z.infer<typeof BillingQuery>,
): Promise<Billing> {
  if (askedId !== undefined && !reaches(scope, askedId)) throw projectNotFound(askedId)
  const time = now()
  const from = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth()))
  const to = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1))
  const params = [askedId ?? projectOf(scope), from.toISOString(), to.toISOString()]
  const [row] = await platform.forReading(USAGE_READING).query<Row>(BILLING_SQL, params, 'repeatable')
  if (row === undefined) throw projectNotFound(askedId ?? '')
  const { plan, requests, first_hour: firstHour, database_bytes } = row
  const since = firstHour === null ? null : new Date(firstHour)
  return {
    project_id: row.project_id,
    plan,
    period: { from: from.toISOString(), to: to.toISOString() },
    usage: { requests, database_bytes, storage_bytes: row.storage.bytes },
    projection: since && projectionOf(requests, since, time, to),
  }
}

/** The first hour counts from its begin, so a day of data is an hour more. */
const DATA_MS_MIN = 25 * 3_600_000

/** Requests of the whole period, if its rest is as the time since `since`. null: that is less than a day. */
export function projectionOf(requests: number, since: Date, now: Date, to: Date): Billing['projection'] {
  const countedMs = now.getTime() - since.getTime()
  if (countedMs < DATA_MS_MIN) return null
  const leftMs = to.getTime() - now.getTime()
  return { requests: Math.round(requests + (requests * leftMs) / countedMs), estimated: true }
}
