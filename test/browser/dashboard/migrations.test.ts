// Migrations: what is pending and what it would lock, runs that fail and succeed, marking as applied, accepting a file
// that was changed. With a Worker, a database and a dashboard of its own: the shared stack has no migrations.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { Children } from '../../../local/children.ts'
import { startDashboard } from '../../../local/dashboard.ts'
import { freePorts } from '../../../local/ports.ts'
import { type Gateway, startGateway } from '../../../sql-gateway/server.ts'
import { type WorkerOfProject, workerWithMigrations } from '../../support/built-worker.ts'
import { type MigrationDatabase, migrationDatabase } from '../../support/migrations.ts'
import { startTestWorker, type TestWorker } from '../../support/worker.ts'
import { visit } from './visitor.ts'

const FILES = {
  '0001_notes.sql': 'create table notes (id int primary key);\n',
  '0002_tag.sql': '-- Up Migration\nalter table notes add tag text;\n-- Down Migration\nselect 1;\n',
  '0003_index.sql': '-- quoin:no-transaction\ncreate index concurrently notes_tag on notes (tag);\n',
  '0004_wrong.sql': 'create table kept ();\ninsert into nowhere values (1);\n',
  '0005_there.sql': 'create table there (id int);\n',
  '0006_broken.cjs': 'exports.up = pgm => {\n',
}

const dataDir = mkdtempSync(join(tmpdir(), 'quoin-dashboard-'))
const children = new Children(dataDir, new AbortController())
let built: WorkerOfProject
let database: MigrationDatabase
let gateway: Gateway
let quoin: TestWorker
let dashboardUrl: string

beforeAll(async () => {
  mkdirSync(join(dataDir, 'logs'))
  const [port = 0] = await freePorts(1)
  dashboardUrl = `http://127.0.0.1:${port}`
  built = await workerWithMigrations(FILES)
  database = await migrationDatabase()
  gateway = await startGateway({ databaseUrls: [database.url] })
  const vars = { DATABASE_URL: database.url, SQL_GATEWAY_URL: gateway.url, DASHBOARD_URL: dashboardUrl }
  quoin = await startTestWorker({ built, vars })
  await serveDashboard(port, quoin.url)
})

afterAll(async () => {
  await children.endAll()
  await quoin?.close()
  await gateway?.close()
  await database?.[Symbol.asyncDispose]()
  built?.remove()
  rmSync(dataDir, { recursive: true })
})

/** Built for the Worker's address, as a stack does it. */
async function serveDashboard(port: number, apiUrl: string): Promise<void> {
  const { oauth_public_url, identity_public_url } = inject('stack')
  await startDashboard(children, {
    dataDir,
    port,
    apiUrl,
    oauthPublicUrl: oauth_public_url ?? '',
    identityPublicUrl: identity_public_url ?? '',
    watches: false,
  })
}

async function readOne(sql: string): Promise<unknown> {
  const { rows } = await database.owner.query({ text: sql, rowMode: 'array' })
  return rows[0]?.[0]
}

it('says what is pending, runs it all or not at all, and says where it failed', async () => {
  // Every session may.
  await using seat = await visit('/database/migrations?file=0000_none.sql', { who: 'user', dashboardUrl })
  const { page } = seat
  const dialog = page.getByRole('dialog')

  await dialog.getByText('Migration not found').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Now is a good moment').waitFor()
  await page.getByRole('row', { name: /0003_index\.sql Pending.*Outside a transaction/ }).waitFor()
  await page.getByRole('row', { name: /0006_broken\.cjs Cannot run/ }).waitFor()
  await page.getByRole('button', { name: 'Run pending (6)' }).click()
  expect(await dialog.getByRole('checkbox', { name: /^0006_broken/ }).isDisabled()).toBe(true)
  await dialog.getByText('A file outside a transaction splits the run').waitFor()
  await dialog.getByRole('checkbox', { name: '0003_index.sql' }).click()
  await dialog.getByRole('button', { name: 'Run 4 migrations' }).click()
  await dialog.getByText('0004_wrong.sql failed: the whole batch was rolled back.').waitFor()
  await dialog.getByText('Nothing was changed.').waitFor()
  await dialog.getByText('relation "nowhere" does not exist').waitFor()
  await dialog.getByText('0004_wrong.sql, line 2').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  expect(await readOne("select to_regclass('notes')")).toBeNull()

  await page.getByRole('link', { name: '0002_tag.sql' }).click()
  await dialog.getByText('As the marks of node-pg-migrate divide the file.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: '0001_notes.sql' }).click()
  await dialog.getByText('create table notes (id int primary key);').waitFor()
  await dialog.getByRole('button', { name: 'Run this one' }).click()
  await dialog.getByRole('button', { name: 'Run 1 migration' }).click()
  await dialog.getByText('Applied 1 migration.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('row', { name: /0001_notes\.sql Applied/ }).waitFor()

  // Now there is a table that a run would lock; the run waits for somebody who holds it, and says that it runs.
  await page.getByText('Nobody can read or write public.notes until the run commits.').waitFor()
  await page.getByRole('button', { name: 'Run pending (5)' }).click()
  await dialog.getByText('Until it ends nobody can read or write public.notes.').waitFor()
  await dialog.getByRole('checkbox', { name: '0004_wrong.sql' }).click()
  await dialog.getByRole('checkbox', { name: '0005_there.sql' }).click()
  await database.owner.query('begin; lock table notes')
  await dialog.getByRole('button', { name: 'Run 2 migrations' }).click()
  await dialog.getByText(/Running for \d+ s/).waitFor()
  await database.owner.query('commit')
  await dialog.getByText('Applied 2 migrations, 1 of them outside a transaction.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  expect(await readOne("select to_regclass('notes_tag')")).toBe('notes_tag')
  expect(seat.complaints).toEqual([])
})

it('marks what is there already as applied, accepts a changed file and shows an orphaned one', async () => {
  await database.owner.query(`
    create table there (id int);
    insert into pgmigrations (name, run_on) values ('0000_gone', now());
    insert into pgmigrations (name, run_on) select '0001_notes', now()
      where not exists (select from pgmigrations where name = '0001_notes');
    insert into quoin.migration_hashes (migration_id, name, hash)
      select id, name, repeat('0', 64) from pgmigrations where name = '0001_notes'
      on conflict (migration_id) do update set hash = excluded.hash`)
  await using seat = await visit('/database/migrations?file=0005_there.sql', { dashboardUrl })
  const { page } = seat
  const dialog = page.getByRole('dialog')

  await dialog.getByRole('button', { name: 'Check what exists' }).click()
  await dialog.getByText('The one object exists: mark the migration as applied.').waitFor()
  await dialog.getByRole('button', { name: 'Mark as applied' }).click()
  await dialog.last().getByRole('button', { name: 'Mark as applied' }).click()
  await dialog.getByText('It was run, and the file is unchanged.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('tab', { name: 'Modified 1' }).click()
  await page.getByRole('link', { name: '0001_notes.sql' }).click()
  await dialog.getByRole('button', { name: 'Accept the file' }).click()
  await dialog.getByText(/Its content when it was applied is unknown/).waitFor()
  await dialog.last().getByRole('button', { name: 'Accept the file' }).click()
  await dialog.getByText('It was run, and the file is unchanged.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('tab', { name: 'Orphaned 1' }).click()
  await page.getByRole('link', { name: '0000_gone' }).click()
  await dialog.getByText('It was applied, and its file is gone.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('button', { name: 'Detect schema' }).click()
  await dialog
    .getByLabel('SQL of a migration')
    .fill('create table there (); create index elsewhere on there (id)')
  await dialog.getByRole('button', { name: 'Detect objects' }).click()
  await dialog.getByText(/1 of 2 objects exist; missing: index elsewhere/).waitFor()
  expect(await readOne("select to_regclass('elsewhere')")).toBeNull()
  expect(seat.complaints).toEqual([])
})
