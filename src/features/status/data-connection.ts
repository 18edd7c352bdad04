// Whether callers' data can be reached as their calls reach it: by the login role's connection, and with both roles
// behind it.

import type { DataDatabase, DataSession } from '../../db/database.ts'
import { PostgresError } from '../../db/postgres-error.ts'
import { deadline } from '../../lib/deadline.ts'
import { down, latencySince, logProbeFailure, PROBE_TIMEOUT_MS, type Probed } from './probe.ts'
import { DATA_DOWN, ROLES_MISSING, refusalProblem } from './problems.ts'

/** The session takes the one role, the statement the other. */
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
const STATEMENT = { sql: "select pg_catalog.set_config('role','anon',true)", params: [] }

/** Whether callers' calls get through, within two seconds. Never throws: down is an answer here. */
export async function readDataConnection(
  data: Pick<DataDatabase, 'batch'>,
  searchPath: readonly string[],
): Promise<Probed> {
  const startedAt = performance.now()
  try {
    const options = { prepared: true, readOnly: true }
    await deadline(PROBE_TIMEOUT_MS, data.batch({ ...SESSION, searchPath }, [STATEMENT], options))
    return { state: 'up', latencyMs: latencySince(startedAt), problems: [] }
  } catch (err) {
    logProbeFailure('data_connection_down', err)
    if (err instanceof PostgresError) return down(ROLES_MISSING)
    return down(refusalProblem('DATA_DATABASE_URL', err) ?? DATA_DOWN)
  }
}
