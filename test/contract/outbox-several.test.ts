// Several changes of one statement, of rows that the short way would take: the trigger makes their images itself, and asks
// quoin.make_images only where a chunk becomes too large.

import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OutboxDatabase, openOutboxDatabase } from './outbox-database.ts'

const CHUNK_IMAGES_BYTES = 4_000_000
const MAKE_IMAGES = 'quoin.make_images(record)'

let db: OutboxDatabase
let writer: Client

beforeAll(async () => {
  db = await openOutboxDatabase()
  writer = await db.connect('owner')
})

afterAll(async () => {
  await db.end()
})

async function withoutMakeImages(work: () => Promise<void>): Promise<void> {
  await db.owner.query(`revoke execute on function ${MAKE_IMAGES} from quoin_outbox`)
  try {
    await work()
  } finally {
    await db.owner.query(`grant execute on function ${MAKE_IMAGES} to quoin_outbox`)
  }
}

const COLUMNS = `id int, name text, amount numeric(12, 2), at timestamptz, data json, primary key (id, name)`

async function writeAll(client: Client, table: string): Promise<void> {
  await client.query(`insert into ${table} select i, 'a "quoted" name', i / 3.0, '2026-01-31 12:00:00.5+05:30', '{"b": 1,  "b":2}'
    from generate_series(1, 2500) i`)
  await client.query(`update ${table} set amount = -amount where id <= 1500`)
  await client.query(`update ${table} set name = 'b' where id > 2490`)
  await client.query(`delete from ${table} where id > 10`)
}

describe('several changes', () => {
  it('of a table of plain types are recorded without make_images', async () => {
    const table = await db.watched(COLUMNS)
    await withoutMakeImages(() => writeAll(writer, table))
    const chunks = await db.chunks(table)
    expect(chunks.map(({ event, change_count }) => [event, change_count])).toEqual([
      ['INSERT', 1000],
      ['INSERT', 1000],
      ['INSERT', 500],
      ['UPDATE', 1000],
      ['UPDATE', 500],
      ['UPDATE', 10],
      ['DELETE', 1000],
      ['DELETE', 1000],
      ['DELETE', 490],
    ])
  })

  it('of a table of another type are not (so that the test above can fail)', async () => {
    const table = await db.watched('id int primary key, data jsonb')
    await withoutMakeImages(async () => {
      await expect(writer.query(`insert into ${table} values (1, '1'), (2, '2')`)).rejects.toThrow(
        /make_images/,
      )
    })
  })

  it('are recorded alike both ways', async () => {
    const chunksOf = async (client: Client) => {
      const table = await db.watched(COLUMNS)
      await writeAll(client, table)
      const chunks = await db.chunks(table)
      return chunks.map(chunk => ({ ...chunk, id: 0, occurred_at: 0, table_id: 0, table_name: '' }))
    }
    const elsewhere = await db.connect('owner')
    await elsewhere.query(`set timezone = 'Asia/Kolkata'; set application_name = 'quoin:req_1'`)
    const plain = await chunksOf(elsewhere)
    // At this level the short way is not taken.
    await elsewhere.query('set default_transaction_isolation = serializable')
    expect(plain).toEqual(await chunksOf(elsewhere))
    expect(plain[0]?.changes[7]?.row).toContain('2026-01-31T06:30:00.5+00:00')
    expect(plain[0]).toMatchObject({ application_name: 'quoin:req_1', errors: null, old_keys: null })
    expect(plain[5]?.changes[0]).toMatchObject({
      old_key: '["2491","a \\"quoted\\" name"]',
      key: '["2491","b"]',
    })
  })

  it.each([
    ['texts that Postgres keeps compressed', 'data text', `repeat('x', 100000 + i)`],
    ['numbers of many digits', 'data numeric', `('1e' || 100000 + i)::numeric`],
  ])('of %s make chunks of what they are as JSON', async (_, column, value) => {
    const table = await db.watched(`id int primary key, ${column}`)
    await writer.query(`insert into ${table} select i, ${value} from generate_series(1, 100) i`)
    await writer.query(`delete from ${table}`)
    const chunks = await db.chunks(table)
    expect(chunks.length).toBeGreaterThan(4)
    for (const { changes } of chunks) {
      const bytes = changes.reduce((sum, { row }) => sum + (row?.length ?? 0), 0)
      expect(bytes).toBeLessThan(CHUNK_IMAGES_BYTES)
    }
    const numbers = Array.from({ length: 100 }, (__, i) => `["${i + 1}"]`)
    const changes = chunks.flatMap(({ event, changes }) => changes.map(change => ({ ...change, event })))
    expect(changes.map(({ event, key, error }) => [event, key, error])).toEqual([
      ...numbers.map(key => ['INSERT', key, null]),
      ...numbers.map(key => ['DELETE', key, null]),
    ])
    const { rows } =
      await writer.query(`select row_to_json(t) ->> 'data' as data from (select ${value} as data
      from generate_series(100, 100) i) t`)
    expect(changes[99]?.row).toContain(rows[0].data)
  })

  it('run the cast of a new type as the role of images', async () => {
    const table = await db.watched('id int primary key, mood text')
    await writer.query(`insert into ${table} values (1, 'fine'), (2, 'fine')`)
    await db.owner.query(`
      create type public.mood as enum ('fine');
      create function public.mood_to_json(mood public.mood) returns json language sql return to_json(current_user::text);
      create cast (public.mood as json) with function public.mood_to_json(public.mood);
      alter table ${table} alter column mood type public.mood using 'fine'`)
    await writer.query(`insert into ${table} values (3, 'fine'), (4, 'fine')`)
    await writer.query(`update ${table} set mood = mood where id > 2`)
    const moods = (await db.changes(table)).map(({ row }) => JSON.parse(row ?? '{}').mood)
    const byImages = Array.from({ length: 4 }, () => 'quoin_images')
    expect(moods).toEqual(['fine', 'fine', ...byImages])
  })
})
