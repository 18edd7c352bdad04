// The database of a local outside system: a pool of connections, its tables, transactions. Knows none of its records.

import { Pool, type PoolClient, type QueryResultRow } from 'pg'

const CONNECT_TIMEOUT_MS = 10_000
const STATEMENT_TIMEOUT_MS = 15_000
const POOL_SIZE = 8
/** Any number, the same in every process: two of one system never make their tables at the same time. */
const TABLES_LOCK = 44_444_445

export interface Queryable {
  /** With a name each connection prepares the statement once: for those that run all the time. */
  query<R extends QueryResultRow>(
    sql: string,
    params?: unknown[],
    name?: string,
  ): Promise<{ rows: R[]; rowCount: number | null }>
}

export interface Database extends Queryable {
  /** Commits what `work` did, or rolls it back when it throws. */
  inTransaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface DatabaseSettings {
  connectionString: string
  /** Names the connections in Postgres' own list of them. */
  applicationName: string
  /** Statements that make the system's tables, each safe to repeat, in their order. */
  tables: readonly string[]
}

/** Connects and makes the tables that are not there; rejects when the database is out of reach. */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const pool = new Pool({
    connectionString: settings.connectionString,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: settings.applicationName,
  })
  pool.on('error', () => {
    // An idle connection broke, as it does when Postgres restarts: the pool opens another for the next query.
  })
  const inTransaction = <T>(work: (tx: Queryable) => Promise<T>) => transact(pool, work)
  try {
    await inTransaction(async tx => {
      await tx.query('select pg_advisory_xact_lock($1)', [TABLES_LOCK])
      for (const table of settings.tables) await tx.query(table)
    })
  } catch (err) {
    await pool.end()
    throw err
  }
  return { query: queryOf(pool), inTransaction, close: () => pool.end() }
}

async function transact<T>(pool: Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work({ query: queryOf(client) })
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

function queryOf(connection: Pool | PoolClient): Queryable['query'] {
  return (text, values = [], name) =>
    connection.query(name === undefined ? { text, values } : { text, values, name })
}

/** Whether Postgres refused a value that is taken already. */
export function isUniqueViolation(err: unknown): boolean {
  return err instanceof Error && 'code' in err && err.code === '23505'
}
