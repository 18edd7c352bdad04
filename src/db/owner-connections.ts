// Connections of the owner that last for a whole request: for migrations, which need a session. Everything else goes
// over HTTP (sql-wire.ts).

import { neonConfig, Pool, type PoolClient } from '@neondatabase/serverless'
import { DomainError } from '../errors.ts'
import type { WireTarget } from './sql-wire.ts'

/** Runs `work` with two connections of its own, which are closed behind it. Throws `database_unavailable`. */
export type OwnerConnections = <T>(work: (first: PoolClient, second: PoolClient) => Promise<T>) => Promise<T>

const CONNECT_TIMEOUT_MS = 10_000

/** The Neon driver's Pool, which reaches our own gateway by its tunnel. Its settings are the isolate's. */
export function makeOwnerConnections({ connectionString, gatewayUrl }: WireTarget): OwnerConnections {
  if (gatewayUrl !== undefined) {
    const gateway = new URL(gatewayUrl)
    neonConfig.wsProxy = () => `${gateway.host}${gateway.pathname.replace(/\/$/, '')}/v2`
    neonConfig.useSecureWebSocket = gateway.protocol === 'https:'
  }
  // Sent ahead, the password is answered to the first statement: a refused login would be that one's failure. Our
  // gateway asks for the password in its own words besides.
  neonConfig.pipelineConnect = false
  // It waits with a timer for more to send: 1.6 ms of the 2 that a statement took in workerd.
  neonConfig.coalesceWrites = false
  return async work => {
    const pool = new Pool({ connectionString, max: 2, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
    // A connection that breaks fails the query under way, or the next one: that is where it is reported.
    pool.on('error', () => {})
    const clients: PoolClient[] = []
    try {
      // One by one, so that the first is closed where the second cannot be made.
      clients.push(await connect(pool))
      clients.push(await connect(pool))
      return await work(...(clients as [PoolClient, PoolClient]))
    } finally {
      // Never given to anybody else: migrations leave settings behind, and the lock is the connection's.
      for (const client of clients) client.release(true)
      await pool.end()
    }
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    const client = await pool.connect()
    client.on('error', () => {})
    return client
  } catch (cause) {
    throw new DomainError('database_unavailable', 'No connection to the database could be made.', {
      cause,
      retryAfterSeconds: 5,
    })
  }
}
