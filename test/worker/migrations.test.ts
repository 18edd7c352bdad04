// /api/migrations in the real bundle, with a folder of the test's own and the Neon driver's sessions through the
// gateway. What a run does to the database is shown without a Worker: test/contract/migrations-*.test.ts.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { readMigrationFolder } from '../../cli/migration-folder.ts'
import { PROJECT_DIR } from '../../cli/support/project.ts'
import { type Gateway, startGateway } from '../../sql-gateway/server.ts'
import { type WorkerOfProject, workerWithMigrations } from '../support/built-worker.ts'
import { type MigrationDatabase, migrationDatabase, urlOf } from '../support/migrations.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const NOTES = `exports.up = pgm => pgm.createTable('notes', { id: 'id', body: { type: 'text' } })
exports.down = pgm => pgm.dropTable('notes')
`
const INSERT = `insert into large values ('${'x'.repeat(10_000)}');\n`
const FILES = {
  '0001_notes.cjs': NOTES,
  '0002_tag.sql':
    '-- Up Migration\nalter table notes add tag text;\n-- Down Migration\nalter table notes drop tag;\n',
  '0003_index.sql': '-- quoin:no-transaction\ncreate index concurrently notes_tag on notes (tag);\n',
  '0004_wrong.sql': "insert into notes (body) values ('kept?');\ninsert into nowhere values (1);\n",
  '0005_waits.sql': 'create table waits ();\nselect pg_advisory_xact_lock(1);\n',
  '0006_loops.sql': 'create table loops ();\ndo $$ begin loop perform 1; end loop; end $$;\n',
  '0007_exits.cjs': "exports.up = pgm => { pgm.sql('create table exits ()'); process.exit(0) }\n",
  '0008_broken.cjs': 'exports.up = pgm => {\n',
  '0009_large.sql': `create table large (words text);\n${INSERT.repeat(500)}`,
}
/** Two migrations in the forms of other tools. */
const OTHER_TOOLS = {
  '0010_pair.up.sql': '-- +goose Up\ncreate table pair ();\n-- made by hand\n',
  '0010_pair.down.sql': 'drop table if exists notes, pair;\n',
  '0011_folder/migration.sql': 'create table folder ();\n',
}
const NAMES = [...Object.keys(FILES), '0010_pair', '0011_folder']
const FIRST_TWO = ['0001_notes.cjs', '0002_tag.sql']

let built: WorkerOfProject
let database: MigrationDatabase
let gateway: Gateway
let quoin: TestWorker

beforeAll(async () => {
  built = await workerWithMigrations({ ...FILES, ...OTHER_TOOLS })
})
afterAll(() => built?.remove())

beforeEach(async () => {
  database = await migrationDatabase()
  gateway = await startGateway({ databaseUrls: [database.url] })
  quoin = await startTestWorker({
    built,
    vars: {
      DATABASE_URL: database.url,
      SQL_GATEWAY_URL: gateway.url,
      MIGRATION_STATEMENT_TIMEOUT_MS: '3000',
    },
  })
})
afterEach(async () => {
  await quoin.close()
  await gateway.close()
  await database[Symbol.asyncDispose]()
})

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape, which the tests look into.
  readonly json: any
}

async function call(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
  const response = await quoin.fetch(`/api/migrations/${path}`, {
    method,
    headers: { cookie: inject('stack').session_cookie_user ?? '', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  return { status: response.status, json: await response.json() }
}

const run = (...migrations: string[]) => call('POST', 'idempotent/run', { migrations })
const status = async () => (await call('GET', 'idempotent/status')).json
const stateOf = async (name: string) =>
  (await status()).migrations.find((entry: { name: string }) => entry.name === name)?.state

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

async function ask(sql: string) {
  return (await database.owner.query(sql)).rows
}

async function connectTo(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString })
  await client.connect()
  return client
}

const audits = () =>
  ask(
    'select action, target_id, outcome, error_code, before, after from quoin.audit_logs order by created_at, id',
  )

it('shows what is pending, runs it and shows what is applied', async () => {
  const before = await status()
  expect(before.summary).toEqual({ applied: 0, pending: 11, modified: 0, orphaned: 0 })
  expect(before.migrations[0]).toEqual({
    name: '0001_notes.cjs',
    state: 'pending',
    applied_at: null,
    stored_hash: null,
    file_hash: hashOf(NOTES),
    problem: null,
  })
  expect(await run(...FIRST_TWO, '0003_index.sql')).toEqual({
    status: 200,
    json: {
      ok: true,
      summary: 'Applied 3 migrations, 1 of them outside a transaction.',
      applied: [...FIRST_TWO, '0003_index.sql'].map(name => ({
        name,
        hash: hashOf(FILES[name as keyof typeof FILES]),
      })),
      failed: null,
      outside_transaction: ['0003_index.sql'],
      parts: [
        { migrations: FIRST_TWO, in_transaction: true },
        { migrations: ['0003_index.sql'], in_transaction: false },
      ],
    },
  })
  const after = await status()
  expect(after.summary).toEqual({ applied: 3, pending: 8, modified: 0, orphaned: 0 })
  expect(after.migrations[0]).toMatchObject({ state: 'applied', stored_hash: hashOf(NOTES) })
  expect(Math.abs(Date.parse(after.migrations[0].applied_at) - Date.now())).toBeLessThan(60_000)
  expect(after).toMatchObject({
    framework: "JavaScript migration library (the service's own)",
    tracking_table: 'public.pgmigrations',
  })
  expect(await audits()).toMatchObject([
    {
      action: 'migrations.run',
      outcome: 'succeeded',
      after: { applied: [{ name: '0001_notes.cjs' }, {}, {}] },
    },
  ])
})

it('runs all that are pending, and takes everything back when one fails', async () => {
  const { status: code, json } = await call('POST', 'idempotent/run')
  expect([code, json.ok, json.applied]).toEqual([200, false, []])
  expect(json.summary).toBe('0008_broken.cjs failed: the whole batch was rolled back.')
  expect(json.failed).toMatchObject({
    name: '0008_broken.cjs',
    error: expect.stringContaining('SyntaxError'),
    statement: '',
  })

  const { json: wrong } = await run('0004_wrong.sql', ...FIRST_TWO)
  expect(wrong).toMatchObject({
    ok: false,
    applied: [],
    summary: '0004_wrong.sql failed: the whole batch was rolled back.',
  })
  expect(wrong.failed).toEqual({
    name: '0004_wrong.sql',
    error: 'relation "nowhere" does not exist',
    statement: 'insert into nowhere values (1)',
    line: 2,
    code: '42P01',
    detail: null,
    hint: null,
  })
  expect(
    await ask("select to_regclass('notes') as notes, (select count(*)::int from pgmigrations) as n"),
  ).toEqual([{ notes: null, n: 0 }])
  expect(await audits()).toMatchObject([
    { outcome: 'failed', error_code: 'migration_failed', before: { migrations: NAMES } },
    {
      outcome: 'failed',
      error_code: 'migration_failed',
      before: { migrations: [...FIRST_TWO, '0004_wrong.sql'] },
    },
  ])
})

it('answers to names that it cannot run', async () => {
  await run('0001_notes.cjs')
  expect(await run('0001_notes.cjs')).toMatchObject({ status: 409, json: { code: 'migration_applied' } })
  for (const verb of ['run', 'mark-applied', 'accept']) {
    const body = (name: string) => (verb === 'run' ? { migrations: [name] } : { migration: name })
    expect(await call('POST', `idempotent/${verb}`, body('0099_gone.sql'))).toMatchObject({
      status: 404,
      json: { code: 'not_found', detail: expect.stringContaining('0002_tag.sql') },
    })
    for (const path of ['../0002_tag.sql', 'platform/0001_create-roles-and-schema.cjs', 'a\\b.sql', '..'])
      expect(await call('POST', `idempotent/${verb}`, body(path))).toMatchObject({ status: 400 })
  }
  expect(await run()).toMatchObject({ status: 200, json: { ok: true, applied: [] } })
  expect(await stateOf('0002_tag.sql')).toBe('pending')
})

it('shows the text of a file', async () => {
  const { json } = await call('GET', 'preview/0002_tag.sql')
  expect(json).toEqual({
    filename: '0002_tag.sql',
    content: FILES['0002_tag.sql'],
    lines: 4,
    tool: 'node-pg-migrate',
    applied_lines: [{ first: 2, last: 2 }],
  })
  expect(await call('GET', 'preview/nothing.sql')).toMatchObject({ status: 404 })
  expect(await call('GET', 'preview/..%2Fwrangler.toml')).toMatchObject({
    status: 400,
    json: { code: 'invalid_parameter' },
  })
  expect((await call('GET', 'preview/0009_large.sql')).json.content).toBe(FILES['0009_large.sql'])
})

it('has of other tools the migrations that the command line has, and applies what they apply', async () => {
  const read = readMigrationFolder(join(built.project, 'migrations'))
  expect((await status()).migrations.map((it: { name: string }) => it.name)).toEqual(read.map(it => it.name))
  await run('0001_notes.cjs')
  expect((await call('GET', 'preview/0010_pair')).json).toMatchObject({
    content: OTHER_TOOLS['0010_pair.up.sql'],
    tool: 'goose',
    applied_lines: [{ first: 2, last: 3 }],
  })
  expect((await run('0010_pair', '0011_folder')).json).toMatchObject({ ok: true, failed: null })
  expect(
    await ask("select to_regclass('notes') as n, to_regclass('pair') as p, to_regclass('folder') as f"),
  ).toEqual([{ n: 'notes', p: 'pair', f: 'folder' }])
  expect((await ask('select name from pgmigrations order by id')).map(row => row.name)).toEqual([
    '0001_notes',
    '0010_pair',
    '0011_folder',
  ])
})

it('checks the moment and the pending statements', async () => {
  const { json: calm } = await call('POST', 'check')
  expect(calm).toMatchObject({
    user: 'quoin_owner',
    pendingCount: 11,
    lockCount: 0,
    warnings: [],
    safe: true,
  })
  expect(calm.pendingFiles).toEqual(NAMES)
  expect(calm.outsideTransaction).toEqual(['0003_index.sql'])
  expect(calm.parts.map((part: { migrations: string[] }) => part.migrations)).toEqual([
    FIRST_TWO,
    ['0003_index.sql'],
    NAMES.slice(3),
  ])
  expect(calm.findings).toContainEqual(expect.objectContaining({ file: '0008_broken.cjs', analysed: false }))
  expect(calm.findings).toContainEqual(expect.objectContaining({ file: '0007_exits.cjs', analysed: false }))

  await run('0001_notes.cjs')
  const { json: pending } = await call('POST', 'check')
  expect(pending.findings).toContainEqual(
    expect.objectContaining({
      file: '0002_tag.sql',
      line: 2,
      table: 'public.notes',
      lock: 'ACCESS EXCLUSIVE',
      rewrites: false,
    }),
  )
  await ask(
    "insert into pgmigrations (name, run_on) select regexp_replace(n, '\\..*', ''), now() from unnest('{" +
      NAMES.slice(1).join() +
      "}'::text[]) n",
  )
  const { json: none } = await call('POST', 'check')
  expect(none).toMatchObject({
    pendingCount: 0,
    warnings: ['No migration is pending.'],
    safe: false,
    findings: [],
  })
})

it('marks as applied what is there already, and accepts a file that was changed', async () => {
  const mark = () => call('POST', 'idempotent/mark-applied', { migration: '0001_notes.cjs' })
  expect(await mark()).toMatchObject({ status: 200, json: { state: 'applied', stored_hash: hashOf(NOTES) } })
  expect(await ask("select to_regclass('notes') as notes")).toEqual([{ notes: null }])
  expect(await mark()).toMatchObject({ status: 409, json: { code: 'migration_applied' } })
  const accept = () => call('POST', 'idempotent/accept', { migration: '0001_notes.cjs' })
  expect(await accept()).toMatchObject({ status: 409, json: { code: 'migration_not_modified' } })
  await ask("update quoin.migration_hashes set hash = 'another'")
  expect(await stateOf('0001_notes.cjs')).toBe('modified')
  expect(await run('0001_notes.cjs')).toMatchObject({
    status: 409,
    json: { hint: expect.stringContaining('accept the file') },
  })
  expect(await accept()).toMatchObject({
    status: 200,
    json: { state: 'applied', stored_hash: hashOf(NOTES) },
  })
  expect(await audits()).toMatchObject([
    { action: 'migrations.mark_applied', target_id: '0001_notes.cjs', after: { hash: hashOf(NOTES) } },
    { action: 'migrations.accept', before: { hash: 'another' }, after: { hash: hashOf(NOTES) } },
  ])
})

it('ends a statement that takes too long, and a program that would end the Worker', async () => {
  expect((await run('0006_loops.sql')).json.failed).toMatchObject({ code: '57014', line: 2 })
  expect((await run('0007_exits.cjs')).json.failed).toMatchObject({
    name: '0007_exits.cjs',
    error: expect.stringMatching(/^process\.exit\(\): a migration cannot end/),
  })
  expect(await ask("select to_regclass('loops') as loops, to_regclass('exits') as exits")).toEqual([
    { loops: null, exits: null },
  ])
})

it('runs 5 MB in 501 statements', async () => {
  expect((await run('0009_large.sql')).json).toMatchObject({ ok: true })
  expect(await ask('select count(*)::int from large')).toEqual([{ count: 500 }])
})

describe('while a run waits', () => {
  const isWaiting = () =>
    ask("select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted")

  it('a second one is told who holds the lock, and check counts what waits', async () => {
    await ask('select pg_advisory_lock(1)')
    const first = run('0005_waits.sql')
    await expect.poll(isWaiting).toEqual([{ n: 1 }])
    expect((await call('POST', 'check')).json).toMatchObject({
      lockCount: 1,
      safe: false,
      warnings: [expect.stringMatching(/^1 lock is waited for/)],
    })
    expect(await run('0001_notes.cjs')).toMatchObject({
      status: 409,
      json: {
        code: 'migrations_running',
        detail: expect.stringMatching(/^It is process \d+ of Postgres \(quoin:migrations\), since /),
      },
    })
    await ask('select pg_advisory_unlock(1)')
    expect((await first).json).toMatchObject({ ok: true })
    expect(await stateOf('0001_notes.cjs')).toBe('pending')
  })

  it('and its client goes away, nothing is left of it', async () => {
    await ask('select pg_advisory_lock(1)')
    const away = new AbortController()
    const first = call('POST', 'idempotent/run', { migrations: ['0005_waits.sql'] }, away.signal).catch(
      () => 'gone',
    )
    await expect.poll(isWaiting).toEqual([{ n: 1 }])
    away.abort()
    expect(await first).toBe('gone')
    await expect.poll(isWaiting).toEqual([{ n: 0 }])
    await ask('select pg_advisory_unlock(1)')
    await expect.poll(async () => (await run('0001_notes.cjs')).status).toBe(200)
    expect(await ask("select to_regclass('waits') as waits")).toEqual([{ waits: null }])
  })

  it('behind a transaction, check counts it from four on', async () => {
    const others = await Promise.all(Array.from({ length: 4 }, () => connectTo(database.url)))
    try {
      for (const other of others) await other.query('begin')
      expect((await call('POST', 'check')).json).toMatchObject({
        activeTxCount: 4,
        safe: false,
        warnings: [expect.stringMatching(/^4 transactions are active/)],
      })
      await others[0]?.query('commit')
      expect((await call('POST', 'check')).json).toMatchObject({ activeTxCount: 3, safe: true })
    } finally {
      await Promise.all(others.map(other => other.end()))
    }
  })
})

describe("node-pg-migrate's command line", () => {
  const commandLine = async (...args: string[]) => {
    const program = join(PROJECT_DIR, 'node_modules/node-pg-migrate/bin/node-pg-migrate.js')
    const env = { ...process.env, DATABASE_URL: database.url }
    const settings = { cwd: built.project, env }
    const ignored = ['--ignore-pattern', '(?:\\..*|.*\\.md|platform|0008.*)']
    return (await promisify(execFile)(process.execPath, [program, ...args, ...ignored], settings)).stdout
  }

  it('sees what was run here, and takes it back', async () => {
    await run(...FIRST_TWO)
    expect(await commandLine('up', '0', '--dry-run')).not.toContain('0001_notes')
    await commandLine('down')
    expect([await stateOf('0001_notes.cjs'), await stateOf('0002_tag.sql')]).toEqual(['applied', 'pending'])
    await commandLine('down')
    expect(await stateOf('0001_notes.cjs')).toBe('pending')
    expect(await ask("select to_regclass('notes') as notes")).toEqual([{ notes: null }])
  })

  it('runs what is seen here, and what was taken back by it runs here again', async () => {
    await commandLine('up', '2')
    const { migrations } = await status()
    expect(migrations.slice(0, 3).map((entry: { state: string }) => entry.state)).toEqual([
      'applied',
      'applied',
      'pending',
    ])
    expect(migrations[0]).toMatchObject({ stored_hash: null, applied_at: expect.any(String) })
    await commandLine('down')
    expect((await run('0002_tag.sql')).json).toMatchObject({ ok: true })
    expect((await status()).migrations[1]).toMatchObject({
      state: 'applied',
      stored_hash: hashOf(FILES['0002_tag.sql']),
    })
  })
})

it('says where a database lacks its tracking tables, and the command that brings them', async () => {
  await ask("drop table quoin.migration_hashes; delete from quoin.platform_migrations where name ~ '^0008'")
  for (const answer of [
    await call('GET', 'idempotent/status'),
    await call('POST', 'check'),
    await run('0001_notes.cjs'),
  ]) {
    expect(answer).toMatchObject({
      status: 409,
      json: {
        code: 'tracking_table_unusable',
        hint: expect.stringContaining('npm run migrate -- --platform'),
      },
    })
  }
})

it('answers where only one of its two connections can be made', async () => {
  const [{ name }] = await ask('select current_database() as name')
  await ask(`alter database ${name} connection limit 2`)
  expect(await run('0001_notes.cjs')).toMatchObject({ status: 503, json: { code: 'database_unavailable' } })
  await ask(`alter database ${name} connection limit -1`)
  expect(await run('0001_notes.cjs')).toMatchObject({ status: 200, json: { ok: true } })
})

it('says in the audit log what is applied of a run that failed behind its transaction', async () => {
  await ask('create table notes_tag ()')
  const { json } = await run(...FIRST_TWO, '0003_index.sql')
  expect(json).toMatchObject({
    ok: false,
    applied: [{}, {}],
    failed: { name: '0003_index.sql', code: '42P07' },
  })
  expect(await audits()).toMatchObject([
    { outcome: 'succeeded', after: { applied: [{ name: '0001_notes.cjs' }, {}], failed: '0003_index.sql' } },
  ])
})

it('says that the database is not there', async () => {
  await using lost = await startTestWorker({ built, vars: { DATABASE_URL: urlOf('nowhere') } })
  const response = await lost.fetch('/api/migrations/idempotent/run', {
    method: 'POST',
    headers: { cookie: inject('stack').session_cookie_user ?? '' },
  })
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ code: 'database_unavailable' })
})
