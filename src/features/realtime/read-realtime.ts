// How realtime does: what the log of all and the hubs of projects say of themselves. What does not answer is said so.

import type { PlatformDatabase } from '../../db/database.ts'
import { writeArrayLiteral } from '../../lib/array-literal.ts'
import { deadline } from '../../lib/deadline.ts'
import { type ProjectScope, projectNotFound, reaches } from '../api-keys/record/project-scope.ts'
import type { HubState, RealtimeHubs } from './hub/hub-contract.ts'
import type { LogState, RealtimeLog } from './log/log-contract.ts'
import type { RealtimeState } from './realtime-state.ts'

export interface ReadRealtimeDeps {
  readonly hubs: RealtimeHubs
  readonly realtimeLog: () => RealtimeLog
  readonly platform: Pick<PlatformDatabase, 'query'>
  readonly config: {
    readonly ingestSecret: readonly string[]
    readonly realtimeSocketsPerKey: number
    readonly realtimeSocketsPerAddress: number
    readonly realtimeChannelsPerSocket: number
    readonly realtimeMessagesPerSecond: number
    readonly realtimeMessageBytesMax: number
    readonly realtimeDeliveriesPerSecond: number
  }
}

/** Log, hubs and catalog are asked one after the other. */
const ASKING_TIMEOUT_MS = 2_000
const PROJECTS_MAX = 50
const TOPICS_MAX = 100
/** So many changes a hub may be telling, and is not behind. */
const TELLING_MAX = 1_000

/** A hub that was asked; null: it did not answer. */
interface AskedHub {
  readonly id: string
  readonly state: HubState | null
}

/**
 * Of the one project that is asked for or in scope, or of those that follow something. Throws `not_found` for a project
 * outside of the scope; a part that does not answer within 2 s throws nothing.
 */
export async function readRealtime(
  deps: ReadRealtimeDeps,
  scope: ProjectScope,
  asked: string | undefined,
): Promise<RealtimeState> {
  const one = await oneProject(deps, scope, asked)
  const log = await answerOf('log', () => deps.realtimeLog().state())
  const ids = one === undefined ? (log?.hubs ?? []).map(({ name }) => name) : [one]
  const hubs = await Promise.all(
    ids.slice(0, PROJECTS_MAX).map(async id => ({
      id,
      state: await answerOf('hub', () => deps.hubs.byProject(id).state()),
    })),
  )
  const names = await tableNames(deps, hubs)
  const problems = problemsOf(deps.config, log, hubs)
  const projects = hubs.map(hub => projectFacts(log, hub))
  const isSilent = log === null || hubs.some(({ state }) => state === null) || problems.isOff
  const isBehind = projects.some(({ status }) => status === 'behind')
  return {
    status: isSilent ? 'unavailable' : isBehind ? 'behind' : 'ok',
    problems: problems.said,
    log: log && logFacts(log),
    projects,
    projects_left_out: one === undefined && log === null ? null : ids.length - hubs.length,
    ...inAll(hubs),
    topics: topicsOf(hubs),
    subscriptions: hubs.flatMap(({ id, state }) =>
      (state?.subscriptions ?? []).map(({ tableId, subscribers, classes }) => ({
        project_id: id,
        table_schema: names.get(String(tableId))?.table_schema ?? null,
        table_name: names.get(String(tableId))?.table_name ?? null,
        subscribers,
        classes,
      })),
    ),
    limits: limitsOf(deps.config),
  }
}

/** Undefined: all of them. The object of a project that does not exist is not to be made by asking it. */
async function oneProject(
  { platform }: ReadRealtimeDeps,
  scope: ProjectScope,
  asked: string | undefined,
): Promise<string | undefined> {
  if (scope !== 'every_project') {
    if (asked !== undefined && !reaches(scope, asked)) throw projectNotFound(asked)
    return scope.only
  }
  if (asked === undefined) return undefined
  const sql = 'select id from quoin.projects where id = $1::uuid'
  const [row] = await platform.query<{ id: string }>(sql, [asked], 'repeatable')
  if (row === undefined) throw projectNotFound(asked)
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

interface TableName {
  readonly id: string
  readonly table_schema: string
  readonly table_name: string
}

const NAMES_SQL = `
  select c.oid::text as id, n.nspname as table_schema, c.relname as table_name
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.oid = any ($1::oid[])`

async function tableNames(
  { platform }: ReadRealtimeDeps,
  hubs: readonly AskedHub[],
): Promise<ReadonlyMap<string, TableName>> {
  const ids = new Set(hubs.flatMap(({ state }) => state?.subscriptions.map(one => String(one.tableId)) ?? []))
  if (ids.size === 0) return new Map()
  const ask = () => platform.query<TableName>(NAMES_SQL, [writeArrayLiteral([...ids])], 'repeatable')
  const rows = await answerOf('names', ask)
  return new Map((rows ?? []).map(row => [row.id, row]))
}

function problemsOf(
  { ingestSecret }: ReadRealtimeDeps['config'],
  log: LogState | null,
  hubs: readonly AskedHub[],
): { said: string[]; isOff: boolean } {
  const isOff = ingestSecret[0] === undefined
  const said: string[] = []
  if (isOff) said.push('INGEST_SECRET is not set: no row change comes in. Broadcasts and presence go on.')
  if (log === null) said.push('The log does not answer within 2 s: row changes wait in the queue.')
  for (const hub of hubs) {
    if (hub.state === null) said.push(`The hub of project ${hub.id} does not answer within 2 s.`)
    const waiting = log === null ? 0 : waitingOf(log, hub)
    if (waiting > TELLING_MAX)
      said.push(`Project ${hub.id} is behind by up to ${waiting} changes: policies, or too many deliveries.`)
  }
  return { said, isOff }
}

/** How many numbers of the log a hub still goes through; those of tables that it does not follow are passed at once. */
function waitingOf({ head }: LogState, { state }: AskedHub): number {
  return state?.isTelling === true ? Math.max(0, head - state.position) : 0
}

function projectFacts(log: LogState | null, hub: AskedHub): RealtimeState['projects'][number] {
  const { id, state } = hub
  const isBehind = log !== null && waitingOf(log, hub) > TELLING_MAX
  return {
    project_id: id,
    status: state === null ? 'unavailable' : isBehind ? 'behind' : 'ok',
    connections: state?.connections ?? null,
    channels: state?.channels ?? null,
    position: state?.position ?? null,
  }
}

function inAll(
  hubs: readonly AskedHub[],
): Pick<RealtimeState, 'connections' | 'channels' | 'position' | 'counts' | 'statements_per_change'> {
  const states = hubs.map(({ state }) => state).filter(state => state !== null)
  if (states.length === 0 && hubs.length > 0)
    return { connections: null, channels: null, position: null, counts: null, statements_per_change: null }
  const sum = (of: (state: HubState) => number) => states.reduce((all, state) => all + of(state), 0)
  const counts = {
    changes: sum(state => state.counts.changes),
    statements: sum(state => state.counts.statements),
    deliveries: sum(state => state.counts.deliveries),
    messages: sum(state => state.counts.messages),
    refetches: sum(state => state.counts.refetches),
  }
  return {
    connections: sum(state => state.connections),
    channels: sum(state => state.channels),
    position: states.length === 0 ? null : Math.min(...states.map(({ position }) => position)),
    counts,
    statements_per_change: counts.changes === 0 ? null : counts.statements / counts.changes,
  }
}

function topicsOf(hubs: readonly AskedHub[]): RealtimeState['topics'] {
  return hubs
    .flatMap(({ id, state }) =>
      (state?.topics ?? []).map(({ topic, isPrivate, members, present }) => ({
        project_id: id,
        topic,
        private: isPrivate,
        members,
        present,
      })),
    )
    .sort((a, b) => b.members - a.members)
    .slice(0, TOPICS_MAX)
}

function logFacts(log: LogState): NonNullable<RealtimeState['log']> {
  return {
    head: log.head,
    oldest_after: log.oldestAfter,
    oldest_occurred_at: log.oldestOccurredAt,
    entries: log.entries,
    bytes: log.bytes,
    changes_per_second: [...log.changesPerSecond],
  }
}

function limitsOf(config: ReadRealtimeDeps['config']): RealtimeState['limits'] {
  return {
    sockets_per_key: config.realtimeSocketsPerKey,
    sockets_per_address: config.realtimeSocketsPerAddress,
    channels_per_socket: config.realtimeChannelsPerSocket,
    messages_per_second: config.realtimeMessagesPerSecond,
    message_bytes_max: config.realtimeMessageBytesMax,
    deliveries_per_second: config.realtimeDeliveriesPerSecond,
  }
}
