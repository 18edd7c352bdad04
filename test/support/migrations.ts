// Databases that Quoin has moved into, and the migration runner on them as the Worker and `npm run migrate` have it,
// with files of the test's own.

import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { expect, inject } from 'vitest'
import { readMigrationFolder } from '../../cli/migration-folder.ts'
import { runMigrations } from '../../cli/migrations.ts'
import { withOwner } from '../../cli/support/owner-connection.ts'
import { compare } from '../../src/features/migrations/compare.ts'
import type { MigrationFile } from '../../src/features/migrations/migration-file.ts'
import {
  type BatchResult,
  BatchRunner,
  type BatchSettings,
} from '../../src/features/migrations/runner/batch-runner.ts'
import { readTracked, USER_MIGRATIONS } from '../../src/features/migrations/runner/tracking-table.ts'
import { connectOwner } from './postgres.ts'

/** Names, also in folders, and texts; an array of bytes for what is no text. */
export type Files = Readonly<Record<string, string | Uint8Array>>

export interface MigrationDatabase extends AsyncDisposable {
  readonly url: string
  /** Connected as the owner. */
  readonly owner: Client
}

let template: Promise<string> | undefined

/** A database with all of Quoin's own migrations, in a quarter of a second behind the first. */
export async function migrationDatabase(): Promise<MigrationDatabase> {
  template ??= makeTemplate()
  const name = newName()
  await run(`create database ${name} template ${await template}`)
  const url = urlOf(name)
  const owner = new Client({ connectionString: url })
  owner.on('error', () => {
    // The query under way fails by itself.
  })
  await owner.connect()
  return {
    url,
    owner,
    async [Symbol.asyncDispose]() {
      await owner.end()
      // Postgres waits for what still closes. By force it would end its own vacuum too, which an owner may not.
      await run(`drop database ${name}`)
    },
  }
}

async function makeTemplate(): Promise<string> {
  const name = newName()
  await run(`create database ${name}`)
  await runMigrations(urlOf(name), 'up', ['platform'], () => {})
  return name
}

const newName = () => `migrations_${randomBytes(6).toString('hex')}`

async function run(sql: string): Promise<void> {
  await using client = await connectOwner()
  await client.query(sql)
}

export function urlOf(database: string): string {
  const url = new URL(inject('stack').database_url)
  url.pathname = `/${database}`
  return url.href
}

/** The files as the folder's reader has them. */
export function readFiles(files: Files): MigrationFile[] {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-migrations-'))
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), content)
    }
    return readMigrationFolder(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs `work` with a runner over the files, on a connection of its own. */
export async function withRunner<T>(
  { url }: MigrationDatabase,
  given: Files,
  work: (runner: BatchRunner, files: readonly MigrationFile[]) => Promise<T>,
  more: Partial<BatchSettings> = {},
): Promise<T> {
  const files = readFiles(given)
  return withOwner(url, client => {
    const settings = {
      table: USER_MIGRATIONS,
      files,
      extraSearchPath: [],
      statementTimeoutMs: 0,
      assertLocked: async () => {},
    }
    return work(new BatchRunner(client, { ...settings, ...more }), files)
  })
}

/** Runs all that are pending among the files. */
export function applyPending(
  database: MigrationDatabase,
  given: Files,
  more: Partial<BatchSettings> = {},
): Promise<BatchResult> {
  const apply = async (runner: BatchRunner, files: readonly MigrationFile[]) => {
    const entries = compare(files, await readTracked(runner.ask, USER_MIGRATIONS))
    return runner.apply(files.filter((_, i) => entries[i]?.state === 'pending'))
  }
  return withRunner(database, given, apply, more)
}

/** Rows as JSON, by catalog. */
export type Snapshot = ReadonlyMap<string, readonly string[]>

/**
 * All that the catalog says of the database, and what is recorded of migrations. Statistics, and catalogs that all
 * databases of the server share, are left out.
 */
export async function snapshot(owner: Client): Promise<Snapshot> {
  const { rows: catalogs } = await owner.query(`
    select c.relname as name from pg_catalog.pg_class c
    where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind = 'r' and not c.relisshared
      and c.relname <> 'pg_statistic' and pg_catalog.has_table_privilege(c.oid, 'select')
    order by 1`)
  const tables = [
    ...catalogs.map(row => `pg_catalog.${row.name}`),
    'public.pgmigrations',
    'quoin.migration_hashes',
  ]
  const moving = "'{relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid}'::text[]"
  const rowsOf = async (table: string) => {
    const { rows } = await owner.query(`select (to_jsonb(t) - ${moving})::text as row from ${table} t`)
    return rows.map(({ row }) => row as string).sort()
  }
  const found = new Map<string, readonly string[]>()
  for (const table of tables) found.set(table, await rowsOf(table))
  return found
}

/** At most three rows of each catalog that came or went. */
export function changesBetween(before: Snapshot, after: Snapshot): string[] {
  return [...before].flatMap(([table, rows]) => {
    const [old, now] = [new Set(rows), new Set(after.get(table))]
    const changed = [...rows.filter(row => !now.has(row)), ...[...now].filter(row => !old.has(row))]
    return changed.slice(0, 3).map(row => `${table}: ${row}`)
  })
}

/** What is said of the one file that fails; none is applied. */
export async function failureOf(
  database: MigrationDatabase,
  files: Files,
  more: Partial<BatchSettings> = {},
) {
  const result = await applyPending(database, files, more)
  expect(result).toMatchObject({ applied: [], outside: [], isRolledBack: true })
  const { failure } = result
  if (failure === null) throw new Error('nothing failed')
  const { file, message, code, place, hint } = failure
  return { file: file.name, error: message, code, hint, statement: place.excerpt, line: place.line }
}
