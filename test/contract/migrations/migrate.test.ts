// `npm run migrate` on a copy of the project, whose folder migrations/ has what a user's has. Each test has a database
// of its own.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { PROJECT_DIR } from '../../../cli/support/project.ts'
import { connectOwner } from '../../support/postgres.ts'
import { copyProject } from '../../support/project-copy.ts'

const FIRST_OF_OURS = '0001_create-roles-and-schema'
const LAST_OF_OURS = readdirSync(join(PROJECT_DIR, 'migrations/platform')).sort().at(-1)?.replace('.cjs', '')

let project: string
let database: string
let owner: Client

beforeEach(async () => {
  project = mkdtempSync(join(tmpdir(), 'quoin-project-'))
  copyProject(project)
  database = `migrate_${randomBytes(6).toString('hex')}`
  await using maker = await connectOwner()
  await maker.query(`create database ${database}`)
  owner = new Client({ connectionString: databaseUrl() })
  await owner.connect()
})

afterEach(async () => {
  await owner.end()
  await using maker = await connectOwner()
  await maker.query(`drop database ${database}`)
  rmSync(project, { recursive: true })
})

function databaseUrl(whose: 'database_url' | 'data_database_url' = 'database_url'): string {
  const url = new URL(inject('stack')[whose])
  url.pathname = `/${database}`
  return url.href
}

/** A migration that makes a table; `folder` is below migrations/. */
function writeMigration(name: string, table: string, folder = ''): void {
  const text =
    `exports.up = pgm => pgm.sql('create table ${table} ()')\n` +
    `exports.down = pgm => pgm.sql('drop table ${table}')\n`
  writeFileSync(join(project, 'migrations', folder, `${name}.cjs`), text)
}

interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function run(program: string, ...args: string[]): Promise<Outcome> {
  const settings = { cwd: project, env: { ...process.env, DATABASE_URL: databaseUrl() } }
  return new Promise(done => {
    const child = execFile(process.execPath, [program, ...args], settings, (_, stdout, stderr) =>
      done({ code: child.exitCode, stdout, stderr }),
    )
  })
}

const migrate = (...args: string[]) => run(join(project, 'cli/migrate.ts'), ...args)

async function namesIn(table: string): Promise<string[]> {
  const { rows } = await owner.query(`select name from ${table} order by id`)
  return rows.map(row => row.name)
}

it("applies Quoin's own first and then the user's, each remembered in a table of its own", async () => {
  writeMigration('0001_create-notes', 'public.notes')
  writeFileSync(join(project, 'migrations/0002_create-lists.sql'), 'create table public.lists ()')
  const { code, stdout } = await migrate()
  expect(code).toBe(0)
  expect(stdout).toMatch(
    new RegExp(`^applied: ${FIRST_OF_OURS}, .*${LAST_OF_OURS}, 0001_create-notes, 0002_create-lists\n$`),
  )
  expect(await namesIn('public.pgmigrations')).toEqual(['0001_create-notes', '0002_create-lists'])
  const ours = await namesIn('quoin.platform_migrations')
  expect([ours[0], ours.at(-1)]).toEqual([FIRST_OF_OURS, LAST_OF_OURS])
  expect(await migrate()).toMatchObject({ code: 0, stdout: 'nothing to do\n' })
})

it("applies an upgrade's new ones of Quoin, whatever the user's are called", async () => {
  writeMigration('0001_create-notes', 'public.notes')
  writeMigration('20260102030405678_create-lists', 'public.lists')
  await migrate()
  writeMigration('0007_upgrade', 'quoin.upgrade', 'platform')
  writeMigration('20260102030405679_create-tags', 'public.tags')
  expect(await migrate()).toMatchObject({
    code: 0,
    stdout: 'applied: 0007_upgrade, 20260102030405679_create-tags\n',
  })
})

it("takes back the user's last one, and Quoin's own only with --platform", async () => {
  writeMigration('0001_create-notes', 'public.notes')
  await migrate()
  expect(await migrate('down')).toMatchObject({ code: 0, stdout: 'taken back: 0001_create-notes\n' })
  expect(await migrate('down')).toMatchObject({ code: 0, stdout: 'nothing to do\n' })
  expect(await migrate('down', '--platform')).toMatchObject({
    code: 0,
    stdout: `taken back: ${LAST_OF_OURS}\n`,
  })
  expect(await migrate('up', '--platform')).toMatchObject({ code: 0, stdout: `applied: ${LAST_OF_OURS}\n` })
  expect(await namesIn('public.pgmigrations')).toEqual([])
})

it('has its two tables after Quoin’s own alone, so that no caller can make the user’s', async () => {
  await migrate('--platform')
  expect(await namesIn('public.pgmigrations')).toEqual([])
  for (const role of ['anon', 'service_role']) {
    for (const table of ['public.pgmigrations', 'quoin.platform_migrations']) {
      const { rows } = await owner.query(
        `select has_table_privilege($1, $2, 'select, insert, update, delete, trigger') as on_table,
                has_sequence_privilege($1, $2 || '_id_seq', 'usage, select, update') as on_sequence`,
        [role, table],
      )
      expect([role, table, rows[0]]).toEqual([role, table, { on_table: false, on_sequence: false }])
    }
  }
})

// An `=` that fits the names of migrations better than Postgres' own would run as the owner, who keeps the books.
it("runs no operator of a caller's", async () => {
  const caller = new Client({ connectionString: databaseUrl('data_database_url') })
  await migrate('--platform')
  await caller.connect()
  await caller.query(`
    set role service_role;
    create function public.trap(a varchar, b varchar) returns boolean language plpgsql as
      $$ begin raise 'trap: ran as %', current_user; end $$;
    create operator public.= (leftarg = varchar, rightarg = varchar, function = public.trap);
  `)
  await caller.end()
  writeMigration('0001_create-notes', 'public.notes')
  expect(await migrate()).toMatchObject({ code: 0, stdout: 'applied: 0001_create-notes\n' })
  await expect(owner.query("delete from public.pgmigrations where name = 'x'")).rejects.toThrow(
    'trap: ran as',
  )
  expect(await migrate('down')).toMatchObject({ code: 0, stdout: 'taken back: 0001_create-notes\n' })
})

it('takes no README, hidden file or folder for a migration', async () => {
  await migrate('--platform')
  writeFileSync(join(project, 'migrations/README.md'), '# Our migrations\n')
  writeFileSync(join(project, 'migrations/.gitkeep'), '')
  mkdirSync(join(project, 'migrations/drafts.sql'))
  expect(await migrate()).toMatchObject({ code: 0, stdout: 'nothing to do\n' })
})

it('refuses a database of an older Quoin in one line that names --reset, before anything changes', async () => {
  await owner.query(`
    create table public.pgmigrations (id serial primary key, name varchar(255) not null, run_on timestamp not null);
    insert into public.pgmigrations (name, run_on) values ('${FIRST_OF_OURS}', now());
  `)
  writeMigration('0001_create-notes', 'public.notes')
  for (const args of [[], ['down'], ['--platform']]) {
    const { code, stderr } = await migrate(...args)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^database: .*\nquoin: .* older Quoin.* public\.pgmigrations.*--reset.*\n$/)
  }
  expect(await namesIn('public.pgmigrations')).toEqual([FIRST_OF_OURS])
  const { rows } = await owner.query(
    "select to_regnamespace('quoin') as quoin, to_regclass('public.notes') as notes",
  )
  expect(rows).toEqual([{ quoin: null, notes: null }])
})

it('may be run twice at once: one waits, and finds nothing to do', async () => {
  writeMigration('0001_create-notes', 'public.notes')
  const outcomes = await Promise.all([migrate(), migrate()])
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0])
  expect(outcomes.map(({ stdout }) => stdout === 'nothing to do\n').toSorted()).toEqual([false, true])
  expect(await namesIn('public.pgmigrations')).toEqual(['0001_create-notes'])
})

it("goes on where node-pg-migrate's command line stopped, and the other way round", async () => {
  const commandLine = join(PROJECT_DIR, 'node_modules/node-pg-migrate/bin/node-pg-migrate.js')
  await migrate('--platform')
  writeMigration('0001_create-notes', 'public.notes')
  expect(await run(commandLine, 'up')).toMatchObject({ code: 0 })
  expect(await migrate()).toMatchObject({ code: 0, stdout: 'nothing to do\n' })
  writeMigration('0002_create-lists', 'public.lists')
  expect(await migrate()).toMatchObject({ code: 0, stdout: 'applied: 0002_create-lists\n' })
  expect(await run(commandLine, 'down')).toMatchObject({ code: 0 })
  expect(await namesIn('public.pgmigrations')).toEqual(['0001_create-notes'])
})

it('fails for a file that would end the process with success', async () => {
  writeMigration('0001_create-notes', 'public.notes')
  writeFileSync(join(project, 'migrations/0002_exit.cjs'), 'exports.up = () => process.exit(0)')
  const { code, stdout, stderr } = await migrate()
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/\nquoin: 0002_exit\.cjs: process\.exit\(\): .*\nthe whole batch was rolled back\n$/)
  expect(await namesIn('public.pgmigrations')).toEqual([])
})

it('shows the statement that failed, its place and what Postgres says, and takes back what ran before', async () => {
  writeMigration('0001_create-notes', 'public.notes')
  writeFileSync(join(project, 'migrations/0002_rows.sql'), 'select 1;\ninsert into notes\n  values (1);\n')
  const { code, stderr } = await migrate()
  expect(code).toBe(1)
  expect(stderr).toContain(
    '\nquoin: 0002_rows.sql:3: INSERT has more expressions than target columns\n\n' +
      '  insert into notes\n    values (1)\n\nthe whole batch was rolled back\n',
  )
  expect(await namesIn('public.pgmigrations')).toEqual([])
})

it('says which parts are committed one behind the other, and the name of a bad file once', async () => {
  await migrate('--platform')
  writeMigration('0001_create-notes', 'public.notes')
  writeFileSync(join(project, 'migrations/0002_more.up.sql'), '-- quoin:no-transaction\ncreate table more ()')
  writeFileSync(join(project, 'migrations/0002_more.down.sql'), 'drop table more')
  writeFileSync(join(project, 'migrations/0003_wrong.sql'), 'select wrong')
  const { code, stderr } = await migrate()
  expect(code).toBe(1)
  expect(stderr).toContain(
    'part 1 of 3, one transaction: 0001_create-notes.cjs\n' +
      'part 2 of 3, no transaction: 0002_more\n' +
      'part 3 of 3, one transaction: 0003_wrong.sql\n',
  )
  expect(stderr).toMatch(
    /what ran with it was rolled back; committed before it: 0001_create-notes\.cjs, 0002_more\n$/,
  )
  writeFileSync(join(project, 'migrations/0003_wrong.sql'), '-- +goose Down\nselect 1')
  expect((await migrate()).stderr).toMatch(
    /\nquoin: 0003_wrong\.sql:1: it is not certain what is to run: .*\n/,
  )
  rmSync(join(project, 'migrations/0003_wrong.sql'))
  expect(await migrate('down')).toMatchObject({ code: 0, stdout: 'taken back: 0002_more\n' })
})

it('says how it is used when it is asked for anything else', async () => {
  for (const args of [['sideways'], ['down', 'twice'], ['--force']]) {
    expect(await migrate(...args)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^quoin: usage: npm run migrate -- \[up\|down\] \[--platform\]; .*\n$/),
    })
  }
})
