// Is all there that Quoin stands on? Every part is asked at the same time, at most two seconds long.

import * as z from 'zod'
import type { Upstream } from '../../clients/http.ts'
import type { DataDatabase, PlatformDatabase } from '../../db/database.ts'
import { deadline } from '../../lib/deadline.ts'
import { SharedRun } from '../../lib/shared-run.ts'
import { type DataConnectionConfig, readDataConnection } from '../status/data-connection.ts'
import { askOwner, ROW_CHANGE_FACTS_SQL } from '../status/owner-connection.ts'
import { type PermissionStateDeps, readPermissionState } from '../status/permission-state.ts'
import {
  down,
  latencySince,
  logProbeFailure,
  NOT_SET_UP,
  PortState,
  PROBE_TIMEOUT_MS,
  type Probed,
} from '../status/probe.ts'
import { type RowChangeFacts, rowChangeProblems } from '../status/problems.ts'
import { readServerPorts, readSqlGateway, type ServerPortsDeps } from '../status/server-states.ts'
import { readStorageState, type StorageStateDeps } from '../status/storage-state.ts'

/** The parts, those without which no API key is served first. */
const NEEDED = ['database', 'callers_data', 'sql_gateway'] as const
const OTHERS = [
  'oauth_public',
  'oauth_admin',
  'identity_public',
  'identity_admin',
  'permission_read',
  'permission_write',
  'queue',
  'listener',
  'row_changes',
  'storage',
] as const
type PartName = (typeof NEEDED)[number] | (typeof OTHERS)[number]

const PartHealth = z
  .object({
    name: z
      .enum([...NEEDED, ...OTHERS])
      .describe(
        'database: Postgres as the owner; callers_data: as calls with a key reach it; listener: whether it holds its ' +
          'lock; row_changes: whether they are recorded and leave the outbox; storage: the store of files',
      ),
    state: z
      .enum([...PortState.options, 'unknown'])
      .describe(
        'misconfigured: something else answers there, or it refuses Quoin; off: its variable is not set, or no ' +
          'listener is connected and no change waits for one; unknown: the database would know, and does not answer',
      ),
    latency_ms: z.number().nullable().describe('until it answered; null: no answer, or not asked itself'),
    needed: z.boolean().describe('without it no call with an API key succeeds'),
    reason: z.string().nullable().describe('what is wrong, and what to do; null where nothing is'),
  })
  .meta({ id: 'PartHealth' })
type PartHealth = z.infer<typeof PartHealth>

const GATEWAY_UP = { name: 'sql_gateway', state: 'up', latency_ms: 0.9, needed: true, reason: null } as const

/** The answer of `GET /v1/gateway/health`. */
export const GatewayHealth = z
  .object({
    status: z
      .enum(['ok', 'degraded', 'unavailable'])
      .describe(
        'degraded: something is wrong with a part that is not needed; unavailable: a needed part is down',
      ),
    time: z.iso.datetime().describe('when the parts were asked; up to three seconds ago'),
    parts: z.array(PartHealth),
  })
  .meta({
    id: 'GatewayHealth',
    examples: [{ status: 'ok', time: '2026-01-31T12:00:00.000Z', parts: [GATEWAY_UP] }],
  })
export type GatewayHealth = z.infer<typeof GatewayHealth>

/** The same, with the example of a needed part that is down. */
export const GatewayUnavailable = GatewayHealth.meta({
  examples: [
    {
      status: 'unavailable',
      time: '2026-01-31T12:00:00.000Z',
      parts: [
        {
          ...GATEWAY_UP,
          state: 'down',
          latency_ms: null,
          reason: 'The SQL gateway does not answer. Look at it, and at SQL_GATEWAY_URL.',
        },
      ],
    },
  ],
})

/** How long an answer is shared. */
const FRESH_MS = 1_000
/** A run takes the two seconds of its slowest part, and a little. */
const RUN_MS_MAX = 3_000

/** What an isolate keeps of the health of its parts. */
export function makeGatewayHealth(now: () => Date): SharedRun<GatewayHealth> {
  return new SharedRun({ freshMs: FRESH_MS, runMsMax: RUN_MS_MAX, now })
}

/** The queue's producer binding, as far as it is asked here. */
export interface AskedQueue {
  metrics(): Promise<unknown>
}

type GatewayHealthDeps = PermissionStateDeps &
  ServerPortsDeps &
  StorageStateDeps & {
    gatewayHealth: SharedRun<GatewayHealth>
    upstreams: { sqlGateway: Upstream }
    platform: Pick<PlatformDatabase, 'query'>
    data: Pick<DataDatabase, 'batch'>
    rowChanges: AskedQueue
    config: DataConnectionConfig & { ingestSecret: readonly string[] }
    now: () => Date
  }

/**
 * How every part does. Callers who come while the parts are asked, or within a second of it, share one answer, so that
 * nobody's calls multiply. Never throws: down is an answer here.
 */
export function readGatewayHealth(deps: GatewayHealthDeps): Promise<GatewayHealth> {
  return deps.gatewayHealth.get(() => askParts(deps))
}

async function askParts(deps: GatewayHealthDeps): Promise<GatewayHealth> {
  const time = deps.now().toISOString()
  // In production six calls of a request wait for their answer at a time, and the seventh for one of them. So the parts
  // that decide come first.
  const [owner, callers, gateway, ports, permissions, queue, storage] = await Promise.all([
    askOwner<{ row_changes: RowChangeFacts }>(deps.platform, `select ${ROW_CHANGE_FACTS_SQL} as row_changes`),
    readDataConnection(deps.data, deps.config),
    readSqlGateway(deps.upstreams.sqlGateway),
    readServerPorts(deps),
    readPermissionState(deps),
    readQueue(deps),
    readStorageState(deps),
  ])
  const facts = owner.facts?.row_changes
  const isFollowed = deps.config.ingestSecret.length > 0
  const probed: Record<PartName, Probed | typeof UNKNOWN> = {
    database: owner,
    callers_data: callers,
    sql_gateway: gateway,
    oauth_public: ports.oauthPublic,
    oauth_admin: ports.oauthAdmin,
    identity_public: ports.identityPublic,
    identity_admin: ports.identityAdmin,
    permission_read: permissions,
    permission_write: ports.permissionWrite,
    queue,
    listener: isFollowed ? toldOf(facts, listenerIn) : NOT_SET_UP,
    row_changes: isFollowed ? toldOf(facts, rowChangesIn) : NOT_SET_UP,
    storage,
  }
  const parts = [...NEEDED, ...OTHERS].map(name => partOf(name, probed[name]))
  return { status: statusOf(parts), time, parts }
}

const UNKNOWN = { state: 'unknown', latencyMs: null, problems: [] } as const

/** A part that the database is asked about. */
function toldOf(
  facts: RowChangeFacts | undefined,
  partIn: (facts: RowChangeFacts) => Probed,
): Probed | typeof UNKNOWN {
  return facts === undefined ? UNKNOWN : partIn(facts)
}

/** Decision 11: as long as no change waits, none is needed. */
function listenerIn({ listener_connected, oldest_waiting_seconds }: RowChangeFacts): Probed {
  if (listener_connected) return { state: 'up', latencyMs: null, problems: [] }
  if (oldest_waiting_seconds === null) return { ...NOT_SET_UP, problems: ['No listener is connected.'] }
  return down(
    'No listener is connected: start it. Row changes wait in the outbox, and none is lost meanwhile.',
  )
}

function rowChangesIn(facts: RowChangeFacts): Probed {
  const problems = rowChangeProblems(facts)
  return { state: problems.length === 0 ? 'up' : 'down', latencyMs: null, problems }
}

/** Whether the queue answers. What waits in it waits in the outbox too, whose age `row_changes` goes by. */
async function readQueue({ rowChanges, config }: GatewayHealthDeps): Promise<Probed> {
  if (config.ingestSecret.length === 0) return NOT_SET_UP
  const startedAt = performance.now()
  try {
    await deadline(PROBE_TIMEOUT_MS, rowChanges.metrics())
    return { state: 'up', latencyMs: latencySince(startedAt), problems: [] }
  } catch (err) {
    logProbeFailure('queue_down', err)
    return down(
      'The queue row-changes does not answer. Row changes wait in the outbox; look at Cloudflare’s status.',
    )
  }
}

function partOf(name: PartName, { state, latencyMs, problems }: Probed | typeof UNKNOWN): PartHealth {
  const needed = NEEDED.some(part => part === name)
  return { name, state, latency_ms: latencyMs, needed, reason: problems.join(' ') || null }
}

function statusOf(parts: readonly PartHealth[]): GatewayHealth['status'] {
  const isDown = ({ state }: PartHealth) => state === 'down' || state === 'misconfigured'
  if (parts.some(part => part.needed && isDown(part))) return 'unavailable'
  const isFlawed = (part: PartHealth) => isDown(part) || (part.state === 'up' && part.reason !== null)
  return parts.some(isFlawed) ? 'degraded' : 'ok'
}
