// What became of a webhook's deliveries lately, and what waits now, in figures. Bounded, whatever the traffic: a busy
// webhook has tens of millions of log entries a day.

import type { PlatformDatabase } from '../../db/database.ts'
import { deadline } from '../../lib/deadline.ts'
import type { WebhookFanouts } from './delivery/fanout-contract.ts'
import type {
  WaitingStatistics,
  WebhookStatistics,
  WebhookWithStatisticsList,
  WebhookWithWaiting,
} from './delivery-schemas.ts'
import { readEntryPage } from './entry-page.ts'
import { DELIVERIES } from './list-deliveries.ts'
import { listWebhooks, readWebhook } from './list-webhooks.ts'
import type { Webhook, WebhookListQuery } from './schemas.ts'

interface StatisticsDeps {
  platform: Pick<PlatformDatabase, 'query'>
}

interface WaitingDeps extends StatisticsDeps {
  fanouts: WebhookFanouts
}

interface DetailDeps extends WaitingDeps {
  platform: Pick<PlatformDatabase, 'query' | 'forReading'>
}

const ATTEMPTS_MAX = 1_000
const DEAD_LETTERS_MAX = 1_000
const RECENT_LOGS = 20
/** How long a webhook's object may take to say what waits. */
const WAITING_TIMEOUT_MS = 2_000

/** One page of webhooks with their figures. Throws `invalid_parameter` for a cursor that is not one of ours. */
export async function listWebhooksWithStatistics(
  deps: StatisticsDeps,
  query: WebhookListQuery,
): Promise<WebhookWithStatisticsList> {
  const { data, next_cursor } = await listWebhooks(deps, query)
  const statistics = await readStatistics(deps, STATISTICS, data)
  return {
    data: data.map(webhook => ({ ...webhook, statistics: statistics.get(webhook.id) as WebhookStatistics })),
    next_cursor,
  }
}

/** One webhook with its figures and those of what waits. Throws `invalid_parameter`, `not_found`. */
export async function readWebhookWithWaiting(deps: WaitingDeps, idText: string): Promise<WebhookWithWaiting> {
  return await withWaiting(deps, await readWebhook(deps, idText))
}

/** The same with the newest log entries, as JSON text (`WebhookDetail`). Throws `invalid_parameter`, `not_found`. */
export async function readWebhookDetail(deps: DetailDeps, idText: string): Promise<string> {
  const webhook = await readWebhook(deps, idText)
  const [detail, { entries }] = await Promise.all([
    withWaiting(deps, webhook),
    readEntryPage(deps.platform, DELIVERIES, webhook.id, { limit: RECENT_LOGS }),
  ])
  const fields = JSON.stringify(detail).slice(0, -1)
  return `${fields},"recent_logs":[${entries.join(',')}]}`
}

async function withWaiting(deps: WaitingDeps, webhook: Webhook): Promise<WebhookWithWaiting> {
  const [statistics, waiting] = await Promise.all([
    readStatistics(deps, STATISTICS_BY_HOUR, [webhook]),
    readWaiting(deps, webhook.id),
  ])
  const figures = statistics.get(webhook.id) as WebhookStatistics & Pick<WaitingStatistics, 'hours'>
  return { ...webhook, statistics: { ...figures, ...waiting } }
}

/** Never throws: the other figures are worth showing without these. */
async function readWaiting(
  { fanouts }: WaitingDeps,
  webhookId: string,
): Promise<Pick<WaitingStatistics, 'waiting' | 'oldest_waiting_at' | 'next_attempt_at'>> {
  try {
    const waiting = await deadline(WAITING_TIMEOUT_MS, fanouts.byId(webhookId).waiting())
    return {
      waiting: waiting.count,
      oldest_waiting_at: toIso(waiting.oldest_at_ms),
      next_attempt_at: toIso(waiting.next_attempt_at_ms),
    }
  } catch (err) {
    const line = { level: 'warn', component: 'webhooks', webhook_id: webhookId, cause: String(err) }
    console.warn(JSON.stringify({ ...line, message: 'the object did not say what waits' }))
    return { waiting: null, oldest_waiting_at: null, next_attempt_at: null }
  }
}

// Counts the newest attempts alone, which the index gives without reading the others. Equal times are ordered by id.
// A test is no attempt to deliver an event.
const statisticsSql = (more = '') => `
  select w.id, s.*,
    (select count(*)::int from (select from quoin.dead_letters d
      where d.webhook_id = w.id and d.resolved_at is null limit ${DEAD_LETTERS_MAX}) d) as dead_letters
  from unnest($1::uuid[]) as w (id)
  cross join lateral (
    with a as (
      select id, error, latency_ms, created_at, status_code from quoin.webhook_deliveries
      where webhook_id = w.id and event_type <> 'TEST' and created_at > now() - interval '24 hours'
      order by created_at desc, id desc limit ${ATTEMPTS_MAX}
    )
    select count(*)::int as attempts,
      (count(*) filter (where a.error is null))::int as succeeded,
      (count(*) filter (where a.error is not null))::int as failed,
      percentile_disc(0.5) within group (order by a.latency_ms) as latency_ms_p50,
      percentile_disc(0.95) within group (order by a.latency_ms) as latency_ms_p95,
      max(a.created_at) as last_attempt_at,
      max(a.created_at) filter (where a.error is null) as last_success_at,
      (array_agg(a.status_code order by a.created_at desc, a.id desc))[1] as last_status_code${more}
    from a
  ) s`

const STATISTICS = statisticsSql()

// The clock of who writes the log may be ahead. Lists do without: it is more than all else that they say of a webhook.
const STATISTICS_BY_HOUR = statisticsSql(`, (
      select json_agg(h) from (
        select count(id) - count(error) as succeeded, count(error) as failed
        from generate_series(0, 23) as hours_ago
        left join a on hours_ago = greatest(0, floor(extract(epoch from now() - created_at) / 3600))
        group by hours_ago order by hours_ago desc
      ) h
    ) as hours`)

/** By the webhooks' ids, each of which has figures. */
async function readStatistics(
  { platform }: StatisticsDeps,
  sql: string,
  webhooks: readonly Webhook[],
): Promise<Map<string, WebhookStatistics>> {
  const ids = webhooks.map(webhook => webhook.id)
  const rows = await platform.query<WebhookStatistics & { id: string }>(
    sql,
    [`{${ids.join(',')}}`],
    'repeatable',
  )
  return new Map(rows.map(({ id, ...statistics }) => [id, toStatistics(statistics)]))
}

function toStatistics(row: WebhookStatistics): WebhookStatistics {
  return { ...row, last_attempt_at: toIso(row.last_attempt_at), last_success_at: toIso(row.last_success_at) }
}

function toIso(time: string | number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
