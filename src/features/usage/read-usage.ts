// How often keys called: by step and by key, exact to the request. Three minutes late at most: limiters tell whole
// minutes.

import type { PlatformDatabase } from '../../db/database.ts'
import type { ApiKeyRole } from '../api-keys/record/schemas.ts'

/** Keys of one answer; those that called least are left out. */
const KEYS_MAX = 1_000
/** Counters must not come and go, so of more keys it is always the same ones. */
const COUNTERS_MAX = 10_000

/** Of many keys over a long time there are millions of hours. */
export const USAGE_READING = 'usage'

export interface UsageQuery {
  /** ISO 8601; the second is exclusive. */
  from: string
  to: string
  stepSeconds: number
  /** null: of all projects. */
  projectId: string | null
}

export interface KeyRequests {
  key_id: string
  name: string
  role: ApiKeyRole
  project_id: string
  requests: number
}

export interface Usage {
  /** Begins of steps in seconds since 1970, with their requests; steps without any are left out. */
  steps: [time: number, requests: number][]
  /** Those that called most first. */
  keys: KeyRequests[]
}

/** Rows hold an hour; within it minutes are looked at only where a step is less. */
const BY_HOUR = 'select u.key_id, u.hour as begins, u.total as requests from quoin.usage u'
const BY_MINUTE = `select u.key_id, u.hour + make_interval(mins => (place - 1)::integer) as begins, minute.requests
    from quoin.usage u cross join unnest(u.requests) with ordinality minute(requests, place)
    where minute.requests > 0 and u.hour > $1::timestamptz - interval '1 hour' and u.hour < $2::timestamptz`

const usageSql = (stepSeconds: number) => `
  with used as (
    select k.id, used.requests,
        floor(extract(epoch from used.begins) / $3::integer)::bigint * $3::integer as time
      from (${stepSeconds % 3_600 === 0 ? BY_HOUR : BY_MINUTE}) used
      join quoin.api_keys k on k.id = used.key_id
      where used.begins >= $1::timestamptz and used.begins < $2::timestamptz
        and ($4::uuid is null or k.project_id = $4::uuid))
  select
    (select coalesce(json_agg(json_build_array(time, requests) order by time), '[]')
      from (select time, sum(requests) as requests from used group by time) steps) as steps,
    (select coalesce(json_agg(by_key order by requests desc, key_id), '[]')
      from (select k.id as key_id, k.name, k.role, k.project_id, sum(used.requests) as requests
        from used join quoin.api_keys k using (id) group by k.id order by 5 desc, 1 limit ${KEYS_MAX}) by_key) as keys`

/** The requests that were let in from `from` on, by step and by key. One trip. */
export async function readUsage(
  platform: Pick<PlatformDatabase, 'forReading'>,
  query: UsageQuery,
): Promise<Usage> {
  const { from, to, stepSeconds, projectId } = query
  const params = [from, to, String(stepSeconds), projectId]
  const [usage] = await platform
    .forReading(USAGE_READING)
    .query<Usage>(usageSql(stepSeconds), params, 'repeatable')
  return usage ?? { steps: [], keys: [] }
}

/** All requests of each key that called, since it exists. `projectId` null: of all projects. One trip. */
export function readKeyTotals(
  platform: Pick<PlatformDatabase, 'query'>,
  projectId: string | null,
): Promise<KeyRequests[]> {
  return platform.query<KeyRequests>(
    `select k.id as key_id, k.name, k.role, k.project_id, sum(t.total) as requests
      from quoin.usage_totals t join quoin.api_keys k on k.id = t.key_id
      where $1::uuid is null or k.project_id = $1::uuid
      group by k.id order by k.id limit ${COUNTERS_MAX}`,
    [projectId],
    'repeatable',
  )
}
