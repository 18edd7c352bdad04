// What `GET /v1/status` tells: is the platform well, and what is it made of.

import * as z from 'zod'
import type { DataDatabase, PlatformDatabase } from '../../db/database.ts'
import { writeArrayLiteral } from '../../lib/array-literal.ts'
import { VERSION } from '../../lib/version.ts'
import type { BundledMigrations } from '../migrations/migration-file.ts'
import {
  StorageLeftovers,
  SWEEP_FACTS_SQL,
  type SweepFacts,
  toLeftovers,
} from '../storage/sweep/read-figures.ts'
import { type DataConnectionConfig, readDataConnection } from './data-connection.ts'
import { missingMigrations } from './missing-migrations.ts'
import { askOwner, ROW_CHANGE_FACTS_SQL } from './owner-connection.ts'
import { PermissionState, type PermissionStateDeps, readPermissionState } from './permission-state.ts'
import {
  DATA_DOWN,
  DATABASE_DOWN,
  migrationsProblem,
  type RowChangeFacts,
  rowChangeProblems,
  storageProblems,
  TABLES_UNREADABLE,
} from './problems.ts'
import { readServerPorts, type ServerPortsDeps, ServerState } from './server-states.ts'
import { readStorageState, type StorageStateDeps } from './storage-state.ts'
import { deploymentWarnings, type WarnedSettings } from './warnings.ts'

export const PlatformStatus = z
  .object({
    status: z.enum(['ok', 'degraded']).describe('degraded: `problems` says why'),
    version: z.string().describe('version of Quoin'),
    base_url: z.string(),
    time: z.iso.datetime(),
    database: z.object({
      state: z.enum(['up', 'down']),
      data_state: z
        .enum(['up', 'down'])
        .describe(
          'whether callers’ data is reached as their calls reach it: by the login role, as both roles',
        ),
      latency_ms: z.number().nullable(),
      server_version: z.string().nullable(),
      size_bytes: z.number().nullable(),
      schemas: z.array(z.string()).describe('schemas that /v1/db serves'),
      tables: z.number().nullable().describe('tables and views in those schemas'),
      missing_migrations: z
        .array(z.string())
        .nullable()
        .describe("Quoin's own migrations that this version needs and the database lacks"),
    }),
    projects: z.number().nullable(),
    api_keys: z.number().nullable().describe('keys that are neither revoked nor expired'),
    webhooks: z.object({
      dead_letters: z
        .number()
        .nullable()
        .describe('events that were given up and not delivered since; counted up to 1 000'),
      unhandled_messages: z
        .number()
        .nullable()
        .describe(
          'messages of row changes that could not be handled: the changes wait in the outbox and are sent again; the ' +
            'log has the cause. Counted up to 1 000',
        ),
      oldest_waiting_seconds: z
        .number()
        .nullable()
        .describe(
          'age of the change that has waited longest for the listener and the Worker; null: none waits. Events ' +
            'that wait for a paused or failing webhook are not among them. A transaction that took long brings ' +
            'changes that are old at once: of two readings the second tells',
        ),
      listener_connected: z
        .boolean()
        .nullable()
        .describe('whether a listener holds its lock in the database'),
      unrecorded_tables: z
        .array(z.string())
        .nullable()
        .describe(
          'webhooks’ tables whose changes cannot be recorded: triggers, functions or rights are gone. At most 20',
        ),
    }),
    storage: z.object({
      state: z.enum(['up', 'down']).describe('whether the store of files answers'),
      leftovers: StorageLeftovers.nullable().describe(
        'what the sweep of files has found; null: the database is down',
      ),
    }),
    permissions: PermissionState,
    oauth_server: ServerState,
    identity_provider: ServerState,
    problems: z
      .array(z.string())
      .describe('what does not work now, and what to do; empty where status is ok'),
    warnings: z.array(z.string()).describe('settings of this deployment that are allowed but dangerous'),
  })
  .meta({
    id: 'PlatformStatus',
    examples: [
      {
        status: 'ok',
        version: VERSION,
        base_url: 'https://api.example.com',
        time: '2026-01-31T12:00:00.000Z',
        database: {
          state: 'up',
          data_state: 'up',
          latency_ms: 3.4,
          server_version: '18.0',
          size_bytes: 9_437_184,
          schemas: ['public'],
          tables: 2,
          missing_migrations: [],
        },
        projects: 1,
        api_keys: 2,
        webhooks: {
          dead_letters: 0,
          unhandled_messages: 0,
          oldest_waiting_seconds: null,
          listener_connected: true,
          unrecorded_tables: [],
        },
        storage: { state: 'up', leftovers: toLeftovers(null) },
        permissions: { state: 'up', missing_namespaces: [] },
        oauth_server: { public: 'up', admin: 'up' },
        identity_provider: { public: 'up', admin: 'up' },
        problems: [],
        warnings: [],
      },
    ],
  })
export type PlatformStatus = z.infer<typeof PlatformStatus>

interface Facts {
  server_version: string
  size_bytes: number
  tables: number
  projects: number
  api_keys: number
  dead_letters: number
  unhandled_messages: number
  row_changes: RowChangeFacts
  storage_sweep: SweepFacts | null
}

const DEAD_LETTERS_MAX = 1_000

// One trip: the counts are small tables and catalog look-ups.
const FACTS_SQL = `
  select pg_catalog.current_setting('server_version') as server_version,
         pg_catalog.pg_database_size(pg_catalog.current_database()) as size_bytes,
         (select count(*) from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
           where n.nspname = any($1::text[]) and c.relkind in ('r','p','v','m','f') and not c.relispartition) as tables,
         (select count(*) from quoin.projects) as projects,
         (select count(*) from quoin.api_keys
           where revoked_at is null and (expires_at is null or expires_at > now())) as api_keys,
         (select count(*) from (select from quoin.webhooks w join quoin.dead_letters d on d.webhook_id = w.id
           where d.resolved_at is null limit ${DEAD_LETTERS_MAX}) d) as dead_letters,
         (select count(*) from (select from quoin.dead_letters d
           where d.webhook_id is null and d.resolved_at is null limit ${DEAD_LETTERS_MAX}) d) as unhandled_messages,
         ${ROW_CHANGE_FACTS_SQL} as row_changes,
         ${SWEEP_FACTS_SQL} as storage_sweep`

type StatusDeps = PermissionStateDeps &
  ServerPortsDeps &
  StorageStateDeps & {
    platform: PlatformDatabase
    data: Pick<DataDatabase, 'batch'>
    config: WarnedSettings & DataConnectionConfig
    migrations: Pick<BundledMigrations, 'platformNames'>
    now: () => Date
  }

/**
 * The overview. A database that is down makes it `degraded` with nulls, not an error: this is the page one looks at
 * then.
 */
export async function readPlatformStatus(deps: StatusDeps): Promise<PlatformStatus> {
  const { platform, config, now } = deps
  const [owner, missing, callers, permissions, ports, storage] = await Promise.all([
    askOwner<Facts>(platform, FACTS_SQL, [writeArrayLiteral(config.dbSchemas)]),
    missingMigrations(platform, deps.migrations.platformNames),
    readDataConnection(deps.data, config),
    readPermissionState(deps),
    readServerPorts(deps),
    readStorageState(deps),
  ])
  const { facts } = owner
  const database = {
    state: facts ? ('up' as const) : ('down' as const),
    data_state: callers.state === 'up' ? ('up' as const) : ('down' as const),
    latency_ms: facts ? owner.latencyMs : null,
    server_version: facts?.server_version ?? null,
    size_bytes: facts?.size_bytes ?? null,
    schemas: [...config.dbSchemas],
    tables: facts?.tables ?? null,
    missing_migrations: missing,
  }
  const problems = [...(facts ? rowChangeProblems(facts.row_changes) : owner.problems)]
  if (missing === null && facts) problems.unshift(TABLES_UNREADABLE)
  if (missing && missing.length > 0) problems.unshift(migrationsProblem(missing))
  // Of a database that is down once is enough.
  const isSaid = owner.problems.includes(DATABASE_DOWN) && callers.problems.includes(DATA_DOWN)
  if (!isSaid) problems.push(...callers.problems)
  const leftovers = facts ? toLeftovers(facts.storage_sweep) : null
  problems.push(...storage.problems, ...(leftovers ? storageProblems(leftovers) : []))
  problems.push(...Object.values(ports).flatMap(port => port.problems), ...permissions.problems)
  return {
    status: problems.length === 0 ? 'ok' : 'degraded',
    version: VERSION,
    base_url: config.baseUrl,
    time: now().toISOString(),
    database,
    projects: facts?.projects ?? null,
    api_keys: facts?.api_keys ?? null,
    webhooks: {
      dead_letters: facts?.dead_letters ?? null,
      unhandled_messages: facts?.unhandled_messages ?? null,
      oldest_waiting_seconds: facts?.row_changes.oldest_waiting_seconds ?? null,
      listener_connected: facts?.row_changes.listener_connected ?? null,
      unrecorded_tables: facts ? unrecordedTables(facts.row_changes) : null,
    },
    storage: { state: storage.state === 'up' ? 'up' : 'down', leftovers },
    permissions: { state: permissions.state, missing_namespaces: permissions.missingNamespaces },
    oauth_server: { public: ports.oauthPublic.state, admin: ports.oauthAdmin.state },
    identity_provider: { public: ports.identityPublic.state, admin: ports.identityAdmin.state },
    problems,
    warnings: deploymentWarnings(config),
  }
}

function unrecordedTables({ recording_failures }: RowChangeFacts): string[] {
  return [...new Set(recording_failures.map(({ table_name }) => table_name))]
}
