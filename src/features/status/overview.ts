// What `GET /v1/status` tells: is the platform well, and what is it made of.

import * as z from 'zod'
import type { PlatformDatabase } from '../../db/database.ts'
import { writeArrayLiteral } from '../../lib/array-literal.ts'
import { VERSION } from '../../lib/version.ts'
import { deploymentWarnings, type WarnedSettings } from './warnings.ts'

export const PlatformStatus = z.object({
  status: z.enum(['ok', 'degraded']).describe('degraded: a part that requests need does not answer'),
  version: z.string().describe('version of Quoin'),
  base_url: z.string(),
  time: z.iso.datetime(),
  database: z.object({
    state: z.enum(['up', 'down']),
    latency_ms: z.number().nullable(),
    server_version: z.string().nullable(),
    size_bytes: z.number().nullable(),
    schemas: z.array(z.string()).describe('schemas that /v1/db serves'),
    tables: z.number().nullable().describe('tables and views in those schemas'),
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
  }),
  warnings: z.array(z.string()).describe('settings of this deployment that are allowed but dangerous'),
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
           where d.webhook_id is null and d.resolved_at is null limit ${DEAD_LETTERS_MAX}) d) as unhandled_messages`

interface StatusDeps {
  platform: PlatformDatabase
  config: WarnedSettings & { dbSchemas: readonly string[] }
  now: () => Date
}

/** The overview. A database that is down makes it `degraded` with nulls, not an error: this is the page one looks at then. */
export async function readPlatformStatus({ platform, config, now }: StatusDeps): Promise<PlatformStatus> {
  const startedAt = performance.now()
  const facts = await readFacts(platform, config.dbSchemas)
  const database = {
    state: facts ? ('up' as const) : ('down' as const),
    latency_ms: facts ? Math.round((performance.now() - startedAt) * 10) / 10 : null,
    server_version: facts?.server_version ?? null,
    size_bytes: facts?.size_bytes ?? null,
    schemas: [...config.dbSchemas],
    tables: facts?.tables ?? null,
  }
  return {
    status: facts ? 'ok' : 'degraded',
    version: VERSION,
    base_url: config.baseUrl,
    time: now().toISOString(),
    database,
    projects: facts?.projects ?? null,
    api_keys: facts?.api_keys ?? null,
    webhooks: {
      dead_letters: facts?.dead_letters ?? null,
      unhandled_messages: facts?.unhandled_messages ?? null,
    },
    warnings: deploymentWarnings(config),
  }
}

async function readFacts(platform: PlatformDatabase, schemas: readonly string[]): Promise<Facts | undefined> {
  try {
    const [facts] = await platform.query<Facts>(FACTS_SQL, [writeArrayLiteral(schemas)])
    return facts
  } catch {
    // Down is an answer here. Every other endpoint logs the cause.
    return undefined
  }
}
