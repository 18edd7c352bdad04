// The short way of triggers (migration 0007): one UPDATE or DELETE of a table without types of users is recorded by a single INSERT, as the
// role that may write the outbox. It must give what the long way gives, and never be taken where a user's code could run.

import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OutboxDatabase, openOutboxDatabase } from './outbox-database.ts'

let db: OutboxDatabase

beforeAll(async () => {
  db = await openOutboxDatabase()
  await db.owner.query("set timezone = 'UTC'")
})

afterAll(async () => {
  await db.end()
})

const COLUMNS = `id int, name text, amount numeric(12, 2), is_paid bool, at timestamptz, day date, local timestamp, other uuid,
  data json, short varchar(9), padded char(4), primary key (id, name)`
const VALUES = `1, 'a "quoted" \\ ''name''', 1.50, true, '2026-01-31 12:00:00.5+05:30', '2026-01-31', '2026-01-31 12:00', null, '{"b": 1,  "b":2}', 'x', 'y'`

/** What the trigger asks of others on the long way alone. */
const LONG_WAY = 'quoin.make_image(record), quoin.make_images(record)'

/** A session in which the short way may be taken. */
async function connectInUtc(): Promise<Client> {
  const client = await db.connect('owner')
  await client.query("set timezone = 'UTC'")
  return client
}

async function onTheShortWayAlone(work: () => Promise<void>): Promise<void> {
  await db.owner.query(`revoke execute on function ${LONG_WAY} from quoin_outbox`)
  try {
    await work()
  } finally {
    await db.owner.query(`grant execute on function ${LONG_WAY} to quoin_outbox`)
  }
}

describe('one change', () => {
  it('of a table of plain types is recorded by the short way', async () => {
    const table = await db.watched(COLUMNS)
    const quoting = await connectInUtc()
    await quoting.query('set quote_all_identifiers = on')
    await onTheShortWayAlone(async () => {
      await db.owner.query(`insert into ${table} values (${VALUES})`)
      await db.owner.query(`update ${table} set amount = 2`)
      await quoting.query(`delete from ${table}`)
    })
    expect((await db.changes(table)).map(({ event, error }) => [event, error])).toEqual([
      ['INSERT', null],
      ['UPDATE', null],
      ['DELETE', null],
    ])
  })

  it.each([
    'id int primary key, tags text[]',
    'id int primary key, data jsonb',
    'id int primary key, size float8',
    'id int primary key, span interval',
    'id timestamptz primary key',
    'id int unique',
  ])('of a table of (%s) takes the long way (so that the test above can fail)', async columns => {
    const table = await db.watched(columns)
    const id = columns.startsWith('id int') ? '1' : 'now()'
    await db.owner.query(`insert into ${table} (id) values (${id})`)
    await onTheShortWayAlone(async () => {
      for (const sql of [`update ${table} set id = id`, `delete from ${table}`])
        await expect(db.owner.query(sql)).rejects.toThrow(/make_image/)
    })
  })

  it('is recorded alike by both ways', async () => {
    const table = await db.watched(COLUMNS)
    const chunksOf = async (timezone: string) => {
      const writer = await db.connect('owner')
      await writer.query(`set timezone = '${timezone}'; set application_name = 'quoin:req_1'`)
      await writer.query(`insert into ${table} values (${VALUES})`)
      await writer.query(`update ${table} set day = null`)
      await writer.query(`update ${table} set name = 'b'`)
      await writer.query(`delete from ${table}`)
      const chunks = await db.chunks(table)
      await db.owner.query('delete from quoin.row_events')
      return chunks.map(chunk => ({ ...chunk, id: 0, occurred_at: 0 }))
    }
    const short = await chunksOf('UTC')
    expect(short).toEqual(await chunksOf('Asia/Kolkata'))
    expect(short.map(chunk => chunk.change_count)).toEqual([1, 1, 1, 1])
    expect(short[0]).toMatchObject({ application_name: 'quoin:req_1', table_schema: 'public', errors: null })
    expect(short[0]?.changes[0]?.row).toContain('2026-01-31T06:30:00.5+00:00')
    expect(short[2]?.changes[0]?.old_key).toContain('quoted')
  })

  it('that is large, and several or none, are recorded once each', async () => {
    const table = await db.watched('id int primary key, data text')
    await db.owner.query(`insert into ${table} values (1, repeat('x', 40000))`)
    await db.owner.query(`insert into ${table} values (2, 'a'), (3, 'b')`)
    await db.owner.query(`update ${table} set data = 'c' where id > 5`)
    await db.owner.query(`delete from ${table} where id > 1`)
    await db.owner.query(
      `insert into ${table} values (1, 'd') on conflict (id) do update set data = excluded.data`,
    )
    expect((await db.changes(table)).map(({ event, key, error }) => [event, key, error])).toEqual([
      ['INSERT', '["1"]', null],
      ['INSERT', '["2"]', null],
      ['INSERT', '["3"]', null],
      ['DELETE', '["2"]', null],
      ['DELETE', '["3"]', null],
      ['UPDATE', '["1"]', null],
    ])
  })

  it.each([
    ['UTC', 'id int primary key, data text', "'a'"],
    ['Asia/Kolkata', 'id int primary key, data text', "'a'"],
    ['<+05:30>-05:30', 'id int primary key, span interval', "'1 day'"],
  ])(
    'leaves the settings of a session in %s as they were, for a table of (%s)',
    async (timezone, columns, value) => {
      const table = await db.watched(columns)
      const writer = await db.connect('owner')
      await writer.query(`set search_path = '$user', public; set datestyle = 'German, DMY'; set work_mem = '1MB';
      set bytea_output = 'escape'; set extra_float_digits = 0; set timezone = '${timezone}'`)
      await writer.query("begin; set local intervalstyle = 'iso_8601'")
      const names = `search_path timezone datestyle work_mem bytea_output extra_float_digits intervalstyle transaction_read_only`
      const settings = async () => {
        const { rows } = await writer.query(
          `select name, current_setting(name) as value from regexp_split_to_table('${names}', ' ') as name`,
        )
        return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
      }
      const before = await settings()
      await writer.query(`savepoint s; insert into ${table} values (1, ${value}); rollback to s`)
      expect(await settings()).toEqual(before)
      await writer.query(`insert into ${table} values (1, ${value})`)
      await writer.query(`insert into ${table} values (2, ${value}), (3, ${value})`)
      expect(await settings()).toEqual(before)
      await writer.query('commit')
      expect(await settings()).toEqual({ ...before, intervalstyle: 'postgres' })
      expect((await db.changes(table)).map(({ key, error }) => [key, error])).toEqual([
        ['["1"]', null],
        ['["2"]', null],
        ['["3"]', null],
      ])
    },
  )

  it('beside a row trigger of others is recorded by the short way of row triggers, and so in a partition', async () => {
    const table = await db.watched('id int primary key, n int')
    await db.owner.query(`
      create function ${table}_beside() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger beside after insert or update or delete on ${table} for each row execute function ${table}_beside()`)
    await db.watch(table)
    expect(await db.triggers(table)).toEqual(['delete row', 'insert row', 'update row'])
    await onTheShortWayAlone(async () => {
      await db.owner.query(`insert into ${table} values (1, 1)`)
      await db.owner.query(`update ${table} set id = 2`)
      await db.owner.query(`delete from ${table}`)
    })
    expect(
      (await db.changes(table)).map(({ old_key, key, row, old_row }) => [old_key, key, row, old_row]),
    ).toEqual([
      [null, '["1"]', '{"id":1,"n":1}', null],
      ['["1"]', '["2"]', '{"id":2,"n":1}', '{"id":1,"n":1}'],
      [null, '["2"]', '{"id":2,"n":1}', '{"id":2,"n":1}'],
    ])
    await db.owner.query(`create table ${table}_p (id int primary key) partition by range (id);
      create table ${table}_p1 partition of ${table}_p for values from (0) to (9)`)
    await db.watch(`${table}_p`)
    await onTheShortWayAlone(async () => {
      await db.owner.query(`insert into ${table}_p values (1)`)
    })
    expect((await db.changes(`${table}_p`)).map(({ key, row }) => [key, row])).toEqual([
      ['["1"]', '{"id":1}'],
    ])
  })

  it('that makes a row too large for an image costs the write nothing but the image', async () => {
    const table = await db.watched('id int primary key, data text')
    await db.owner.query(`insert into ${table} values (1, '')`)
    // Escaped, it is longer than any value may be.
    await db.owner.query(`update ${table} set data = repeat(chr(1), 200000000)`)
    const [, change] = await db.changes(table)
    expect(change).toMatchObject({ key: '["1"]', row: null })
    expect(change?.error).toMatch(/larger than/)
  })

  it('of a table whose columns are called as our templates call things is no different', async () => {
    const names = ['{key}', '{row_bytes}', '%1$s', '$source$', 'r', 'new_rows', 'n', '"', "'"]
    const columns = names.map(name => `"${name.replaceAll('"', '""')}" text`)
    const table = await db.watched(
      `"{watched}" int, "%2$s" text, ${columns.join()}, primary key ("{watched}", "%2$s")`,
    )
    await onTheShortWayAlone(async () => {
      await db.owner.query(`insert into ${table} values (1, '%s {key}', 'a')`)
      await db.owner.query(`update ${table} set "{key}" = 'b'`)
    })
    await db.owner.query(`insert into ${table} values (2, 'c'), (3, 'd')`)
    const changes = await db.changes(table)
    expect(changes.map(({ key }) => key)).toEqual([
      '["1","%s {key}"]',
      '["1","%s {key}"]',
      '["2","c"]',
      '["3","d"]',
    ])
    expect(JSON.parse(changes[1]?.row ?? '')).toMatchObject({
      '{watched}': 1,
      '%2$s': '%s {key}',
      '{key}': 'b',
      r: null,
    })
  })
})

describe('a table that changes while a session writes to it', () => {
  /** A table that this writer has written to the short way, and a type whose cast to json says as whom it runs. */
  async function writtenTo(writer: Client): Promise<{ table: string; mood: string }> {
    const table = await db.watched('id int primary key, mood text')
    const mood = `public.mood_${randomBytes(5).toString('hex')}`
    await db.owner.query(`
      create type ${mood} as enum ('fine');
      create function ${mood}_to_json(mood ${mood}) returns json language sql return to_json(current_user::text);
      create cast (${mood} as json) with function ${mood}_to_json(${mood})`)
    await writer.query(`insert into ${table} values (0, 'fine')`)
    return { table, mood }
  }
  const giveItsType = (mood: string, table: string) =>
    `alter table ${table} alter column mood type ${mood} using 'fine'`
  const moodsOf = async (table: string) =>
    (await db.changes(table)).map(({ row }) => JSON.parse(row ?? '{}').mood)

  it('runs the cast of a new type as the role of images, by its own hand or by another', async () => {
    const writer = await connectInUtc()
    for (const changer of [writer, db.owner]) {
      const { table, mood } = await writtenTo(writer)
      await changer.query(giveItsType(mood, table))
      await writer.query(`insert into ${table} values (1, 'fine')`)
      await writer.query(`update ${table} set mood = mood where id = 1`)
      await writer.query(`delete from ${table} where id = 1`)
      expect(await moodsOf(table)).toEqual(['fine', 'quoin_images', 'quoin_images', 'quoin_images'])
    }
  })

  it('does so within the transaction, and is as before when that is taken back', async () => {
    const writer = await connectInUtc()
    const { table, mood } = await writtenTo(writer)
    await writer.query('begin')
    await writer.query(giveItsType(mood, table))
    await writer.query(`insert into ${table} values (1, 'fine')`)
    expect(await moodsOf(table)).toEqual(['fine'])
    const { rows } = await writer.query(
      'select rows::text from quoin.row_events order by occurred_at desc limit 1',
    )
    expect(rows[0].rows).toContain('quoin_images')
    await writer.query('rollback')
    await onTheShortWayAlone(async () => {
      await writer.query(`insert into ${table} values (1, 'fine')`)
    })
    expect(await moodsOf(table)).toEqual(['fine', 'fine'])
  })

  it('does so in a transaction that still sees the catalogs as they were before', async () => {
    const writer = await connectInUtc()
    const { table, mood } = await writtenTo(writer)
    await writer.query('begin isolation level repeatable read; select 1')
    await db.owner.query(giveItsType(mood, table))
    await writer.query(`insert into ${table} values (1, 'fine')`)
    await writer.query('commit')
    await writer.query(`insert into ${table} values (2, 'fine')`)
    expect(await moodsOf(table)).toEqual(['fine', 'quoin_images', 'quoin_images'])
  })

  it('does so in a statement that has waited for the change with an older snapshot', async () => {
    const writer = await connectInUtc()
    const { table, mood } = await writtenTo(writer)
    // EXPLAIN has its snapshot before EXECUTE asks for locks.
    await writer.query(`prepare write (int) as insert into ${table} values ($1, 'fine')`)
    const changer = await db.connect('owner')
    await changer.query('begin')
    await changer.query(giveItsType(mood, table))
    const written = writer.query('explain analyze execute write (1)')
    const waiters = `select from pg_locks where relation = $1::regclass and not granted
      and database = (select oid from pg_database where datname = current_database())`
    await expect.poll(async () => (await db.owner.query(waiters, [table])).rows.length).toBe(1)
    await changer.query('commit')
    await written
    await writer.query('execute write (2)')
    expect(await moodsOf(table)).toEqual(['fine', 'quoin_images', 'quoin_images'])
  })

  it.each([
    ['short', 'UTC'],
    ['long', 'Asia/Kolkata'],
  ])('has its columns as they are at once, by row triggers on the %s way too', async (_way, timezone) => {
    const writer = await connectInUtc()
    await writer.query(`set timezone = '${timezone}'`)
    const beside = await db.watched('id int primary key, n int')
    await db.owner.query(`
      create function ${beside}_beside() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger beside after insert on ${beside} for each row execute function ${beside}_beside()`)
    const parted = `${beside}_p`
    await db.owner.query(`create table ${parted} (id int primary key, n int) partition by range (id);
      create table ${parted}_1 partition of ${parted} for values from (0) to (99)`)
    for (const table of [beside, parted]) {
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
    const writer = await connectInUtc()
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
    await db.watch(`"${schema} 2".${name}`)
    await onTheShortWayAlone(async () => {
      await writer.query(`update "${schema} 2".${name} set mood = 'c' where id = 2`)
    })
    const names = (await db.chunks(rows[0].oid)).map(chunk => [chunk.table_schema, chunk.table_name])
    const bare = name.slice(1, -1).replaceAll('""', '"')
    expect(names.slice(1)).toEqual([
      ['public', bare],
      [schema, bare],
      [`${schema} 2`, bare],
      [`${schema} 2`, bare],
    ])
  })

  it('and loses or renames its key is written to as before', async () => {
    const writer = await connectInUtc()
    const { table } = await writtenTo(writer)
    await db.owner.query(`alter table ${table} rename id to number`)
    await writer.query(`insert into ${table} values (1, 'a')`)
    await db.owner.query(`alter table ${table} drop number`)
    await writer.query(`insert into ${table} values ('b')`)
    await db.owner.query(`alter table ${table} add id int; alter table ${table} add primary key (mood)`)
    await writer.query(`insert into ${table} values ('c', 7)`)
    await db.watch(table)
    await writer.query(`insert into ${table} values ('d', 8)`)
    const changes = (await db.changes(table)).map(({ key, row, error }) => [
      key,
      JSON.parse(row ?? 'null'),
      error,
    ])
    expect(changes).toEqual([
      ['["0"]', { id: 0, mood: 'fine' }, null],
      [null, { number: 1, mood: 'a' }, null],
      [null, { mood: 'b' }, null],
      ['["7"]', { mood: 'c', id: 7 }, null],
      ['["d"]', { mood: 'd', id: 8 }, null],
    ])
  })
})
