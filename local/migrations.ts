// Runs the files of `migrations/` with node-pg-migrate's own runner, as the owner. Its table `public.pgmigrations` is
// the one that its command line uses, so that either may go on where the other stopped.
//
// The runner keeps its books with unqualified operators. `public` is open to service_role, who could define an `=` that
// fits them better than Postgres' own and have the owner run it: so its own statements see pg_catalog alone, and only
// the migrations' statements see `public`.

import { resolve } from 'node:path'
import { runner } from 'node-pg-migrate'
import type { Client, QueryConfig } from 'pg'
import { withOwner } from './owner-connection.ts'

export type MigrationDirection = 'up' | 'down'

const MIGRATIONS_TABLE = 'pgmigrations'
const MIGRATIONS_DIR = resolve(import.meta.dirname, '..', 'migrations')
const LOCK_TIMEOUT_MS = 5_000

const BOOKKEEPING = [
  /^select pg_(try_)?advisory_(un)?lock\(/i,
  /^select (table|constraint)_name from information_schema\./i,
  /^(create table|alter table|select name from|insert into|delete from) "public"\."pgmigrations" /i,
]

const BOOKKEEPING_PATH = 'pg_catalog, pg_temp'
const MIGRATION_PATH = 'public, pg_temp'

/**
 * Applies every pending migration, or takes back the last one, each in a transaction of its own; answers their names.
 * The error of a migration that fails is Postgres' own; `log` has its statement and position by then.
 */
export async function runMigrations(
  databaseUrl: string,
  direction: MigrationDirection,
  log: (line: string) => void,
): Promise<string[]> {
  return withOwner(databaseUrl, async client => {
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}; set statement_timeout = 0`)
    client.on('notice', notice => log(`${notice.severity}: ${notice.message ?? ''}`))
    const done = await runner({
      dbClient: withSearchPaths(client),
      dir: MIGRATIONS_DIR,
      direction,
      migrationsTable: MIGRATIONS_TABLE,
      migrationsSchema: 'public',
      advisoryLockMode: 'wait',
      log,
    })
    return done.map(migration => migration.name)
  })
}

/** The same client for the runner, with the search path that each of its statements may see. */
function withSearchPaths(client: Client): Client {
  let current: string | undefined = BOOKKEEPING_PATH
  const query = async (statement: string | QueryConfig, values?: unknown[]) => {
    const text = typeof statement === 'string' ? statement : statement.text
    const wanted = BOOKKEEPING.some(pattern => pattern.test(text.trim())) ? BOOKKEEPING_PATH : MIGRATION_PATH
    if (wanted !== current) {
      await client.query(`set search_path = ${wanted}`)
      current = wanted
    }
    try {
      return await client.query(statement, values)
    } catch (err) {
      // The runner leaves a failed transaction open, in which it could not even give back its lock.
      await client.query('rollback')
      current = undefined
      throw err
    }
  }
  return new Proxy(client, {
    get: (target, property) => {
      if (property === 'query') return query
      const value: unknown = Reflect.get(target, property, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
