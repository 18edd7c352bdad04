// A watched table that changes while a session writes to it: what the session has planned is planned anew, and each
// write is recorded as the table is at that moment.

import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OutboxDatabase, openOutboxDatabase } from './database.ts'

let db: OutboxDatabase

beforeAll(async () => {
  db = await openOutboxDatabase()
})

afterAll(async () => {
  await db.end()
})

/** A table that this writer has written to, and a type whose cast to json says as whom it runs. */
async function writtenTo(writer: Client): Promise<{ table: string; mood: string }> {
  const table = await db.watched('id int primary key, mood text')
  const mood = `public.mood_${randomBytes(5).toString('hex')}`
  await db.owner.query(`
    create type ${mood} as enum ('fine');
    create function ${mood}_to_json(mood ${mood}) returns json language sql return to_json(current_user::text);
    create cast (${mood} as json) with function ${mood}_to_json(${mood});
    grant execute on function ${mood}_to_json(${mood}) to public`)
  await writer.query(`insert into ${table} values (0, 'fine')`)
  return { table, mood }
}

const giveItsType = (mood: string, table: string) =>
  `alter table ${table} alter column mood type ${mood} using 'fine'`

const moodsOf = async (table: string) =>
  (await db.changes(table)).map(({ row }) => JSON.parse(row ?? '{}').mood)

it('runs the cast of a new type as the writer, also in a transaction that saw the catalogs as they were', async () => {
  const writer = await db.connect('service_role')
  const { table, mood } = await writtenTo(writer)
  await writer.query('begin isolation level repeatable read; select 1')
  await db.owner.query(giveItsType(mood, table))
  await writer.query(`insert into ${table} values (1, 'fine')`)
  await writer.query('commit')
  await writer.query(`update ${table} set mood = mood where id = 1`)
  await writer.query(`delete from ${table} where id = 1`)
  expect(await moodsOf(table)).toEqual(['fine', 'service_role', 'service_role', 'service_role'])
})

it('is as before when its change is taken back', async () => {
  const writer = await db.connect('owner')
  const { table, mood } = await writtenTo(writer)
  await writer.query('begin')
  await writer.query(giveItsType(mood, table))
  await writer.query(`insert into ${table} values (1, 'fine')`)
  await writer.query('rollback')
  await writer.query(`insert into ${table} values (1, 'fine')`)
  expect(await moodsOf(table)).toEqual(['fine', 'fine'])
})

it('has its columns as they are at once, by statement and by row triggers', async () => {
  const writer = await db.connect('owner')
  const plain = await db.watched('id int primary key, n int')
  const beside = await db.watched('id int primary key, n int')
  await db.owner.query(`
    create function ${beside}_beside() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger beside after insert on ${beside} for each row execute function ${beside}_beside()`)
  const parted = `${beside}_p`
  await db.owner.query(`create table ${parted} (id int primary key, n int) partition by range (id);
    create table ${parted}_1 partition of ${parted} for values from (0) to (99)`)
  for (const table of [plain, beside, parted]) {
    await db.watch(table)
    await writer.query(`insert into ${table} values (1, 1)`)
    await db.owner.query(`alter table ${table} alter n type text`)
    await writer.query(`insert into ${table} values (2, 'a')`)
    await db.owner.query(`alter table ${table} alter n type int using 3`)
    await writer.query(`insert into ${table} values (3, 3)`)
    await db.owner.query(`alter table ${table} add more bool, drop n`)
    await writer.query(`insert into ${table} values (4, true), (5, false)`)
    await writer.query(`insert into ${table} values (6, null)`)
    await db.owner.query(`alter table ${table} rename more to less`)
    await writer.query(`insert into ${table} values (7, null)`)
    expect((await db.changes(table)).map(({ row, error }) => error ?? row)).toEqual([
      '{"id":1,"n":1}',
      '{"id":2,"n":"a"}',
      '{"id":3,"n":3}',
      '{"id":4,"more":true}',
      '{"id":5,"more":false}',
      '{"id":6,"more":null}',
      '{"id":7,"less":null}',
    ])
  }
})

it('is recorded under its new name at once', async () => {
  const writer = await db.connect('owner')
  const { table } = await writtenTo(writer)
  const name = `"T.${randomBytes(4).toString('hex')} ""x"""`
  const schema = `s_${randomBytes(4).toString('hex')}`
  const { rows } = await db.owner.query('select $1::regclass::oid::int as oid', [table])
  await db.owner.query(`alter table ${table} rename to ${name}`)
  await writer.query(`insert into public.${name} values (1, 'a')`)
  await db.owner.query(`create schema ${schema}; alter table public.${name} set schema ${schema}`)
  await writer.query(`insert into ${schema}.${name} values (2, 'a')`)
  await db.owner.query(`alter schema ${schema} rename to "${schema} 2"`)
  await writer.query(`update "${schema} 2".${name} set mood = 'b' where id = 2`)
  const names = (await db.chunks(rows[0].oid)).map(chunk => [chunk.table_schema, chunk.table_name])
  const bare = name.slice(1, -1).replaceAll('""', '"')
  expect(names.slice(1)).toEqual([
    ['public', bare],
    [schema, bare],
    [`${schema} 2`, bare],
  ])
})

it('and loses or renames its key is written to as before, without keys until its watch is applied', async () => {
  const writer = await db.connect('owner')
  const { table } = await writtenTo(writer)
  await db.owner.query(`alter table ${table} rename id to number`)
  await writer.query(`insert into ${table} values (1, 'a')`)
  await db.owner.query(`alter table ${table} drop number`)
  await writer.query(`insert into ${table} values ('b')`)
  await db.owner.query(`alter table ${table} add primary key (mood)`)
  await writer.query(`insert into ${table} values ('c')`)
  await db.owner.query('select quoin.apply_watch($1::regclass)', [table])
  await writer.query(`insert into ${table} values ('d')`)
  const changes = (await db.changes(table)).map(({ key, row, error }) => [
    key,
    JSON.parse(row ?? 'null'),
    error,
  ])
  expect(changes).toEqual([
    ['["0"]', { id: 0, mood: 'fine' }, null],
    [null, { number: 1, mood: 'a' }, null],
    [null, { mood: 'b' }, null],
    [null, { mood: 'c' }, null],
    ['["d"]', { mood: 'd' }, null],
  ])
})
