// Metrics as Prometheus reads them: text format 0.0.4. Counters grow as long as their store lives. docs/operate.md says
// what each means.

import type { PlatformDatabase } from '../../db/database.ts'
import { deadline } from '../../lib/deadline.ts'
import { VERSION } from '../../lib/version.ts'
import { type ProjectScope, projectOf } from '../api-keys/record/project-scope.ts'
import { logProbeFailure } from '../status/probe.ts'
import type { PassFigures } from '../storage/sweep/sweep-state.ts'
import { type KeyRequests, readKeyTotals } from '../usage/read-usage.ts'
import { DURATION_BOUNDS_MS } from './request-batch.ts'
import type { RequestMetrics, TotalCount } from './request-metrics.ts'

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

interface PrometheusDeps {
  platform: Pick<PlatformDatabase, 'query'>
  requestMetrics: () => Pick<RequestMetrics, 'readTotals'>
}

/** Whether the caller would rather have text than JSON: Prometheus and its kin name it, others do not. */
export function wantsPrometheus(accept: string | null): boolean {
  const types = accept?.toLowerCase() ?? ''
  if (types.includes('application/json')) return false
  return types.includes('text/plain') || types.includes('application/openmetrics-text')
}

/**
 * All metrics of the deployment, with the keys of the scope. While the database is down, `pg_up` is 0 and what it would
 * tell is left out.
 */
export async function readPrometheus(deps: PrometheusDeps, scope: ProjectScope): Promise<string> {
  const [keys, totals, [facts]] = await Promise.all([
    inTime(readKeyTotals(deps.platform, projectOf(scope))),
    deps.requestMetrics().readTotals(),
    inTime(deps.platform.query<Facts>(FACTS_SQL, [], 'repeatable')),
  ])
  const families: Family[] = [
    {
      name: 'quoin_build_info',
      type: 'gauge',
      help: 'Version of Quoin.',
      samples: [sample(1, { version: VERSION })],
    },
    {
      name: 'pg_up',
      type: 'gauge',
      help: 'Whether the database tells the metrics below.',
      samples: [sample(facts ? 1 : 0)],
    },
    keyRequests(keys),
    answers(totals),
    durations(totals),
    ...(facts ? databaseFamilies(facts) : []),
  ]
  return families.map(familyText).join('')
}

/** Prometheus gives up after ten seconds, and whether the key is valid may take half of them. */
const DATABASE_TIMEOUT_MS = 4_000

/** None where the database is down, hangs, or has not what is asked. */
async function inTime<Row>(rows: Promise<Row[]>): Promise<Row[]> {
  try {
    return await deadline(DATABASE_TIMEOUT_MS, rows)
  } catch (err) {
    logProbeFailure('metrics_unreadable', err)
    return []
  }
}

interface Family {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  samples: string[]
}

type Labels = Readonly<Record<string, string>>

/** One sample without its family's name; `suffix` goes behind that. */
function sample(value: number, labels: Labels = {}, suffix = ''): string {
  const inner = Object.entries(labels).map(([name, text]) => `${name}="${escapeLabel(text)}"`)
  return `${suffix}${inner.length === 0 ? '' : `{${inner.join(',')}}`} ${value}`
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function familyText({ name, type, help, samples }: Family): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map(text => name + text), ''].join(
    '\n',
  )
}

function keyRequests(keys: readonly KeyRequests[]): Family {
  return {
    name: 'quoin_api_key_requests_total',
    type: 'counter',
    help: 'Requests that were let in, by API key. Up to three minutes late.',
    samples: keys.map(({ key_id, name, role, project_id, requests }) =>
      sample(requests, { key_id, key_name: name, role, project_id }),
    ),
  }
}

function answers(totals: readonly TotalCount[]): Family {
  return {
    name: 'http_requests_total',
    type: 'counter',
    help: 'Answers by route and status.',
    samples: totals.map(({ route, status, requests }) =>
      sample(requests, { ...routeLabels(route), status: String(status) }),
    ),
  }
}

function durations(totals: readonly TotalCount[]): Family {
  const byRoute = Map.groupBy(totals, ({ route }) => route)
  return {
    name: 'http_request_duration_seconds',
    type: 'histogram',
    help: 'Time to the answer, by route.',
    samples: [...byRoute].flatMap(([route, counts]) => histogram(routeLabels(route), counts)),
  }
}

function histogram(labels: Labels, counts: readonly TotalCount[]): string[] {
  const requests = counts.reduce((sum, count) => sum + count.requests, 0)
  const seconds = counts.reduce((sum, count) => sum + count.milliseconds, 0) / 1_000
  let below = 0
  const buckets = DURATION_BOUNDS_MS.map((bound, i) => {
    below += counts.reduce((sum, count) => sum + (count.buckets[i] ?? 0), 0)
    return sample(below, { ...labels, le: String(bound / 1_000) }, '_bucket')
  })
  return [
    ...buckets,
    sample(requests, { ...labels, le: '+Inf' }, '_bucket'),
    sample(seconds, labels, '_sum'),
    sample(requests, labels, '_count'),
  ]
}

function routeLabels(route: string): { method: string; route: string } {
  const space = route.indexOf(' ')
  return space === -1
    ? { method: '', route }
    : { method: route.slice(0, space), route: route.slice(space + 1) }
}

/** Columns of pg_stat_database, under the names that postgres_exporter gives them: its dashboards know no others. */
const DATABASE_COUNTERS = {
  xact_commit: 'Transactions committed.',
  xact_rollback: 'Transactions rolled back.',
  blks_hit: 'Blocks found in memory.',
  blks_read: 'Blocks read from disk.',
  tup_returned: 'Rows read by scans, and index entries.',
  tup_fetched: 'Rows fetched by index scans.',
  tup_inserted: 'Rows inserted.',
  tup_updated: 'Rows updated.',
  tup_deleted: 'Rows deleted.',
  conflicts: 'Queries that recovery on a standby has cancelled.',
  temp_bytes: 'Bytes written into temporary files.',
  deadlocks: 'Deadlocks.',
} as const
type DatabaseCounter = keyof typeof DATABASE_COUNTERS
const COUNTER_NAMES = Object.keys(DATABASE_COUNTERS) as DatabaseCounter[]

interface Facts extends Record<DatabaseCounter, number> {
  datname: string
  size_bytes: number
  numbackends: number
  max_connections: number
  oldest_change_seconds: number
  dead_letters: number
  failing_webhooks: number
  realtime_gaps: number
  /** Seconds since 1970, of when the newest one was begun; null: there is none. */
  last_backup: number | null
  last_verified_backup: number | null
  /** Of the last whole sweep; null: there was none. */
  storage: Pick<PassFigures, 'blobs' | 'bytes' | 'orphans' | 'missing'> | null
}

const FACTS_SQL = `
  select d.datname, pg_database_size(d.datid) as size_bytes, d.numbackends,
    ${COUNTER_NAMES.map(name => `d.${name}`).join(', ')},
    current_setting('max_connections')::int as max_connections,
    coalesce((select extract(epoch from clock_timestamp() - changed_at)
      from quoin.oldest_waiting_change() changed_at), 0) as oldest_change_seconds,
    (select count(*) from quoin.dead_letters where resolved_at is null) as dead_letters,
    (select count(*) from quoin.webhooks where active and state <> 'healthy') as failing_webhooks,
    (select gaps from quoin.realtime_state) as realtime_gaps,
    (select extract(epoch from max(started_at)) from quoin.backups where status = 'completed') as last_backup,
    (select extract(epoch from max(started_at)) from quoin.backups where verified_at is not null)
      as last_verified_backup,
    (select completed from quoin.storage_sweeps) as storage
  from pg_stat_database d where d.datname = current_database()`

function databaseFamilies(facts: Facts): Family[] {
  const { datname } = facts
  const backup = (name: string, help: string, value: number | null) =>
    value === null ? [] : [family(name, 'gauge', help, value)]
  const family = (name: string, type: Family['type'], help: string, value: number): Family => ({
    name,
    type,
    help,
    samples: [sample(value, name.startsWith('pg_') ? { datname } : {})],
  })
  return [
    family('pg_database_size_bytes', 'gauge', 'Size of the database.', facts.size_bytes),
    family('pg_stat_database_numbackends', 'gauge', 'Sessions on the database.', facts.numbackends),
    family('pg_settings_max_connections', 'gauge', 'Sessions that the server allows.', facts.max_connections),
    ...COUNTER_NAMES.map(name =>
      family(`pg_stat_database_${name}`, 'counter', DATABASE_COUNTERS[name], facts[name]),
    ),
    family(
      'quoin_row_changes_oldest_seconds',
      'gauge',
      'Age of the row change that has waited longest for the listener; 0: none waits.',
      Math.max(0, facts.oldest_change_seconds),
    ),
    family('quoin_webhook_dead_letters', 'gauge', 'Events that were given up.', facts.dead_letters),
    family(
      'quoin_webhooks_failing',
      'gauge',
      'Webhooks whose receiver fails or has paused.',
      facts.failing_webhooks,
    ),
    family(
      'quoin_realtime_gaps_total',
      'counter',
      'How often changes passed the log of realtime by: each client was told to read again.',
      facts.realtime_gaps,
    ),
    ...backup(
      'quoin_backup_last_timestamp_seconds',
      'When the newest whole backup began.',
      facts.last_backup,
    ),
    ...backup(
      'quoin_backup_last_verified_timestamp_seconds',
      'When the newest backup began that was restored in a trial.',
      facts.last_verified_backup,
    ),
    ...(facts.storage ? storageFamilies(facts.storage) : []),
  ]
}

function storageFamilies({ blobs, bytes, orphans, missing }: NonNullable<Facts['storage']>): Family[] {
  const family = (name: string, help: string, value: number): Family => ({
    name: `quoin_storage_${name}`,
    type: 'gauge',
    help,
    samples: [sample(value)],
  })
  return [
    family('blobs', 'Files in the store, at the last whole sweep.', blobs),
    family('bytes', 'Bytes of them.', bytes),
    family('orphans', 'Of these, files without a row.', orphans),
    family('missing', 'Rows without a file.', missing),
  ]
}
