// The OAuth2 server's own database: a pool of connections, its tables, transactions. Knows no clients and no tokens.

import { Pool, type QueryResultRow } from 'pg'
import { TABLES } from './tables.ts'

const CONNECT_TIMEOUT_MS = 10_000
const STATEMENT_TIMEOUT_MS = 15_000
const POOL_SIZE = 8
/** Any number, the same in every process that makes these tables. */
const TABLES_LOCK = 4_444_4445

export interface Queryable {
  query<R extends QueryResultRow>(
    sql: string,
    params?: unknown[],
  ): Promise<{ rows: R[]; rowCount: number | null }>
}

export interface Database extends Queryable {
  /** Commits what `work` did, or rolls it back when it throws. */
  inTransaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Connects and makes the tables that are not there; rejects when the database is out of reach. */
export async function openDatabase(connectionString: string): Promise<Database> {
  const pool = new Pool({
    connectionString,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'quoin:oauth-server',
  })
  pool.on('error', () => {
    // An idle connection broke, as it does when Postgres restarts: the pool opens another for the next query.
  })
  const inTransaction = <T>(work: (tx: Queryable) => Promise<T>) => transact(pool, work)
  try {
    await inTransaction(async tx => {
      await tx.query('select pg_advisory_xact_lock($1)', [TABLES_LOCK])
      for (const table of TABLES) await tx.query(table)
    })
  } catch (err) {
    await pool.end()
    throw err
  }
  return { query: (sql, params) => pool.query(sql, params), inTransaction, close: () => pool.end() }
}

async function transact<T>(pool: Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work({ query: (sql, params) => client.query(sql, params) })
    await client.query('commit')
    return result
  } catch (err) {
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    throw err
  } finally {
    client.release(broken)
  }
}

/** Whether Postgres refused a value that is taken already. */
export function isUniqueViolation(err: unknown): boolean {
  return err instanceof Error && 'code' in err && err.code === '23505'
}
