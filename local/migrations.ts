// Runs migrations with node-pg-migrate's own runner, as the owner. There are two kinds: Quoin's own, and the user's.
// Each has a folder and a table of its own, so that an upgrade's new files never come "before" a user's. The user's
// table is the one that the command line of node-pg-migrate uses: either may go on where the other stopped.
//
// The runner keeps its books with unqualified operators. `public` is open to service_role, who could define an `=` that
// fits them better than Postgres' own and have the owner run it: so its own statements see pg_catalog alone, and only
// the migrations' statements see `public`.

import { join } from 'node:path'
import { PG_MIGRATE_LOCK_ID, runner } from 'node-pg-migrate'
import type { Client, QueryConfig } from 'pg'
import { StackError } from './output.ts'
import { withOwner } from './owner-connection.ts'
import { PROJECT_DIR } from './project.ts'
import { waitUntil } from './wait.ts'

export type MigrationDirection = 'up' | 'down'

/** `platform` is Quoin's own; `user` is everything else. */
export type MigrationKind = keyof typeof KINDS

const KINDS = {
  platform: { folder: 'migrations/platform', schema: 'quoin', table: 'platform_migrations' },
  user: { folder: 'migrations', schema: 'public', table: 'pgmigrations' },
} as const

/** Files that are no migrations: hidden ones, and those that the runner cannot load, as a README. */
const NO_MIGRATION = String.raw`(?:\..*|(?!.*\.(?:sql|[cm]?[jt]s)$).*)`
const FIRST_OF_PLATFORM = '0001_create-roles-and-schema'
const LOCK_TIMEOUT_MS = 5_000
const OTHER_RUN_DEADLINE_MS = 60_000

// As the runner would make them. `public.pgmigrations` is there before service_role is: that role could make it too,
// with a trigger that the owner then runs.
const TABLE_COLUMNS = '(id serial primary key, name varchar(255) not null, run_on timestamp not null)'
const MAKE_TABLES = `
  create schema if not exists quoin;
  create table if not exists quoin.platform_migrations ${TABLE_COLUMNS};
  create table if not exists public.pgmigrations ${TABLE_COLUMNS};
`

const BOOKKEEPING = [
  /^select (table|constraint)_name from information_schema\./i,
  /^(alter table|select name from|insert into|delete from) ("quoin"\."platform_migrations"|"public"\."pgmigrations") /i,
]

const BOOKKEEPING_PATH = 'pg_catalog, pg_temp'
const MIGRATION_PATH = 'public, pg_temp'

/**
 * Applies every pending migration of these kinds, one kind after the other, or takes back the last one of each; every
 * one in a transaction of its own. Answers their names. Throws a `StackError` for a database of an older Quoin, before
 * anything changes. The error of a migration that fails is Postgres' own; `log` has its statement and position by then.
 */
export async function runMigrations(
  databaseUrl: string,
  direction: MigrationDirection,
  kinds: readonly MigrationKind[],
  log: (line: string) => void,
): Promise<string[]> {
  return withOwner(databaseUrl, async client => {
    await waitForOtherRun(client)
    await refuseOlderDatabase(client)
    await client.query(MAKE_TABLES)
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}; set statement_timeout = 0`)
    client.on('notice', notice => log(`${notice.severity}: ${notice.message ?? ''}`))
    const dbClient = withSearchPaths(client)
    const names: string[] = []
    for (const kind of kinds) {
      const { folder, schema, table } = KINDS[kind]
      log(`${folder}:`)
      const done = await runner({
        dbClient,
        dir: join(PROJECT_DIR, folder),
        ignorePattern: NO_MIGRATION,
        direction,
        migrationsTable: table,
        migrationsSchema: schema,
        noLock: true,
        log,
      })
      names.push(...done.map(migration => migration.name))
    }
    return names
  })
}

/**
 * Takes the runner's own lock, for all kinds at once; it ends with the connection. Asked for again and again, since a
 * session that waits inside Postgres would hold up the other's CREATE INDEX CONCURRENTLY.
 */
async function waitForOtherRun(client: Client): Promise<void> {
  const wait = { what: 'another run of migrations ends', deadlineMs: OTHER_RUN_DEADLINE_MS }
  await waitUntil(wait, async () => {
    const { rows } = await client.query(`select pg_try_advisory_lock(${PG_MIGRATE_LOCK_ID}) as is_ours`)
    return rows[0].is_ours || undefined
  })
}

/** Before there were two kinds, the user's table had Quoin's own as well. */
async function refuseOlderDatabase(client: Client): Promise<void> {
  const { rows: tables } = await client.query(`
    select to_regclass('quoin.platform_migrations') is null and to_regclass('public.pgmigrations') is not null
      as may_be_older`)
  if (!tables[0].may_be_older) return
  const { rowCount } = await client.query('select from public.pgmigrations where name = $1', [
    FIRST_OF_PLATFORM,
  ])
  if (rowCount === 0) return
  throw new StackError(
    "this database was made by an older Quoin, with Quoin's own migrations in public.pgmigrations: start over, " +
      'locally with `npm run dev -- --reset`, elsewhere with an empty database',
  )
}

/** The same client for the runner, with the search path that each of its statements may see. */
function withSearchPaths(client: Client): Client {
  let current: string | undefined
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
