// Staging tables (migrations 0006 and 0009): inserts are copied there as they are, and the listener makes chunks of them. Those must be what the
// trigger would have recorded itself, in the order of all changes.

import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OutboxDatabase, openOutboxDatabase } from './outbox-database.ts'

let db: OutboxDatabase

beforeAll(async () => {
  db = await openOutboxDatabase()
})

afterAll(async () => {
  await db.end()
})

/** How many chunks of this table the triggers have written themselves, or were made by an earlier move. */
async function recordedChunks(table: string): Promise<number> {
  const sql = 'select count(*) from quoin.row_events where table_id = $1::regclass'
  return Number((await db.owner.query(sql, [table])).rows[0].count)
}

/** A session that plans what triggers do above READ COMMITTED has every change recorded by them, on the long way. */
async function setIsolation(session: Client, isolation: 'read committed' | 'repeatable read'): Promise<void> {
  await session.query(`set default_transaction_isolation = '${isolation}'; discard plans`)
}

describe('an insert', () => {
  it('is staged alone, and becomes the chunks that the trigger would have recorded', async () => {
    const table =
      await db.watched(`id int, name text, amount numeric(12, 2), is_paid bool, at timestamptz(3), day date, other uuid,
      data jsonb, short varchar(9), padded char(4), size float8, tags text[], span interval, bytes bytea, address inet,
      doubled int generated always as (id * 2) stored, primary key (id, day)`)
    const writer = await db.connect('owner')
    await writer.query(`set application_name = 'quoin:req_1'; set timezone = 'Asia/Kolkata'; set datestyle = 'German, DMY';
      set intervalstyle = 'iso_8601'; set bytea_output = 'escape'; set extra_float_digits = 0`)
    const chunksOf = async () => {
      await writer.query(`insert into ${table} values (1, 'a "quoted" \\ ''name''', 1.50, true, '2026-01-31 12:00:00.5+05:30', '31.01.2026',
        '6b3c1a52-0000-4000-8000-000000000001', '{"b": 1,  "c":2}', 'x', 'y', 0.1, '{a,"b c"}', '1 day 2 hours', '\\x00ff', '10.0.0.1')`)
      await writer.query(
        `insert into ${table} (id, day, name) select i, '1.2.2026', repeat('n', i) from generate_series(2, 4) i`,
      )
      const recorded = await recordedChunks(table)
      const chunks = await db.chunks(table)
      await db.owner.query(`delete from quoin.row_events; truncate ${table}`)
      return { recorded, chunks: chunks.map(chunk => ({ ...chunk, id: 0, occurred_at: 0 })) }
    }
    const staged = await chunksOf()
    await setIsolation(writer, 'repeatable read')
    const recorded = await chunksOf()
    expect([staged.recorded, recorded.recorded]).toEqual([0, 2])
    expect(staged.chunks).toEqual(recorded.chunks)
    expect(staged.chunks.map(chunk => chunk.change_count)).toEqual([1, 3])
    expect(staged.chunks[0]).toMatchObject({ application_name: 'quoin:req_1', keys: ['["1","2026-01-31"]'] })
    expect(staged.chunks[0]?.changes[0]?.row).toContain('2026-01-31T06:30:00.5+00:00')
  })

  it.each([
    ['a type of its user', "id int primary key, mood {mood} default 'fine'"],
    ['a domain over a domain', 'id int primary key, n {domain}'],
    ['a type whose text is a name', 'id int primary key, r regclass'],
    ['a name of ours', 'id int primary key, "!id" int'],
    ['many columns', `id int primary key, ${Array.from({ length: 151 }, (_, i) => `c${i} int`).join()}`],
  ])('into a table with %s is recorded by the trigger', async (_what, columns) => {
    const name = `public.n_${randomBytes(5).toString('hex')}`
    await db.owner.query(`create type ${name}_mood as enum ('fine');
      create domain ${name}_inner as int; create domain ${name}_outer as ${name}_inner`)
    const table = await db.watched(
      columns.replace('{mood}', `${name}_mood`).replace('{domain}', `${name}_outer`),
    )
    await db.owner.query(`insert into ${table} (id) values (1)`)
    expect([await recordedChunks(table), await db.stagingTables(table)]).toEqual([1, []])
    expect(await db.events(table)).toEqual(['INSERT ["1"]'])
  })

  it('is recorded by the trigger in a session that plans it above READ COMMITTED', async () => {
    const table = await db.watched('id int primary key')
    const writer = await db.connect('owner')
    await writer.query(`begin isolation level repeatable read; insert into ${table} values (1); commit`)
    expect(await recordedChunks(table)).toBe(1)
  })

  it('fits where the row of its table fills a page', async () => {
    const columns = Array.from({ length: 150 }, (_, i) => (i === 0 ? 'id int primary key' : `c${i} text`))
    const table = await db.watched(columns.join())
    // Values outside the row, as many as there are, leave the most in it that a row may have.
    const values = columns.slice(1).map(() => "string_agg(md5(random()::text), '')")
    await db.owner.query(`insert into ${table} select 1, ${values.join()} from generate_series(1, 90)`)
    await db.owner.query(`insert into ${table} select 2, ${columns.slice(1).map(() => "repeat('x', 24)")} `)
    expect(await db.stagingTables(table)).toHaveLength(1)
    expect(await db.events(table)).toEqual(['INSERT ["1"]', 'INSERT ["2"]'])
  })

  it('into a table without a primary key has no key', async () => {
    const table = await db.watched('id int, n int')
    await db.owner.query(`insert into ${table} values (1, 1), (1, 1)`)
    expect(await db.countOf((await db.stagingTables(table))[0])).toBe(2)
    const [chunk, ...others] = await db.chunks(table)
    expect(others).toEqual([])
    expect(chunk).toMatchObject({ keys: null, change_count: 2 })
    expect(chunk?.changes.map(({ key, row }) => [key, row])).toEqual(
      Array.from({ length: 2 }, () => [null, '{"id":1,"n":1}']),
    )
  })

  it('that is rolled back leaves nothing', async () => {
    const table = await db.watched('id int primary key')
    await db.owner.query(`begin; insert into ${table} values (1); savepoint s; insert into ${table} values (2);
      rollback to s; insert into ${table} values (3); commit`)
    await db.owner.query(`begin; insert into ${table} values (4); rollback`)
    expect(await db.events(table)).toEqual(['INSERT ["1"]', 'INSERT ["3"]'])
  })
})

describe('the order', () => {
  it('of one row’s changes is kept between those that were staged and those that were not', async () => {
    const table = await db.watched('id int primary key, n int')
    const writer = await db.connect('owner')
    for (let time = 0; time < 2; time++) {
      await writer.query(`insert into ${table} values (1, 1)`)
      await writer.query(`update ${table} set n = 2`)
      if (time === 0) await setIsolation(writer, 'repeatable read')
      await writer.query(`delete from ${table}`)
      await writer.query(`insert into ${table} values (1, 3)`)
      await setIsolation(writer, 'read committed')
      await writer.query(`delete from ${table}`)
    }
    const round = ['INSERT', 'UPDATE', 'DELETE', 'INSERT', 'DELETE'].map(event => `${event} ["1"]`)
    expect(await db.events(table)).toEqual([...round, ...round])
  })

  it('of statements that overlap is that of their writes, and no chunk mixes them', async () => {
    const table = await db.watched('id int primary key')
    const [first, second] = [await db.connect('owner'), await db.connect('owner')]
    await first.query(`begin; insert into ${table} values (1), (2)`)
    await second.query(`begin; insert into ${table} values (3), (4)`)
    await first.query(`insert into ${table} values (5); commit`)
    await db.moveStaged()
    await second.query(`insert into ${table} values (6), (7); commit`)
    const chunks = await db.chunks(table)
    expect(chunks.map(({ keys }) => keys?.join())).toEqual(['["1"],["2"],["5"]', '["3"],["4"],["6"],["7"]'])
  })
})

describe('a chunk', () => {
  it('says of all its rows when they were written, within a second, and by which session', async () => {
    const table = await db.watched('id int primary key')
    const writer = await db.connect('owner')
    await writer.query(`set application_name = 'quoin:a'`)
    await writer.query(`do $$ begin
      insert into ${table} values (1), (2); insert into ${table} values (3);
      insert into ${table} values (4);
      perform set_config('application_name', 'quoin:b', true);
      insert into ${table} values (5), (6);
    end $$`)
    // As if the second half had come two seconds later: all rows in one statement, so that they stay of one transaction.
    const [staging] = await db.stagingTables(table)
    await db.owner.query(
      `update ${staging} set "!at" = "!at" + case when id > 3 then interval '2 seconds' else interval '0' end`,
    )
    await writer.query(`insert into ${table} values (7)`)
    expect((await db.chunks(table)).map(chunk => [chunk.application_name, chunk.change_count])).toEqual([
      ['quoin:a', 3],
      ['quoin:a', 1],
      ['quoin:b', 2],
      ['quoin:a', 1],
    ])
  })
})

describe('a move', () => {
  it('that is taken back is repeated with nothing mixed', async () => {
    const table = await db.watched('id int primary key')
    await db.owner.query(
      `begin; insert into ${table} values (1); delete from ${table}; insert into ${table} values (1), (2); commit`,
    )
    await db.owner.query('begin isolation level repeatable read; select quoin.move_all_staged(); rollback')
    const chunks = await db.chunks(table)
    expect(chunks.map(({ event, keys }) => `${event} ${keys?.join()}`)).toEqual([
      'INSERT ["1"]',
      'DELETE ["1"]',
      'INSERT ["1"],["2"]',
    ])
  })

  it('is refused outside REPEATABLE READ, where it would lose rows', async () => {
    await expect(db.owner.query('select quoin.move_all_staged()')).rejects.toThrow(/needs REPEATABLE READ/)
  })

  it('takes a large backlog part by part, and numbers no chunk before what came earlier', async () => {
    const table = await db.watched('id int primary key')
    await db.owner.query(`insert into ${table} select generate_series(1, 120001)`)
    await db.owner.query(`delete from ${table} where id in (1, 120001)`)
    const numbered: number[] = []
    for (let rest: string | null = ''; rest !== null; ) {
      rest = (await db.moveOnce(50_000, '0')).rest_from
      const { rows } = await db.owner.query(
        'select sum(change_count)::int as changes from quoin.row_events where table_id = $1::regclass and id > 0',
        [table],
      )
      numbered.push(rows[0].changes)
    }
    expect(numbered).toEqual([...Array.from({ length: 120 }, (_, i) => 1_000 * (i + 1)), 120_003])
    const keys = (await db.chunks(table)).flatMap(({ event, keys }) => (event === 'INSERT' ? keys : []))
    expect(keys).toEqual(Array.from({ length: 120_001 }, (_, i) => `["${i + 1}"]`))
  })

  it('leaves out the image of a row alone of which none can be made', async () => {
    const table = await db.watched('id int primary key, a text, b text')
    // Compressed they are small; together they are longer than a row may be.
    await db.owner.query('create table if not exists public.long_texts (a text)')
    await db.owner.query(`insert into public.long_texts select repeat('x', 550000000)`)
    await db.owner.query(
      `insert into ${table} select i, case when i = 7 then a end, case when i = 7 then a end from long_texts, generate_series(6, 8) i`,
    )
    await db.owner.query('drop table public.long_texts')
    const changes = await db.changes(table)
    expect(changes.map(({ key }) => key)).toEqual(['6', '7', '8'].map(id => `["${id}"]`))
    expect(changes.filter(({ row }) => row === null).map(({ key }) => key)).toEqual(['["7"]'])
    expect(changes[1]?.error).toMatch(/memory/)
  })

  it('goes on without a staging table that cannot be read, and says which', async () => {
    const [broken, other] = [await db.watched('id int primary key'), await db.watched('id int primary key')]
    const [name] = await db.stagingTables(broken)
    const move = name?.replace('.staged_', '.move_staged_')
    await db.owner.query(
      `create or replace function ${move}(up_to pg_lsn, failure text, other_chunks pg_lsn[]) returns void language plpgsql as 'begin perform 1 / 0; end'`,
    )
    for (const table of [broken, other]) await db.owner.query(`insert into ${table} values (1)`)
    expect(await db.moveOnce()).toEqual({
      numbered_up_to: null,
      rest_from: null,
      held_from: expect.stringMatching(/^[1-9]\d+$/),
      unmoved: [`${name?.slice('quoin_staging.'.length)}: 22012`],
    })
    expect([await recordedChunks(broken), await recordedChunks(other)]).toEqual([0, 1])
    await db.watch(broken)
    expect(await db.events(broken)).toEqual(['INSERT ["1"]'])
  })

  it('that waits for a lock in vain does not try again without the image', async () => {
    const table = await db.watched('id int primary key')
    const [name] = await db.stagingTables(table)
    await db.owner.query(`create or replace function ${name?.replace('.staged_', '.move_staged_')}(up_to pg_lsn, failure text, other_chunks pg_lsn[])
      returns void language plpgsql as $$ begin if $2 is null then raise lock_not_available; end if; end $$`)
    await db.owner.query(`insert into ${table} values (1)`)
    expect((await db.moveOnce()).unmoved).toEqual([expect.stringMatching(/: 55P03$/)])
    await db.watch(table)
    expect(await db.events(table)).toEqual(['INSERT ["1"]'])
  })

  it('says from which position on a table that it left may bring chunks', async () => {
    const table = await db.watched('id int primary key')
    const [staging] = await db.stagingTables(table)
    await db.owner.query(`insert into ${table} values (1)`)
    const { rows } = await db.owner.query(`select ("!position" - '0/0')::text as position from ${staging}`)
    const holder = await db.connect('owner')
    await holder.query(`begin; lock table ${staging} in share mode`)
    expect(await db.moveOnce()).toMatchObject({ rest_from: null, held_from: rows[0].position })
    await holder.query(`rollback; begin; lock table ${staging}`)
    expect(await db.moveOnce()).toMatchObject({ held_from: '0' })
    await holder.query('rollback')
    expect(await db.moveOnce()).toMatchObject({ held_from: null })
  })

  it('of two staging tables of one table keeps the order of their rows', async () => {
    for (let time = 0; time < 5; time++) {
      const table = await db.watched('id int primary key, n int')
      await db.watch(table, ['INSERT'])
      await db.owner.query(`insert into ${table} values (1, 1)`)
      await db.owner.query(`delete from ${table}; alter table ${table} rename column n to m`)
      await db.watch(table, ['INSERT'])
      await db.owner.query(`insert into ${table} values (1, 2)`)
      expect(await db.stagingTables(table)).toHaveLength(2)
      expect((await db.changes(table)).map(({ row }) => row)).toEqual(['{"id":1,"n":1}', '{"id":1,"m":2}'])
    }
  })

  it('that waits for a lock in vain puts nothing before what it left', async () => {
    const [locked, other] = [await db.watched('id int primary key'), await db.watched('id int primary key')]
    for (const table of [locked, other]) await db.owner.query(`insert into ${table} values (1)`)
    const holder = await db.connect('owner')
    await holder.query(`begin; lock table ${(await db.stagingTables(locked))[0]} in share mode`)
    for (const table of [locked, other]) await db.owner.query(`delete from ${table}`)
    const inVain = await db.moveOnce()
    expect(inVain).toMatchObject({
      rest_from: expect.stringMatching(/^\d+$/),
      unmoved: [expect.stringMatching(/: 55P03$/)],
    })
    const numbered = async (table: string) =>
      await db.countOf(`quoin.row_events where table_id = '${table}'::regclass and id > 0`)
    expect([await numbered(locked), await numbered(other)]).toEqual([0, 2])
    await holder.query('rollback')
    // Left alone, it counts as before, though now it could be moved.
    const untried = inVain.unmoved ?? []
    expect(await db.moveOnce(1, '1 s', '0', untried)).toMatchObject({ held_from: '0', unmoved: untried })
    expect(await numbered(locked)).toBe(0)
    expect((await db.changes(locked)).map(({ event, error }) => [event, error])).toEqual([
      ['INSERT', null],
      ['DELETE', null],
    ])
  })

  it('says so where its own function is lost, which is made again when the table is watched', async () => {
    const table = await db.watched('id int primary key')
    const [name] = await db.stagingTables(table)
    await db.owner.query(`drop function ${name?.replace('.staged_', '.move_staged_')}`)
    await db.owner.query(`insert into ${table} values (1)`)
    expect((await db.moveOnce()).unmoved).toEqual([`${name?.slice('quoin_staging.'.length)}: 42883`])
    await db.watch(table)
    expect(await db.events(table)).toEqual(['INSERT ["1"]'])
  })

  it('takes rows whose columns are called as its own statements call things', async () => {
    const names = [
      'up_to',
      'failure',
      'other_chunks',
      'rows_max',
      'before',
      'first_position',
      'last_position',
      'row_count',
      'has_more',
      'highest',
      'all_bytes',
      'position',
      'place',
      'image',
      'r',
      's',
      'c',
      'batch',
      'made',
      'key',
      'xmin_',
      '$1',
      '%s {key}',
      'a "b" \\ \'c\'',
      '$source$',
    ]
    const quoted = names.map(name => `"${name.replaceAll('"', '""')}"`)
    const table = await db.watched(`id int primary key, ${quoted.map(name => `${name} text`).join()}`)
    await db.owner.query(`insert into ${table} values (1, ${names.map((_, i) => `'${i}'`).join()})`)
    const [change] = await db.changes(table)
    expect(JSON.parse(change?.row ?? 'null')).toEqual({
      id: 1,
      ...Object.fromEntries(names.map((name, i) => [name, String(i)])),
    })
  })

  it('deletes from a staging table that somebody publishes', async () => {
    const table = await db.watched('id int primary key')
    const [staging] = await db.stagingTables(table)
    await db.owner.query(`create publication all_there_is for table ${staging}`)
    await db.owner.query(`insert into ${table} values (1)`)
    expect(await db.events(table)).toEqual(['INSERT ["1"]'])
    expect(await db.countOf(staging)).toBe(0)
  })
})
