// How realtime does: what the hub of one project and the log of all say of themselves. What does not answer is said.

import type { PlatformDatabase } from '../../db/database.ts'
import { writeArrayLiteral } from '../../lib/array-literal.ts'
import { deadline } from '../../lib/deadline.ts'
import { type ProjectScope, projectNotFound, reaches } from '../api-keys/record/project-scope.ts'
import type { HubState, RealtimeHubs } from './hub/hub-contract.ts'
import type { LogState, RealtimeLog } from './log/log-contract.ts'
import type { RealtimeState } from './schemas.ts'

interface ReadRealtimeDeps {
  readonly hubs: RealtimeHubs
  readonly realtimeLog: () => RealtimeLog
  readonly platform: Pick<PlatformDatabase, 'query'>
  readonly config: {
    readonly realtimeSocketsPerKey: number
    readonly realtimeSocketsPerAddress: number
    readonly realtimeChannelsPerSocket: number
    readonly realtimeMessagesPerSecond: number
    readonly realtimeMessageBytesMax: number
    readonly realtimeDeliveriesPerSecond: number
  }
}

const ASKING_TIMEOUT_MS = 2_000
/** The hub and the log are asked at the same time, but answer one after the other. */
const BEHIND = 1_000

/** Never throws for a part that is silent. Throws `not_found` for a project outside of the scope. */
export async function readRealtime(
  deps: ReadRealtimeDeps,
  scope: ProjectScope,
  asked: string | undefined,
): Promise<RealtimeState> {
  const projectId = await findProjectId(deps, scope, asked)
  const [hub, log] = await Promise.all([
    answerOf('hub', () => deps.hubs.byProject(projectId).state()),
    answerOf('log', () => deps.realtimeLog().state()),
  ])
  const names = hub === null ? null : await answerOf('names', () => tableNames(deps, hub))
  return {
    ...judge(hub, log),
    project_id: projectId,
    log: log && ofLog(log),
    connections: hub?.connections ?? null,
    channels: hub?.channels ?? null,
    topics: hub?.topics.map(({ isPrivate, ...topic }) => ({ ...topic, private: isPrivate })) ?? null,
    subscriptions:
      hub?.subscriptions.map(({ tableId, subscribers, classes }) => {
        const { table_schema = null, table_name = null } = names?.get(String(tableId)) ?? {}
        return { table_schema, table_name, subscribers, classes }
      }) ?? null,
    position: hub?.position ?? null,
    counts: hub?.counts ?? null,
    limits: limitsOf(deps.config),
  }
}

async function findProjectId(
  { platform }: ReadRealtimeDeps,
  scope: ProjectScope,
  asked: string | undefined,
): Promise<string> {
  if (scope !== 'every_project') {
    if (asked !== undefined && !reaches(scope, asked)) throw projectNotFound(asked)
    return scope.only
  }
  const sql = `select id from quoin.projects where $1::uuid is null or id = $1::uuid order by created_at, id limit 1`
  const [row] = await platform.query<{ id: string }>(sql, [asked ?? null], 'repeatable')
  if (row === undefined) throw projectNotFound(asked ?? '')
  return row.id
}

async function answerOf<T>(part: string, ask: () => Promise<T>): Promise<T | null> {
  try {
    return await deadline(ASKING_TIMEOUT_MS, ask())
  } catch (err) {
    console.warn(JSON.stringify({ level: 'warn', component: 'realtime', part, message: String(err) }))
    return null
  }
}

type Table = { id: string; table_schema: string; table_name: string }

async function tableNames({ platform }: ReadRealtimeDeps, hub: HubState): Promise<Map<string, Table>> {
  const ids = hub.subscriptions.map(({ tableId }) => String(tableId))
  if (ids.length === 0) return new Map()
  const sql = `select c.oid::text as id, n.nspname as table_schema, c.relname as table_name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = any ($1::oid[])`
  const rows = await platform.query<Table>(sql, [writeArrayLiteral(ids)], 'repeatable')
  return new Map(rows.map(row => [row.id, row]))
}

function judge(hub: HubState | null, log: LogState | null): Pick<RealtimeState, 'status' | 'problems'> {
  const problems: string[] = []
  if (hub === null) problems.push('The hub of the project does not answer within 2 s: sockets hear nothing.')
  if (log === null) problems.push('The log does not answer within 2 s: row changes wait, or become a gap.')
  if (hub === null || log === null) return { status: 'unavailable', problems }
  const waiting = log.head - hub.position
  if (hub.subscriptions.length === 0 || waiting <= BEHIND) return { status: 'ok', problems }
  const text = `${waiting} entries of the log were not told yet; they may be of tables that nobody here follows.`
  return { status: 'behind', problems: [text] }
}

function ofLog({ hubs: _, ...log }: LogState): NonNullable<RealtimeState['log']> {
  return {
    head: log.head,
    oldest_after: log.oldestAfter,
    oldest_occurred_at: log.oldestOccurredAt,
    entries: log.entries,
    bytes: log.bytes,
    changes_per_second: [...log.changesPerSecond],
  }
}

function limitsOf(config: ReadRealtimeDeps['config']): Record<string, number> {
  return {
    sockets_per_key: config.realtimeSocketsPerKey,
    sockets_per_address: config.realtimeSocketsPerAddress,
    channels_per_socket: config.realtimeChannelsPerSocket,
    messages_per_second: config.realtimeMessagesPerSecond,
    message_bytes_max: config.realtimeMessageBytesMax,
    deliveries_per_second: config.realtimeDeliveriesPerSecond,
  }
}
