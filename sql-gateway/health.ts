/**
 * Owns the question whether Postgres answers: one trivial batch on each served database, over the own pool.
 */
import type { Batch } from './batch.ts'
import type { ByteAccount } from './byte-budget.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { SqlError } from './errors.ts'
import { Execution } from './execution.ts'

const HEALTH_TIMEOUT_MS = 2_000
const LIMITS = { resultBytesMax: 64 * 1024, cancelGraceMs: 100 }
/** So small and rare that nobody needs a share. */
const UNCOUNTED: ByteAccount = { take: () => undefined, close: () => undefined }

const PROBE: Batch = {
  statements: [{ sql: 'SELECT 1', params: [], format: { isRawText: true, isArrayMode: true } }],
  begin: undefined,
  isRolledBack: false,
  isOwn: true,
  caller: undefined,
  closesConnection: false,
  isBodyWanted: false,
  deadlineMs: HEALTH_TIMEOUT_MS,
  resultBytesMax: undefined,
}

/** True when every pool's Postgres answers within two seconds. */
export async function isHealthy(pools: readonly ConnectionPool[]): Promise<boolean> {
  const probes = pools.map(
    pool =>
      new Promise<boolean>(resolve => {
        new Execution(PROBE, pool, LIMITS, UNCOUNTED, outcome =>
          resolve(!(outcome instanceof SqlError)),
        ).start()
      }),
  )
  return (await Promise.all(probes)).every(Boolean)
}
