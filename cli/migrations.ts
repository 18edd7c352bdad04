// Runs migrations from the command line and at the stack's start, with the Worker's own runner: the same lock, hashes,
// search path and transaction. There are two kinds, Quoin's own and the user's. Each has a folder and a table of its
// own, so that an upgrade's new files never come "before" a user's.

import { join } from 'node:path'
import type { Client } from 'pg'
import { DomainError } from '../src/errors.ts'
import { compare } from '../src/features/migrations/compare.ts'
import { isRecordOf, isRecordOfUndo, type MigrationFile } from '../src/features/migrations/migration-file.ts'
import { type BatchResult, BatchRunner } from '../src/features/migrations/runner/batch-runner.ts'
import { MigrationFailure } from '../src/features/migrations/runner/migration-failure.ts'
import type { MigrationDirection } from '../src/features/migrations/runner/migration-steps.ts'
import { type RunLock, takeRunLock } from '../src/features/migrations/runner/run-lock.ts'
import {
  type Ask,
  PLATFORM_MIGRATIONS,
  readTracked,
  type TrackingTable,
  USER_MIGRATIONS,
} from '../src/features/migrations/runner/tracking-table.ts'
import { FIRST_OF_PLATFORM, refuseUnadoptable } from './adoption/index.ts'
import { readMigrationFolder } from './migration-folder.ts'
import { StackError } from './support/output.ts'
import { withOwner } from './support/owner-connection.ts'
import { PROJECT_DIR } from './support/project.ts'
import { waitUntil } from './support/wait.ts'

export type { MigrationDirection }

/** `platform` is Quoin's own; `user` is everything else. */
export type MigrationKind = keyof typeof KINDS

const KINDS = {
  platform: { folder: 'migrations/platform', table: PLATFORM_MIGRATIONS },
  user: { folder: 'migrations', table: USER_MIGRATIONS },
} as const satisfies Record<string, { folder: string; table: TrackingTable }>

const OTHER_RUN_DEADLINE_MS = 60_000

// As node-pg-migrate would make them. `public.pgmigrations` is there before service_role is: that role could make it
// too, with a trigger that the owner then runs. Default privileges may open new tables at once: so each is closed in
// the transaction that makes it.
const TABLE_COLUMNS = '(id serial primary key, name varchar(255) not null, run_on timestamp not null)'
const MAKE_TABLES = `
  do $do$
  declare
    wanted text;
    opened record;
  begin
    if not exists (select from pg_namespace where nspname = 'quoin') then
      create schema quoin;
    end if;
    foreach wanted in array array['quoin.platform_migrations', 'public.pgmigrations'] loop
      continue when to_regclass(wanted) is not null;
      execute format('create table %s ${TABLE_COLUMNS}', wanted);
      for opened in
        select distinct case c.relkind when 'S' then 'sequence' else 'table' end as kind, c.oid::regclass as name,
          case a.grantee when 0 then 'public' else a.grantee::regrole::text end as grantee
        from pg_class c cross join aclexplode(c.relacl) a
        where a.grantee <> c.relowner
          and c.oid in (to_regclass(wanted), to_regclass(pg_get_serial_sequence(wanted, 'id')))
      loop
        execute format('revoke all on %s %s from %s', opened.kind, opened.name, opened.grantee);
      end loop;
    end loop;
  end
  $do$;
`

/**
 * Applies every pending migration of these kinds, one kind after the other and each in one transaction, or takes back
 * the last one of each. Answers their names. Throws a `StackError` that says which migration failed, where and why, and
 * one for a database of an older Quoin, or that Quoin may not move into, before anything changes. Names in migrations
 * are looked up in `public` and in the schemas of `extraSearchPath`.
 */
export async function runMigrations(
  databaseUrl: string,
  direction: MigrationDirection,
  kinds: readonly MigrationKind[],
  log: (line: string) => void,
  extraSearchPath: readonly string[] = [],
): Promise<string[]> {
  return withOwner(databaseUrl, lock =>
    withOwner(databaseUrl, async client => {
      const { assertLocked } = await waitForOtherRun(lock)
      await refuseOlderDatabase(client)
      await refuseUnadoptable(client, direction)
      await client.query(MAKE_TABLES)
      client.on('notice', notice => log(`${notice.severity}: ${notice.message ?? ''}`))
      const names: string[] = []
      for (const kind of kinds) {
        const { folder, table } = KINDS[kind]
        const files = readMigrationFolder(join(PROJECT_DIR, folder))
        const onFile = (name: string) =>
          log(`${direction === 'up' ? 'applying' : 'taking back'} ${folder}/${name}`)
        // Whoever sits at a command line can end it: a statement may take its time.
        const runner = new BatchRunner(client, {
          assertLocked,
          table,
          files,
          extraSearchPath,
          statementTimeoutMs: 0,
          onParts: parts => logParts(parts, log),
          onFile,
        })
        const done = direction === 'up' ? applyAll(runner, table, files) : takeBackLast(runner, table, files)
        names.push(...(await done))
      }
      return names
    }),
  )
}

/**
 * The names of migrations that `up` would apply, by kind. Reads only; a database that Quoin is not in has all of them.
 * Throws as `runMigrations` for tables that cannot be relied on.
 */
export async function pendingMigrations(databaseUrl: string): Promise<Record<MigrationKind, string[]>> {
  return withOwner(databaseUrl, async client => {
    const ask: Ask = async <Row>(sql: string, params?: readonly (string | null)[]) =>
      (await client.query(sql, params && [...params])).rows as Row[]
    const pendingOf = async (kind: MigrationKind) => {
      const { folder, table } = KINDS[kind]
      const files = readMigrationFolder(join(PROJECT_DIR, folder))
      const [found] = await ask<{ is_there: boolean }>('select to_regclass($1) is not null as is_there', [
        `${table.schema}.${table.name}`,
      ])
      const tracked = found?.is_there ? await trackedBy(ask, table) : []
      const entries = compare(files, tracked)
      return files.filter((_, i) => entries[i]?.state === 'pending').map(({ recordedAs }) => recordedAs)
    }
    return { platform: await pendingOf('platform'), user: await pendingOf('user') }
  })
}

async function applyAll(
  runner: BatchRunner,
  table: TrackingTable,
  files: readonly MigrationFile[],
): Promise<string[]> {
  const entries = compare(files, await trackedBy(runner.ask, table))
  const result = await runner.apply(files.filter((_, i) => entries[i]?.state === 'pending'))
  if (result.failure !== null) throw new StackError(failureText(result.failure, endingOf(result)))
  return result.applied.map(file => file.recordedAs)
}

/** The one that was applied last; its file must still be there. */
async function takeBackLast(
  runner: BatchRunner,
  table: TrackingTable,
  files: readonly MigrationFile[],
): Promise<string[]> {
  const tracked = await trackedBy(runner.ask, table)
  const last = tracked.findLast(({ name }) => !isRecordOfUndo(files, name))
  if (last === undefined) return []
  const file = files.find(it => isRecordOf(it, last.name))
  if (file === undefined) throw new StackError(`the file of ${last.name} is gone: it cannot be taken back`)
  try {
    await runner.takeBack(file, last)
  } catch (err) {
    if (err instanceof MigrationFailure) throw new StackError(failureText(err, ''))
    throw err
  }
  return [last.name]
}

/** Hashes came with one of Quoin's own migrations: until that has run there are none. */
async function trackedBy(ask: Ask, table: TrackingTable) {
  const [found] = await ask<{ has_hashes: boolean }>(
    "select to_regclass('quoin.migration_hashes') is not null as has_hashes",
  )
  return readTracked(ask, found?.has_hashes ? table : { ...table, hasHashes: false })
}

/** Said beforehand where not all is one transaction. */
function logParts(parts: BatchResult['parts'], log: (line: string) => void): void {
  if (parts.every(({ inTransaction }) => inTransaction)) return
  parts.forEach(({ files, inTransaction }, i) => {
    const names = files.map(({ name }) => name).join(', ')
    log(`part ${i + 1} of ${parts.length}, ${inTransaction ? 'one transaction' : 'no transaction'}: ${names}`)
  })
}

function endingOf({ applied, isRolledBack }: BatchResult): string {
  const committed =
    applied.length === 0 ? '' : `; committed before it: ${applied.map(it => it.name).join(', ')}`
  if (!isRolledBack) return `it ran outside of a transaction: what it had done stays${committed}`
  return `${applied.length === 0 ? 'the whole batch' : 'what ran with it'} was rolled back${committed}`
}

function failureText({ file, place, message, detail, hint }: MigrationFailure, ending: string): string {
  // What is wrong with a file as a whole says its name.
  const where =
    place.line !== null ? `${file.path}:${place.line}` : message.startsWith(file.path) ? '' : file.path
  const excerpt = place.excerpt === '' ? '' : `\n${place.excerpt.replaceAll(/^/gm, '  ')}\n`
  return [where === '' ? message : `${where}: ${message}`, detail, hint, excerpt, ending]
    .filter(Boolean)
    .join('\n')
}

/**
 * Takes the lock for all kinds at once; it ends with the connection. Asked for again and again, since a session that
 * waits inside Postgres would hold up the other's CREATE INDEX CONCURRENTLY.
 */
async function waitForOtherRun(lock: Client): Promise<RunLock> {
  const wait = { what: 'another run of migrations ends', deadlineMs: OTHER_RUN_DEADLINE_MS }
  const taken = await waitUntil(wait, async () => {
    try {
      return { lock: await takeRunLock(lock) }
    } catch (err) {
      const isHeld = err instanceof DomainError && err.code === 'migrations_running'
      if (isHeld) throw new Error(err.detail)
      return { problem: err }
    }
  })
  if (taken.lock === undefined) throw taken.problem
  return taken.lock
}

/** Before there were two kinds, the user's table had Quoin's own as well. A table of somebody else's is not read. */
async function refuseOlderDatabase(client: Client): Promise<void> {
  const { rows: tables } = await client.query(`
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.oid = c.relowner
    where n.nspname = 'public' and c.relname = 'pgmigrations' and c.relkind = 'r' and r.rolname = current_user
      and not exists (select from pg_class p join pg_namespace q on q.oid = p.relnamespace
        where q.nspname = 'quoin' and p.relname = 'platform_migrations')`)
  if (tables.length === 0) return
  const { rowCount } = await client.query('select from public.pgmigrations where name = $1', [
    FIRST_OF_PLATFORM,
  ])
  if (rowCount === 0) return
  throw new StackError(
    "this database was made by an older Quoin, with Quoin's own migrations in public.pgmigrations: start over, " +
      'locally with `npm run dev -- --reset`, elsewhere with an empty database',
  )
}
