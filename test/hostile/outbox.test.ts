// What a service_role key can do to everybody's webhooks. One way is from inside a cast to json, which runs as the
// writer while a row becomes an image. The other is to call what writes the outbox. In a database of the file's own:
// what the attacks drop is this database's alone.

import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OutboxDatabase, openOutboxDatabase } from '../contract/row-changes/database.ts'
import { platformStatusOf } from '../support/platform-status.ts'

let db: OutboxDatabase

beforeAll(async () => {
  db = await openOutboxDatabase()
})

afterAll(async () => {
  await db.end()
})

/**
 * A deferred trigger on a temporary table runs at COMMIT, and since Postgres 18 as the role under which it was
 * queued.
 */
async function dropWhatMakesImages(): Promise<void> {
  const caller = await db.connect('service_role')
  await caller.query(`
    create type public.mood as enum ('fine');
    create table public.trap (id int primary key, mood public.mood);
    create temporary table fuse (id int);
    grant insert on fuse to public;
    create function public.blow() returns trigger language plpgsql as $$
      begin execute format('drop owned by %I cascade', current_user); return null; end $$;
    create constraint trigger blow after insert on fuse deferrable initially deferred
      for each row execute function public.blow();
    create function public.light(mood public.mood) returns json language plpgsql as $$
      begin insert into pg_temp.fuse values (1); return '1'; end $$;
    create cast (public.mood as json) with function public.light(public.mood)`)
  await db.watch('public.trap')
  // That the attack ends its own write shows that it was tried.
  await expect(caller.query(`insert into public.trap values (1, 'fine')`)).rejects.toThrow()
}

describe("a user's cast to json that leaves code for the end of its transaction", () => {
  let others: string

  beforeAll(async () => {
    others = await db.watched('id int primary key, tags text[]')
    await dropWhatMakesImages()
  })

  it("cannot break recording for others' tables", async () => {
    await db.owner.query(`insert into ${others} values (1, '{a}')`)
    await db.owner.query(`update ${others} set tags = '{b}'`)
    expect(await db.events(others)).toEqual(['INSERT ["1"]', 'UPDATE ["1"]'])
    expect(await platformStatusOf(db.platform)).toMatchObject({ status: 'ok', problems: [] })
  })
})

// Whoever has SQL may call what writes the outbox. It can invent a change of a watched table, as it could by writing a
// row, and nothing else.
describe('a caller of quoin.append_chunk', () => {
  const call = (client: Client, ...values: unknown[]) =>
    client.query('select quoin.append_chunk($1::regclass, $2, $3, $4, $5::json[], $6::json[], $7)', values)
  let anon: Client

  beforeAll(async () => {
    anon = await db.connect('anon')
  })

  it('gives a chunk neither its place nor its time nor the names of its table', async () => {
    const table = await db.watched('id int primary key')
    await db.owner.query(`insert into ${table} values (1)`)
    await call(anon, table, 'INSERT', ['["2"]'], null, ['{"id":2}'], null, null)
    const [written, invented] = await db.chunks(table)
    expect(invented).toMatchObject({ table_name: table.slice(7), table_schema: 'public', change_count: 1 })
    expect(invented?.id).toBeGreaterThan(written?.id ?? 0n)
    expect(invented?.changes).toEqual([
      { key: '["2"]', old_key: null, row: '{"id":2}', old_row: null, error: null },
    ])
  })

  it('writes nothing for a table that nobody watches', async () => {
    await db.owner.query('create table public.unwatched (id int primary key)')
    await call(anon, 'public.unwatched', 'INSERT', ['["1"]'], null, ['{}'], null, null)
    expect(await db.chunks('public.unwatched')).toEqual([])
  })

  const many = (count: number, value: string | null) => Array.from({ length: count }, () => value)
  it.each<[string, unknown[]]>([
    ['of another event', ['MERGE', null, null, ['{}'], null, null]],
    ['of no event', [null, null, null, ['{}'], null, null]],
    ['without changes', ['INSERT', null, null, [], null, null]],
    ['without rows', ['INSERT', null, null, null, null, null]],
    ['of more than 1 000 changes', ['INSERT', null, null, many(1_001, '{}'), null, null]],
    ['with another number of keys', ['INSERT', ['a', 'b'], null, ['{}'], null, null]],
    ['with a key that is null', ['INSERT', [null], null, ['{}'], null, null]],
    ['with an old key that is null', ['UPDATE', ['a'], [null], ['{}'], ['{}'], null]],
    ['with another number of old rows', ['UPDATE', null, null, ['{}'], ['{}', '{}'], null]],
    ['with another number of errors', ['INSERT', null, null, ['{}'], null, ['a', 'b']]],
    ['with keys of more than 2 MB', ['INSERT', ['x'.repeat(2_100_000)], null, ['{}'], null, null]],
    ['with errors of more than 2 MB', ['INSERT', null, null, ['{}'], null, ['x'.repeat(2_100_000)]]],
    ['of too many bytes', ['INSERT', null, null, [`"${'x'.repeat(170 * 1024 * 1024)}"`], null, null]],
  ])('is refused what is no chunk: one %s', async (_, values) => {
    const table = await db.watched('id int primary key')
    await expect(call(anon, table, ...values)).rejects.toMatchObject({
      code: '22023',
      message: expect.stringContaining('append_chunk'),
    })
    expect(await db.chunks(table)).toEqual([])
  })
})

// The attack: a function is compiled once a connection, and a name in it would stay what its first caller made of it.
it("keeps no type of a caller's in the functions that the next one on its connection writes through", async () => {
  const table = await db.watched('a int, b int, primary key (a, b)')
  await db.owner.query(`grant all on ${table} to service_role`)
  const connection = await db.connect('owner')
  await connection.query(`
    set role anon;
    create function pg_temp.evil(pg_catalog.text) returns pg_catalog.bool language plpgsql as
      $$ begin raise exception 'ran as %', current_user; end $$;
    create domain pg_temp.text as pg_catalog.text check (pg_temp.evil(value));
    set search_path = pg_temp, pg_catalog`)
  await connection.query(`select quoin.key_of('{"a":1,"b":2}', '{a,b}')`).catch(() => undefined)
  await connection.query('reset role; reset search_path')
  await connection.query(`insert into ${table} values (1, 1)`)
  await connection.query('discard all')
  await connection.query(`insert into ${table} values (2, 2)`)
  expect(await db.changes(table)).toMatchObject(['["1","1"]', '["2","2"]'].map(key => ({ key, error: null })))
})
