// What happened, newest first: requests, changes, and deliveries of webhooks. Requests are those that isolates kept as
// samples; changes and deliveries are all.

import type { PlatformDatabase } from '../../db/database.ts'
import { Parameters } from '../../db/sql.ts'
import type { RequestMetrics } from '../metrics/request-metrics.ts'
import { byPlace, placeOf, readLogCursor, type SourceStart, startOf, writeLogCursor } from './log-cursor.ts'
import { LOG_SOURCES, type LogEntry, type LogList, type LogQuery, type LogSource } from './schemas.ts'

/** What matches few of many entries is sought for seconds. */
const READING = 'logs'

interface LogDeps {
  platform: Pick<PlatformDatabase, 'forReading'>
  requestMetrics: () => Pick<RequestMetrics, 'readSamples'>
}

/** What one source is asked for. */
interface Asked {
  query: LogQuery
  start: SourceStart | undefined
  limit: number
}

/** One page. Throws `invalid_parameter` for a cursor that is not of this list. */
export async function listLogs(deps: LogDeps, query: LogQuery): Promise<LogList> {
  const after = readLogCursor(query)
  const pages = await Promise.all(
    LOG_SOURCES.filter(source => canHold(source, query)).map(source =>
      READ[source](deps, { query, start: after && startOf(source, after), limit: query.limit + 1 }),
    ),
  )
  const entries = pages.flat().sort((a, b) => byPlace(placeOf(a), placeOf(b)))
  const page = entries.slice(0, query.limit)
  const last = entries.length > query.limit ? page.at(-1) : undefined
  // As everywhere else; the plus of Postgres' offset would be a blank where the time is a bound of the next question.
  const data = page.map(entry => ({ ...entry, time: new Date(entry.time).toISOString() }))
  return { data, next_cursor: last === undefined ? null : writeLogCursor(placeOf(last), query) }
}

/** Whether a source has what the filters ask for at all. */
function canHold(source: LogSource, { source: asked, route, status, key_id }: LogQuery): boolean {
  if (asked !== undefined && asked !== source) return false
  if (source === 'audit') return route === undefined && status === undefined
  return source === 'request' || (route === undefined && key_id === undefined)
}

const READ: Record<LogSource, (deps: LogDeps, asked: Asked) => Promise<LogEntry[]>> = {
  audit: readChanges,
  delivery: readDeliveries,
  request: readRequests,
}

async function readRequests(
  { requestMetrics }: LogDeps,
  { query, start, limit }: Asked,
): Promise<LogEntry[]> {
  const [statusMin, statusMax] = statusesOf(query.status)
  const samples = await requestMetrics().readSamples({
    requestId: query.request_id,
    route: query.route,
    statusMin,
    statusMax,
    keyId: query.key_id,
    fromMs: query.from === undefined ? undefined : Date.parse(query.from),
    toMs: endMs(query.to, start),
    before: start?.id == null ? undefined : { atMs: start.us / 1_000, requestId: start.id },
    limit,
  })
  return samples.map(({ atMs, requestId, route, status, durationMs, keyId }) => ({
    source: 'request',
    id: requestId,
    time: new Date(atMs).toISOString(),
    request_id: requestId,
    name: route,
    status,
    outcome: null,
    duration_ms: Math.round(durationMs * 10) / 10,
    key_id: keyId,
    target_id: null,
  }))
}

/** Exclusive: the earlier of what the caller says and where the page begins. */
function endMs(to: string | undefined, start: SourceStart | undefined): number | undefined {
  const ends = [
    ...(to === undefined ? [] : [Date.parse(to)]),
    ...(start === undefined || start.id !== null ? [] : [Math.ceil(start.us / 1_000)]),
  ]
  return ends.length === 0 ? undefined : Math.min(...ends)
}

function readChanges({ platform }: LogDeps, asked: Asked): Promise<LogEntry[]> {
  const { key_id: keyId } = asked.query
  const { sql, params } = pageSql(asked, {
    table: 'quoin.audit_logs',
    columns: `'audit' as source, id, created_at as time, request_id, action as name, null::int as status, outcome,
      round(extract(epoch from completed_at - created_at) * 1000) as duration_ms,
      case when actor_kind = 'api_key' then actor_id end as key_id, target_id`,
    more: add => (keyId === undefined ? [] : [`actor_kind = 'api_key' and actor_id = ${add(keyId)}`]),
  })
  return platform.forReading(READING).query<LogEntry>(sql, params, 'repeatable')
}

function readDeliveries({ platform }: LogDeps, asked: Asked): Promise<LogEntry[]> {
  const [statusMin, statusMax] = statusesOf(asked.query.status)
  const { sql, params } = pageSql(asked, {
    table: 'quoin.webhook_deliveries',
    columns: `'delivery' as source, id, created_at as time, request_id, event_type as name, status_code as status,
      error as outcome, latency_ms as duration_ms, null as key_id, webhook_id as target_id`,
    more: add =>
      statusMin === undefined || statusMax === undefined
        ? []
        : [`status_code between ${add(String(statusMin))}::int and ${add(String(statusMax))}::int`],
  })
  return platform.forReading(READING).query<LogEntry>(sql, params, 'repeatable')
}

interface Source {
  table: string
  columns: string
  more: (add: (value: string) => string) => string[]
}

function pageSql({ query, start, limit }: Asked, { table, columns, more }: Source) {
  const params = new Parameters<string>()
  const add = (value: string) => params.add(value)
  const conditions = more(add)
  if (query.request_id !== undefined) conditions.push(`request_id = ${add(query.request_id)}`)
  if (query.from !== undefined) conditions.push(`created_at >= ${add(query.from)}::timestamptz`)
  if (query.to !== undefined) conditions.push(`created_at < ${add(query.to)}::timestamptz`)
  if (start !== undefined) {
    const time = `timestamptz 'epoch' + ${add(String(start.us))}::bigint * interval '1 microsecond'`
    conditions.push(
      start.id === null ? `created_at < ${time}` : `(created_at, id) < (${time}, ${add(start.id)}::uuid)`,
    )
  }
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const sql = `select ${columns} from ${table} ${where}
    order by created_at desc, id desc limit ${add(String(limit))}::integer`
  return { sql, params: params.values }
}

/** The lowest and highest status that `404` or `5xx` stands for. */
function statusesOf(status: string | undefined): [min: number | undefined, max: number | undefined] {
  if (status === undefined) return [undefined, undefined]
  if (!status.endsWith('xx')) return [Number(status), Number(status)]
  const first = Number(status[0]) * 100
  return [first, first + 99]
}
