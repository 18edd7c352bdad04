// Putting triggers on tables and taking them away: which tables, and of which kind. What happens to a table later is in
// outbox-following.test.ts.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DomainError } from '../../../src/errors.ts'
import { changeAndApply } from '../../../src/features/row-changes/watching/apply-watch.ts'
import { findWatchableTable } from '../../../src/features/row-changes/watching/find-table.ts'
import { type OutboxDatabase, openOutboxDatabase } from './database.ts'

let db: OutboxDatabase

beforeAll(async () => {
  db = await openOutboxDatabase()
})

afterAll(async () => {
  await db.end()
})

const newName = () => `t_${randomBytes(5).toString('hex')}`

async function makeTable(columns = 'id int primary key'): Promise<{ table: string; id: number }> {
  const name = newName()
  await db.owner.query(`create table public.${name} (${columns})`)
  const id = await findWatchableTable(db, { table_schema: 'public', table_name: name })
  return { table: `public.${name}`, id }
}

describe('a table that can be watched', () => {
  it('is an ordinary or partitioned table, in any schema, of the owner or of a role of its', async () => {
    const schema = newName()
    await db.owner.query(`create schema ${schema}; create table ${schema}."Odd ""name" (id int);
      create table ${schema}.parts (id int) partition by list (id)`)
    const caller = await db.connect('service_role')
    await caller.query(`create table public.${schema} (id int)`)
    for (const [table_schema, table_name] of [
      [schema, 'Odd "name'],
      [schema, 'parts'],
      ['public', schema],
    ] as const) {
      const id = await findWatchableTable(db, { table_schema, table_name })
      await db.owner.query("select quoin.watch_table($1, '{INSERT}')", [id])
      await db.owner.query(`select quoin.watch_table($1, '{}')`, [id])
    }
  })

  it('is none of the platform, of Postgres, no view, and none that does not exist', async () => {
    const view = newName()
    await db.owner.query(`create view public.${view} as select 1 as id`)
    const platform = [
      ['public', 'pgmigrations'],
      ['pg_catalog', 'pg_class'],
      ['quoin', 'api_keys'],
    ]
    const cases = [
      ['it does not exist', ['public', 'nowhere']],
      ['it is no ordinary or partitioned table', ['public', view]],
      ...platform.map(table => ['it belongs to the platform', table] as const),
    ] as const
    for (const [reason, [table_schema = '', table_name = '']] of cases) {
      await expect(findWatchableTable(db, { table_schema, table_name })).rejects.toMatchObject({
        code: 'table_not_watchable',
        message: expect.stringContaining(reason),
        hint: expect.not.stringMatching(/GRANT|ALTER/),
      })
    }
  })

  it('is none of a role that ours is no member of, and the hint says how to make it one', async () => {
    const [role, table] = [newName(), newName()]
    await db.asSuperuser(
      `create role ${role}; create table public.${table} (); alter table public.${table} owner to ${role}`,
    )
    const find = () => findWatchableTable(db, { table_schema: 'public', table_name: table })
    const refused = (await find().catch((err: DomainError) => err)) as DomainError
    expect(refused.message).toContain(`it belongs to the role ${role}`)
    const [grant = expect.fail()] = /GRANT \w+ TO "?\w+"?/.exec(refused.hint ?? '') ?? []
    await db.asSuperuser(grant)
    expect(await find()).toBeGreaterThan(0)
    await db.asSuperuser(`alter table public.${table} owner to postgres`)
    await expect(find()).rejects.toMatchObject({ hint: expect.stringMatching(/ALTER TABLE (?!.*GRANT)/) })
    await db.asSuperuser(`drop table public.${table}; drop role ${role}`)
  })
})

describe('applying a watch', () => {
  it('makes the triggers those that the webhooks of the table want, paused ones included', async () => {
    const { table, id } = await makeTable()
    const first = await db.addWebhook(table, ['INSERT'])
    const second = await db.addWebhook(table, ['INSERT', 'DELETE'])
    await changeAndApply(db, [], [id])
    expect(await db.triggers(table)).toEqual(['delete statement', 'insert statement'])
    await db.owner.query('update quoin.webhooks set active = false where id = $1', [first])
    await db.owner.query('delete from quoin.webhooks where id = $1', [second])
    await changeAndApply(db, [], [id])
    expect(await db.triggers(table)).toEqual(['insert statement'])
    await db.owner.query('delete from quoin.webhooks where id = $1', [first])
    await changeAndApply(db, [], [id])
    expect(await db.triggers(table)).toEqual([])
  })

  // As docs/webhooks.md says: each of them is a table to watch by itself.
  it('records no rows of tables that inherit, whichever table is named', async () => {
    const { table } = await makeTable()
    const child = `public.${newName()}`
    await db.owner.query(`create table ${child} () inherits (${table})`)
    await db.watch(table)
    await db.owner.query(
      `insert into ${child} values (1); insert into ${table} values (2); delete from ${table}`,
    )
    expect((await db.changes(table)).map(({ event }) => event)).toEqual(['INSERT', 'DELETE'])
    await db.watch(child)
    await db.owner.query(`insert into ${child} values (1); delete from ${table}`)
    expect((await db.changes(child)).map(({ event }) => event)).toEqual(['INSERT', 'DELETE'])
  })

  it('takes no lock when nothing is to be changed', async () => {
    const { table, id } = await makeTable()
    await db.addWebhook(table, ['INSERT', 'UPDATE'])
    await changeAndApply(db, [], [id])
    const holder = await db.connect('owner')
    await holder.query(`begin; lock table ${table} in access exclusive mode`)
    await changeAndApply(db, [], [id], {
      now: () => 0,
      pause: () => Promise.reject(new Error('it was busy')),
    })
    await holder.query('rollback')
  })

  it('is watched again where one of its partitions has the trigger disabled', async () => {
    const name = newName()
    await db.owner.query(`create table public.${name} (id int primary key) partition by range (id);
      create table public.${name}_low partition of public.${name} for values from (0) to (10)`)
    const id = await findWatchableTable(db, { table_schema: 'public', table_name: name })
    await db.addWebhook(`public.${name}`, ['INSERT'])
    await changeAndApply(db, [], [id])
    await db.owner.query(`alter table public.${name}_low disable trigger user`)
    await changeAndApply(db, [], [id])
    const { rows } = await db.owner.query(
      'select tgrelid::regclass::text as table, tgenabled from pg_trigger where tgname = $1 order by 1',
      [`!quoin_insert_${id}`],
    )
    expect(rows).toEqual([name, `${name}_low`].map(table => ({ table, tgenabled: 'O' })))
  })

  it('waits for a lock by trying again, and gives up with table_busy after ten seconds', async () => {
    const { table, id } = await makeTable()
    await db.addWebhook(table, ['INSERT'])
    const holder = await db.connect('owner')
    await holder.query(`begin; insert into ${table} values (1)`)
    let now = 0
    let pauses = 0
    const pause = async (milliseconds: number) => {
      pauses += 1
      now += pauses > 2 ? 10_000 : milliseconds
    }
    await expect(changeAndApply(db, [], [id], { now: () => now, pause })).rejects.toMatchObject({
      code: 'table_busy',
    })
    expect(pauses).toBe(3)
    await changeAndApply(db, [], [id], {
      now: () => 0,
      pause: async () => void (await holder.query('commit')),
    })
    expect(await db.triggers(table)).toEqual(['insert statement'])
  })

  it('quotes the names of columns whatever the session says of strings', async () => {
    const table = `public.${newName()}`
    await db.owner.query(
      `create table ${table} ("\\'); create table public.injected (); --" int primary key)`,
    )
    const watcher = await db.connect('owner')
    await watcher.query('set standard_conforming_strings = off; set quote_all_identifiers = on')
    await db.addWebhook(table, ['INSERT'])
    for (let time = 0; time < 2; time++) await watcher.query(`select quoin.apply_watch('${table}'::regclass)`)
    await db.owner.query(`insert into ${table} values (1)`)
    expect(await db.events(table)).toEqual(['INSERT ["1"]'])
    const { rows } = await db.owner.query("select to_regclass('public.injected') as injected")
    expect(rows).toEqual([{ injected: null }])
  })

  it('takes back its name from another trigger, and its triggers under another name', async () => {
    const { table, id } = await makeTable()
    await db.addWebhook(table, ['INSERT', 'UPDATE'])
    await changeAndApply(db, [], [id])
    await db.owner.query(`
      alter trigger "!quoin_insert_${id}" on ${table} rename to mine;
      drop trigger "!quoin_update_${id}" on ${table};
      create trigger "!quoin_update_${id}" before update on ${table} for each statement
        execute function suppress_redundant_updates_trigger()`)
    await changeAndApply(db, [], [id])
    const { rows } = await db.owner.query(
      'select tgname, tgfoid::regproc::text as recorder from pg_trigger where tgrelid = $1 order by tgname',
      [id],
    )
    expect(rows).toEqual(
      ['insert', 'update'].map(event => ({
        tgname: `!quoin_${event}_${id}`,
        recorder: 'quoin.record_changes',
      })),
    )
  })

  it('does not wait for somebody who holds its lock', async () => {
    const { id } = await makeTable()
    const holder = await db.connect('service_role')
    await holder.query(`begin; select pg_advisory_xact_lock(hashtext('quoin.watch_table'), hashoid(${id}))`)
    const pause = () => Promise.reject(new Error('it was busy'))
    await expect(changeAndApply(db, [], [id], { now: () => 0, pause })).rejects.toThrow('it was busy')
    await holder.query('rollback')
  })

  it('raises the version of the registry with every change but those of health', async () => {
    const { table } = await makeTable()
    const version = async () =>
      BigInt((await db.owner.query('select version from quoin.webhook_registry')).rows[0].version)
    const before = await version()
    const id = await db.addWebhook(table, ['INSERT'])
    await db.owner.query("update quoin.webhooks set fail_count = 3, state = 'failing' where id = $1", [id])
    expect(await version()).toBe(before + 1n)
    await db.owner.query('update quoin.webhooks set active = false where id = $1', [id])
    await db.owner.query('delete from quoin.webhooks where id = $1', [id])
    expect(await version()).toBe(before + 3n)
  })
})

// As a dump that is restored leaves it: the argument of each trigger is the oid from before.
describe('a trigger with the oid of another database', () => {
  const makeRestored = async (oid: string, table: string) =>
    await db.owner.query(`create trigger restored after insert on ${table} referencing new table as changed
      for each statement execute function quoin.record_changes('${oid}', 'id')`)

  it('fails no write where nobody knows the oid, also above READ COMMITTED', async () => {
    const { table } = await makeTable()
    await makeRestored('999999999', table)
    const writer = await db.connect('owner')
    await writer.query(`begin isolation level repeatable read; insert into ${table} values (1); commit`)
    await writer.query(`insert into ${table} values (2)`)
  })

  it('tells no receiver of another table what was written here', async () => {
    const { table: other, id } = await makeTable()
    await db.watch(other)
    const { table } = await makeTable()
    await makeRestored(String(id), table)
    await db.owner.query(`insert into ${table} values (1)`)
    expect(await db.chunks(other)).toEqual([])
  })
})

describe('a partitioned table', () => {
  it('reports what reaches any partition, also one attached later, under its own name', async () => {
    const { table, id } = await makeTable(
      'id int, region text, primary key (id, region)) partition by list (region',
    )
    await db.owner.query(`create table ${table}_a partition of ${table} for values in ('a')`)
    await db.watch(table)
    await db.owner.query(`create table ${table}_b (region text not null, id int not null);
      alter table ${table} attach partition ${table}_b for values in ('b')`)
    await db.owner.query(`insert into ${table} values (1, 'a'), (2, 'b')`)
    await db.owner.query(`insert into ${table}_b (id, region) values (3, 'b')`)
    await db.owner.query(`update ${table} set region = 'b' where id = 1`)
    const chunks = await db.chunks(table)
    expect(chunks.map(({ event, keys }) => `${event} ${keys}`)).toEqual([
      'INSERT ["1","a"]',
      'INSERT ["2","b"]',
      'INSERT ["3","b"]',
      'DELETE ["1","a"]',
      'INSERT ["1","b"]',
    ])
    for (const chunk of chunks) expect([chunk.table_id, `public.${chunk.table_name}`]).toEqual([id, table])
  })

  it('may get partitions from an owner who may not do what its triggers do', async () => {
    const name = newName()
    const maker = await db.connect('service_role')
    await maker.query(`create table public.${name} (id int primary key) partition by range (id)`)
    await db.watch(`public.${name}`)
    await maker.query(`create table public.${name}_1 partition of public.${name} default`)
    await maker.query(`insert into public.${name} values (1)`)
    expect(await db.events(`public.${name}`)).toEqual(['INSERT ["1"]'])
  })

  it('may be watched beside one of its partitions', async () => {
    const { table } = await makeTable('id int primary key) partition by list (id')
    await db.owner.query(`create table ${table}_1 partition of ${table} for values in (1)`)
    await db.watch(`${table}_1`)
    await db.watch(table)
    await db.owner.query(`insert into ${table} values (1)`)
    expect(await db.changes(table)).toHaveLength(1)
    expect(await db.changes(`${table}_1`)).toHaveLength(1)
    await db.watch(table, [])
    await db.owner.query(`delete from ${table}`)
    expect(await db.changes(`${table}_1`)).toHaveLength(2)
  })
})
