// Whether callers' data can be reached as their calls reach it: by the login role's connection, and with all roles
// behind it.

import type { DataDatabase, DataSession } from '../../db/database.ts'
import { PostgresError } from '../../db/postgres-error.ts'
import { deadline } from '../../lib/deadline.ts'
import { down, latencySince, logProbeFailure, PROBE_TIMEOUT_MS, type Probed } from './probe.ts'
import { DATA_DOWN, ROLES_MISSING, refusalProblem, USER_ROLE_MISSING } from './problems.ts'

/** The session takes the one role, the statements the others. */
const SESSION = {
  role: 'service_role',
  claims: '{"role":"service_role"}',
  // Of its own, so that it does not wait for calls of the key that asks.
  share: 'status/status',
  requestId: 'status',
  timeoutMs: PROBE_TIMEOUT_MS,
  method: 'GET',
  path: '/v1/status',
  headers: '{}',
  cookies: '{}',
} as const satisfies Partial<DataSession>
const AS_ANON = { sql: "select pg_catalog.set_config('role','anon',true)", params: [] }
const AS_USER = { sql: "select pg_catalog.set_config('role','authenticated',true)", params: [] }

export interface DataConnectionConfig {
  readonly dbSchemas: readonly string[]
  readonly dataUserRole: 'authenticated' | undefined
}

/** Whether callers' calls get through, within two seconds. Never throws: down is an answer here. */
export async function readDataConnection(
  data: Pick<DataDatabase, 'batch'>,
  { dbSchemas, dataUserRole }: DataConnectionConfig,
): Promise<Probed> {
  const startedAt = performance.now()
  try {
    const options = { prepared: true, readOnly: true }
    const statements = dataUserRole === undefined ? [AS_ANON] : [AS_ANON, AS_USER]
    await deadline(PROBE_TIMEOUT_MS, data.batch({ ...SESSION, searchPath: dbSchemas }, statements, options))
    return { state: 'up', latencyMs: latencySince(startedAt), problems: [] }
  } catch (err) {
    logProbeFailure('data_connection_down', err)
    if (err instanceof PostgresError)
      return down(err.message.includes('"authenticated"') ? USER_ROLE_MISSING : ROLES_MISSING)
    return down(refusalProblem('DATA_DATABASE_URL', err) ?? DATA_DOWN)
  }
}
