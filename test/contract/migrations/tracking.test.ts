// The table of applied migrations: what is recorded, what is taken back, who may run at a time, and which tables the
// owner does not write to.

import { type Client, Client as PgClient } from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DomainError } from '../../../src/errors.ts'
import { compare } from '../../../src/features/migrations/compare.ts'
import { takeRunLock } from '../../../src/features/migrations/runner/run-lock.ts'
import {
  readTracked,
  storeHash,
  USER_MIGRATIONS,
} from '../../../src/features/migrations/runner/tracking-table.ts'
import {
  applyPending,
  type Files,
  type MigrationDatabase,
  migrationDatabase,
  withRunner,
} from '../../support/migrations.ts'

let database: MigrationDatabase

beforeEach(async () => {
  database = await migrationDatabase()
})
afterEach(() => database[Symbol.asyncDispose]())

const statusOf = (files: Files) =>
  withRunner(database, files, async (runner, read) => {
    const entries = compare(read, await readTracked(runner.ask, USER_MIGRATIONS))
    return entries.map(({ name, state, stored_hash, file_hash }) => ({ name, state, stored_hash, file_hash }))
  })

const statesOf = async (files: Files) => (await statusOf(files)).map(({ name, state }) => `${name} ${state}`)

async function takeBackLast(files: Files): Promise<void> {
  await withRunner(database, files, async (runner, read) => {
    const last = (await readTracked(runner.ask, USER_MIGRATIONS)).at(-1)
    const file = read.find(it => it.name.startsWith(`${last?.name}.`))
    if (last === undefined || file === undefined) throw new Error('nothing to take back')
    await runner.takeBack(file, last)
  })
}

async function connect(): Promise<Client> {
  const client = new PgClient({ connectionString: database.url })
  await client.connect()
  return client
}

describe('the states of a migration', () => {
  const FILES = {
    '0001_a.sql': 'create table a ()',
    '0002_b.sql': 'create table b ()',
    'c.sql': 'create table c ()',
  }

  it('pending, applied, modified and orphaned', async () => {
    expect(await statesOf(FILES)).toEqual(['0001_a.sql pending', '0002_b.sql pending', 'c.sql pending'])
    await applyPending(database, { '0001_a.sql': FILES['0001_a.sql'], '0002_b.sql': FILES['0002_b.sql'] })
    const { '0001_a.sql': _, ...others } = { ...FILES, '0002_b.sql': 'create table b (id int)' }
    expect(await statesOf(others)).toEqual(['0002_b.sql modified', 'c.sql pending', '0001_a orphaned'])
    const result = await applyPending(database, others)
    expect(result.applied.map(file => file.name)).toEqual(['c.sql'])
  })

  it('a modified one that was accepted is applied', async () => {
    await applyPending(database, { '0001_a.sql': 'create table a ()' })
    const changed = { '0001_a.sql': 'create table a (); -- changed' }
    await withRunner(database, changed, async (runner, [file]) => {
      const [row] = await readTracked(runner.ask, USER_MIGRATIONS)
      if (row && file) await storeHash(runner.ask, row, file.hash)
    })
    expect(await statesOf(changed)).toEqual(['0001_a.sql applied'])
    expect(await statesOf({ '0001_a.sql': 'create table a ()' })).toEqual(['0001_a.sql modified'])
  })

  it('a hash counts for the row that it was stored with, not for a later one of the name', async () => {
    await applyPending(database, { '0001_a.sql': 'create table a ()' })
    await database.owner.query(
      "delete from pgmigrations; insert into pgmigrations (name, run_on) values ('0001_a', now())",
    )
    expect(await statusOf({ '0001_a.sql': 'select 2' })).toMatchObject([
      { state: 'applied', stored_hash: null },
    ])
  })

  it('tells the time of a row as the command line writes it, in the time zone of the database', async () => {
    const { rows } = await database.owner.query('select current_database() as name')
    await database.owner.query(`alter database ${rows[0].name} set timezone = 'Asia/Tokyo'`)
    const client = await connect()
    await client.query("insert into pgmigrations (name, run_on) values ('0001_by-hand', now())")
    await client.end()
    await applyPending(database, { '0002_b.sql': "set timezone = 'America/New_York'" })
    const tracked = await withRunner(database, {}, runner => readTracked(runner.ask, USER_MIGRATIONS))
    expect(tracked.map(({ name }) => name)).toEqual(['0001_by-hand', '0002_b'])
    for (const { applied_at } of tracked)
      expect(Math.abs(Date.parse(applied_at) - Date.now())).toBeLessThan(60_000)
  })
})

describe('a migration is taken back', () => {
  it('by its down, by the reverse of its up, and by the part of a .sql file for it', async () => {
    const files = {
      '0001_a.cjs': "exports.up = pgm => pgm.createTable('a', {}); exports.down = pgm => pgm.dropTable('a')",
      '0002_b.cjs': "exports.up = pgm => { pgm.createTable('b', { id: 'id' }); pgm.createIndex('b', 'id') }",
      '0003_c.sql': '--- up  migration\ncreate table c ();\n-- Down Migration\ndrop table c;',
      '0004_d.sql': 'create table d ();\n-- Down Migration\ndrop table d;',
    }
    expect(await applyPending(database, files)).toMatchObject({ failure: null })
    for (const table of ['d', 'c', 'b', 'a']) {
      await takeBackLast(files)
      const { rows } = await database.owner.query('select to_regclass($1) as found', [table])
      expect([table, rows[0].found]).toEqual([table, null])
    }
    const { rows } = await database.owner.query(
      'select (select count(*) from pgmigrations) + (select count(*) from quoin.migration_hashes) as left',
    )
    expect(rows[0].left).toBe('0')
  })

  it('outside of a transaction where it asks for it', async () => {
    const files = {
      '0001_a.sql': 'create table a (id int)',
      '0002_i.sql':
        '-- quoin:no-transaction\ncreate index concurrently i on a (id);\n' +
        '-- Down Migration\ndrop index concurrently i;',
    }
    expect(await applyPending(database, files)).toMatchObject({ failure: null })
    await takeBackLast(files)
    expect(await statesOf(files)).toEqual(['0001_a.sql applied', '0002_i.sql pending'])
  })

  it.each([
    ['0001_a.sql', 'create table a ()', /has no "-- Down Migration"/],
    [
      '0001_a.cjs',
      "exports.up = pgm => pgm.sql('create table a ()')",
      /Impossible to automatically infer down migration/,
    ],
    [
      '0001_a.cjs',
      "exports.up = pgm => pgm.sql('create table a ()'); exports.down = false",
      /has "down" disabled/,
    ],
  ])('%s (%s): not', async (name, text, error) => {
    await applyPending(database, { [name]: text })
    await expect(takeBackLast({ [name]: text })).rejects.toThrow(error)
    expect(await statesOf({ [name]: text })).toEqual([`${name} applied`])
  })
})

describe('one run at a time', () => {
  it('holds off another, and names its process', async () => {
    const [first, second] = [await connect(), await connect()]
    try {
      await takeRunLock(first)
      const { rows } = await first.query('select pg_backend_pid() as pid')
      const refusal = await takeRunLock(second).catch((err: unknown) => err)
      expect(refusal).toMatchObject({ code: 'migrations_running' })
      expect(refusal).toHaveProperty(
        'detail',
        expect.stringContaining(`process ${rows[0].pid} of Postgres (quoin:migrations), since `),
      )
      await first.end()
      const lock = await vi.waitUntil(() => takeRunLock(second).catch(() => undefined))
      await lock?.assertLocked()
      await second.end()
      await expect(lock?.assertLocked()).rejects.toMatchObject({ code: 'database_unavailable' })
    } finally {
      await Promise.allSettled([first.end(), second.end()])
    }
  })

  it("holds off node-pg-migrate's command line, and is held off by it", async () => {
    const [ours, theirs] = [await connect(), await connect()]
    const lock = 'select pg_try_advisory_lock(7241865325823964) as taken'
    try {
      await theirs.query(lock)
      await expect(takeRunLock(ours)).rejects.toMatchObject({ code: 'migrations_running' })
      await theirs.query('select pg_advisory_unlock_all()')
      await takeRunLock(ours)
      expect((await theirs.query(lock)).rows).toEqual([{ taken: false }])
    } finally {
      await Promise.all([ours.end(), theirs.end()])
    }
  })

  it('does not make CREATE INDEX CONCURRENTLY wait', async () => {
    const lock = await connect()
    try {
      await takeRunLock(lock)
      const files = {
        '0001_a.sql': 'create table a (id int)',
        '0002_i.sql': '-- quoin:no-transaction\ncreate index concurrently i on a (id)',
      }
      expect(await applyPending(database, files)).toMatchObject({ failure: null })
    } finally {
      await lock.end()
    }
  })
})

describe('a tracking table is not touched', () => {
  it.each([
    [
      'whose time is text',
      'alter table pgmigrations alter run_on type text',
      /has a column run_on of type text/,
    ],
    [
      'whose id is text',
      'alter table pgmigrations alter id drop default, alter id type text',
      /id of type text/,
    ],
    ['without ids of its own', 'drop sequence pgmigrations_id_seq cascade', /has no sequence for its ids/],
    [
      'that refuses a row',
      "alter table pgmigrations add check (name <> '0001_a')",
      /violates check constraint/,
    ],
    [
      'that is a view',
      'drop table pgmigrations; create view pgmigrations as select 1 as id',
      /is not an ordinary table/,
    ],
    [
      'that lacks a column',
      'alter table pgmigrations rename run_on to applied_on',
      /has no column run_on: another tool's/,
    ],
    [
      'that wants more',
      'alter table pgmigrations add checksum text not null',
      /has a column checksum that needs a value/,
    ],
    [
      'that runs a trigger',
      'create function f() returns trigger language plpgsql as $$ begin return new; end $$; ' +
        'create trigger t after insert on pgmigrations for each row execute function f()',
      /has triggers or rules/,
    ],
    [
      'that has a rule',
      'create rule r as on insert to pgmigrations do also select 1',
      /has triggers or rules/,
    ],
    [
      'that callers may change',
      'grant insert on pgmigrations to service_role',
      /^service_role may change public\.pgmigrations/,
    ],
    ['that everybody may change', 'grant update (name) on pgmigrations to public', /^public may change/],
    ['that callers own', 'alter table pgmigrations owner to service_role', /belongs to service_role/],
    ['that is not there', 'drop table pgmigrations', /lacks the tables that migrations are remembered in/],
    [
      'whose hashes are not there',
      'drop table quoin.migration_hashes',
      /lacks the tables that migrations are remembered in/,
    ],
  ])('%s', async (_, sql, error) => {
    await database.owner.query(`grant create on schema public to service_role; ${sql}`)
    const refusal = await applyPending(database, { '0001_a.sql': 'create table a ()' }).catch(
      (err: unknown) => err,
    )
    expect(refusal).toMatchObject({ code: 'tracking_table_unusable', message: expect.stringMatching(error) })
    expect(refusal).toHaveProperty(
      'hint',
      expect.stringMatching(/^Nothing was changed\. Mend it as the owner: ./),
    )
    expect((await database.owner.query("select to_regclass('public.a') as found")).rows).toEqual([
      { found: null },
    ])
  })

  it('though others may read it', async () => {
    await database.owner.query('grant select on pgmigrations to anon')
    expect(await applyPending(database, { '0001_a.sql': 'create table a ()' })).toMatchObject({
      failure: null,
    })
  })
})

describe('a run that loses its lock', () => {
  it('takes back its transaction', async () => {
    const assertLocked = () =>
      Promise.reject(new DomainError('database_unavailable', 'gone', { outcomeUnknown: true }))
    const run = applyPending(database, { '0001_a.sql': 'create table a ()' }, { assertLocked })
    await expect(run).rejects.toMatchObject({ code: 'database_unavailable', outcomeUnknown: false })
    expect(await statesOf({ '0001_a.sql': 'create table a ()' })).toEqual(['0001_a.sql pending'])
    expect((await database.owner.query("select to_regclass('public.a') as found")).rows).toEqual([
      { found: null },
    ])
  })

  it('begins no other file outside of a transaction', async () => {
    let asked = 0
    const lost = new DomainError('database_unavailable', 'gone', { outcomeUnknown: true })
    const assertLocked = () => (asked++ === 0 ? Promise.resolve() : Promise.reject(lost))
    const files = {
      '0001_a.sql': '-- quoin:no-transaction\ncreate table a ()',
      '0002_b.sql': '-- quoin:no-transaction\ncreate table b ()',
    }
    await expect(applyPending(database, files, { assertLocked })).rejects.toMatchObject({
      code: 'database_unavailable',
      detail: 'Committed before it: 0001_a.sql.',
      outcomeUnknown: true,
    })
    expect(await statesOf(files)).toEqual(['0001_a.sql applied', '0002_b.sql pending'])
  })
})

it('a tracking table that somebody has locked is told, whatever is asked of it', async () => {
  const files = { '0001_a.sql': '-- quoin:no-transaction\ncreate table a ()' }
  const holder = await connect()
  try {
    await holder.query('begin; lock table pgmigrations in exclusive mode')
    expect(await applyPending(database, files)).toMatchObject({
      applied: [],
      isRolledBack: false,
      failure: { message: expect.stringMatching(/^It ran, and could not be recorded: mark it as applied\./) },
    })
    await holder.query('rollback; begin; lock table pgmigrations')
    await expect(statesOf(files)).rejects.toMatchObject({ code: 'table_busy' })
  } finally {
    await holder.end()
  }
})

it('records a batch in the order of its files, also those that run outside of a transaction', async () => {
  const files = {
    '0001_a.sql': 'create table a (id int)',
    '0002_i.sql': '-- quoin:no-transaction\ncreate index concurrently i on a (id)',
    '0003_b.sql': 'create table b ()',
  }
  expect(await applyPending(database, files)).toMatchObject({ failure: null })
  const { rows } = await database.owner.query('select name from pgmigrations order by run_on, id')
  expect(rows.map(row => row.name)).toEqual(['0001_a', '0002_i', '0003_b'])
})
