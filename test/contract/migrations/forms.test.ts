// Files of other migration tools: what is applied of them, what takes it back, and what an older version has recorded.
// Each test has a database of its own.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { compare } from '../../../src/features/migrations/compare.ts'
import { readTracked, USER_MIGRATIONS } from '../../../src/features/migrations/runner/tracking-table.ts'
import {
  applyPending,
  type Files,
  failureOf,
  type MigrationDatabase,
  migrationDatabase,
  readFiles,
  withRunner,
} from '../../support/migrations.ts'

let database: MigrationDatabase

beforeEach(async () => {
  database = await migrationDatabase()
})
afterEach(() => database[Symbol.asyncDispose]())

async function tables(): Promise<string[]> {
  const { rows } = await database.owner.query(
    "select tablename from pg_tables where schemaname = 'public' and tablename <> 'pgmigrations' order by 1",
  )
  return rows.map(row => row.tablename)
}

async function statesOf(files: Files): Promise<string[]> {
  const entries = await withRunner(database, files, async (runner, read) =>
    compare(read, await readTracked(runner.ask, USER_MIGRATIONS)),
  )
  return entries.map(({ name, state }) => `${name} ${state}`)
}

/** One table for each form; its other half drops it. */
const FORMS: Files = {
  '01_goose.sql': '-- +goose Up\ncreate table goose ();\n-- +goose Down\ndrop table if exists goose;',
  '02_dbmate.sql': '-- migrate:up\ncreate table dbmate ();\n-- migrate:down\ndrop table if exists dbmate;',
  '03_golang.up.sql': 'create table golang ();',
  '03_golang.down.sql': 'drop table if exists golang;',
  '04_dbm-up.sql': 'create table dbm ();',
  '04_dbm-down.sql': 'drop table if exists dbm;',
  '05_yoyo.sql': 'create table yoyo ();',
  '05_yoyo.rollback.sql': 'drop table if exists yoyo;',
  '06.do.grator.sql': 'create table grator ();',
  '06.undo.grator.sql': 'drop table if exists grator;',
  '07_prisma/migration.sql': 'create table prisma ();',
  '08_diesel/up.sql': 'create table diesel ();',
  '08_diesel/down.sql': 'drop table if exists diesel;',
  'V1__flyway.sql': 'create table flyway ();',
  'U1__undo.sql': 'drop table if exists flyway;',
  'R__view.sql': 'create table repeated as select from flyway;',
}
const APPLIED = [
  '01_goose.sql',
  '02_dbmate.sql',
  '03_golang',
  '04_dbm',
  '05_yoyo.sql',
  '06.do.grator.sql',
  '07_prisma',
  '08_diesel',
  'V1__flyway.sql',
  'R__view.sql',
]
const TABLES = [
  'dbm',
  'dbmate',
  'diesel',
  'flyway',
  'golang',
  'goose',
  'grator',
  'prisma',
  'repeated',
  'yoyo',
]

it('what is applied of other tools’ files is, and what takes it back is not', async () => {
  const result = await applyPending(database, FORMS)
  expect(result.failure).toBeNull()
  expect(result.applied.map(({ name }) => name)).toEqual(APPLIED)
  expect(await tables()).toEqual(TABLES)
  expect(await statesOf(FORMS)).toEqual(APPLIED.map(name => `${name} applied`))
})

it('what takes them back is run for `down`, from the last', async () => {
  const { 'R__view.sql': _, '07_prisma/migration.sql': __, ...files } = FORMS
  expect(await applyPending(database, files)).toMatchObject({ failure: null })
  for (;;) {
    const isDone = await withRunner(database, files, async (runner, read) => {
      const last = (await readTracked(runner.ask, USER_MIGRATIONS)).at(-1)
      const file = read.find(it => it.recordedAs === last?.name)
      if (last && file) await runner.takeBack(file, last)
      return last === undefined
    })
    if (isDone) break
  }
  expect(await tables()).toEqual([])
})

it('what an older version has recorded runs no second time, is neither modified nor orphaned', async () => {
  // That version took each file for a migration, and knew no folders.
  const flat = Object.fromEntries(Object.entries(FORMS).filter(([name]) => !name.includes('/')))
  const hashes = new Map(
    Object.entries(flat).map(([name, text]) => [name, readFiles({ '1.sql': text })[0]?.hash]),
  )
  for (const [name, hash] of hashes)
    await database.owner.query(
      `with added as (insert into public.pgmigrations (name, run_on) values ($1, now()) returning id, name)
       insert into quoin.migration_hashes (migration_id, name, hash) select id, name, $2 from added`,
      [name.replace(/\.[^.]*$/, ''), hash],
    )
  const expected = APPLIED.filter(name => !/prisma|diesel/.test(name))
  expect(await statesOf(flat)).toEqual(expected.map(name => `${name} applied`))
  expect(await applyPending(database, flat)).toMatchObject({ applied: [], failure: null })
  expect(await tables()).toEqual([])
})

it.each([
  ['02_b.sql', 'create table b ();\n-- +goose Down\ndrop table b;', /^02_b\.sql:2: it is not certain/],
  [
    '02_b.up.sql',
    'create table b ();\n-- Down Migration\ndrop table b;',
    /^02_b\.up\.sql has a line of node-/,
  ],
  ['02_b.down.sql', 'drop table a;', /^02_b\.down\.sql is named as what takes a migration back/],
  ['U7__b.sql', 'drop table a;', /^U7__b\.sql is named as/],
  ['afterMigrate.sql', 'drop table a;', /^afterMigrate\.sql is named as a callback/],
  ['B7__b.sql', 'drop table a;', /^B7__b\.sql is named as a baseline/],
  ['revert/02_b.sql', 'drop table a;', /^revert\/02_b\.sql is in a folder/],
  ['02_deep/more/b.cjs', '', /^02_deep\/more\/b\.cjs is in a folder/],
])('%s is refused by its name before anything runs', async (name, text, error) => {
  const files = { '01_a.sql': '-- quoin:no-transaction\ncreate table a ();', [name]: text }
  expect((await failureOf(database, files)).error).toMatch(error)
  expect(await tables()).toEqual([])
})

it('a file that takes back may say so in its first line, and may not be divided', async () => {
  const files = {
    '01_a.up.sql': 'create table a ();',
    '01_a.down.sql': '-- Down Migration for a\ndrop table a;',
    '02_b.up.sql': 'create table b ();',
    '02_b.down.sql': '-- +goose Up\ncreate table c ();\n-- +goose Down\ndrop table b;',
  }
  expect(await applyPending(database, files)).toMatchObject({ failure: null })
  await withRunner(database, files, async (runner, [a, b]) => {
    const [rowOfA, rowOfB] = await readTracked(runner.ask, USER_MIGRATIONS)
    if (!a || !b || !rowOfA || !rowOfB) throw new Error('both are applied')
    await expect(runner.takeBack(b, rowOfB)).rejects.toThrow('lines that divide it')
    await runner.takeBack(a, rowOfA)
  })
  expect(await tables()).toEqual(['b'])
})

it('folders of Diesel run in the order of their times, with dashes or without', () => {
  const names = ['20170820180453_c', '2017-08-19-230457_b', '00000000000000_a', '2018-01-01-000000-0000_d']
  const files = readFiles(Object.fromEntries(names.map(name => [`${name}/up.sql`, 'select 1'])))
  expect(files.map(({ name }) => name.at(-1)).join('')).toBe('abcd')
})

it('a file beside the SQL may ask for no transaction', async () => {
  const result = await applyPending(database, {
    '01_a.sql': 'create table a (id int)',
    '02_i/up.sql': 'create index concurrently i on a (id)',
    '02_i/metadata.toml': 'run_in_transaction = false\n',
    'V1__j.sql': 'create index concurrently j on a (id)',
    'V1__j.sql.conf': 'executeInTransaction=false',
  })
  expect(result.failure).toBeNull()
  expect(result.outside.map(({ name }) => name)).toEqual(['02_i', 'V1__j.sql'])
})
