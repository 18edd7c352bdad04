// Which keys the changes in the outbox have: what the order of deliveries goes by. Directly in Postgres, as users
// write.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listWithoutImages } from '../../../src/features/row-changes/consume/outbox.ts'
import { type OutboxDatabase, openOutboxDatabase } from './database.ts'

let db: OutboxDatabase

beforeAll(async () => {
  db = await openOutboxDatabase()
})

afterAll(async () => {
  await db.end()
})

describe('a statement', () => {
  it('that changes primary keys names the old ones too', async () => {
    const table = await db.watched('id int primary key')
    await db.owner.query(`insert into ${table} values (1)`)
    await db.owner.query(`update ${table} set id = 5`)
    await db.owner.query(`insert into ${table} values (6)`)
    await db.owner.query(`update ${table} set id = id + 1 where id = 6`)
    await db.owner.query(`update ${table} set id = id + 10`)
    const updates = (await db.changes(table)).filter(({ event }) => event === 'UPDATE')
    expect(updates.map(({ old_key, key }) => [old_key, key])).toEqual([
      ['["1"]', '["5"]'],
      ['["6"]', '["7"]'],
      ['["5"]', '["15"]'],
      ['["7"]', '["17"]'],
    ])
  })

  it('that changes some primary keys names the old ones of these alone', async () => {
    const table = await db.watched('id int primary key')
    await db.owner.query(`insert into ${table} values (1), (2)`)
    await db.owner.query(`update ${table} set id = case id when 1 then 100 else id end`)
    const chunks = await db.chunks(table)
    expect(chunks[1]?.changes.map(({ old_key, key }) => [old_key, key])).toEqual([
      ['["1"]', '["100"]'],
      [null, '["2"]'],
    ])
    const unread = await listWithoutImages(db.platform, String(chunks[1]?.id), 'a broken page')
    expect(unread).toEqual([
      { key: '["100"]', old_key: '["1"]', row: null, old_row: null, error: 'a broken page' },
      { key: '["2"]', old_key: null, row: null, old_row: null, error: 'a broken page' },
    ])
  })

  it('leaves out of the key what its index only includes', async () => {
    const table = await db.watched('id int, name text, primary key (id) include (name)')
    await db.owner.query(`insert into ${table} values (1, 'a')`)
    await db.owner.query(`update ${table} set name = 'b'`)
    expect((await db.changes(table)).map(({ old_key, key }) => [old_key, key])).toEqual([
      [null, '["1"]'],
      [null, '["1"]'],
    ])
  })

  it('of a table that has lost its primary key gives no row the key of another', async () => {
    const table = await db.watched('id int primary key, n int')
    await db.owner.query(
      `alter table ${table} drop constraint ${table.split('.')[1]}_pkey, alter id drop not null`,
    )
    await db.owner.query(`insert into ${table} values (null, 1), (2, 2)`)
    await db.owner.query(`insert into ${table} values (null, 3)`)
    await db.owner.query(`update ${table} set n = 0`)
    expect((await db.chunks(table)).map(({ event, keys }) => [event, keys])).toEqual([
      ['INSERT', null],
      ['INSERT', null],
      ['UPDATE', null],
    ])
  })

  it('has its keys from the key columns alone where no image gives them, whatever these are called', async () => {
    const table = await db.watched('k int, r text, data json, primary key (k, r)')
    await db.owner.query(`insert into ${table} values (1, 'a', '"\\u0000"'), (2, 'b', '1')`)
    expect((await db.changes(table)).map(({ key }) => key)).toEqual(['["1","a"]', '["2","b"]'])
  })

  it('whose keys come to more than a million bytes goes without them', async () => {
    const table = await db.watched('id text primary key')
    await db.owner.query(
      `insert into ${table} select repeat(chr(1), 2000) || i from generate_series(1, 100) i`,
    )
    const chunks = await db.chunks(table)
    expect(chunks.map(({ keys, change_count }) => [keys, change_count])).toEqual([[null, 100]])
  })

  it('that swaps primary keys names both of each change', async () => {
    const table = await db.watched('id int primary key deferrable')
    await db.owner.query(`insert into ${table} values (1), (2)`)
    await db.owner.query(`update ${table} set id = 3 - id`)
    await db.owner.query(`update ${table} set id = 5 where id = 1`)
    const chunks = (await db.chunks(table)).filter(({ event }) => event === 'UPDATE')
    expect(chunks.map(({ changes }) => changes.map(({ old_key, key }) => [old_key, key]))).toEqual([
      [
        ['["1"]', '["2"]'],
        ['["2"]', '["1"]'],
      ],
      [['["1"]', '["5"]']],
    ])
  })

  it('writes keys of several columns and of any text as compact JSON', async () => {
    const table = await db.watched('b text, a int, primary key (b, a)')
    await db.owner.query(`insert into ${table} values ($1, 7)`, ['x"y\\z\n'])
    const [chunk] = await db.chunks(table)
    expect(chunk?.keys).toEqual([JSON.stringify(['x"y\\z\n', '7'])])
  })

  it('on a table without a primary key has no keys', async () => {
    const table = await db.watched('note text')
    await db.owner.query(`insert into ${table} values ('a')`)
    await db.owner.query(`insert into ${table} values ('b'), ('c')`)
    expect((await db.chunks(table)).map(({ keys, change_count }) => [keys, change_count])).toEqual([
      [null, 1],
      [null, 2],
    ])
  })

  it('of a table whose key has become another type is recorded, and never fails the write', async () => {
    const table = await db.watched('id int primary key, n int')
    await db.owner.query(`alter table ${table} alter id type int[] using array[id]`)
    await db.owner.query(`insert into ${table} values ('{1}', 1)`)
    await db.owner.query(`insert into ${table} values ('{2}', 1), ('{3}', 1)`)
    await db.owner.query(`update ${table} set n = 2 where id = '{1}'`)
    await db.owner.query(`delete from ${table}`)
    expect(
      (await db.chunks(table)).map(({ event, keys, change_count }) => [event, keys, change_count]),
    ).toEqual([
      ['INSERT', ['["[1]"]'], 1],
      ['INSERT', ['["[2]"]', '["[3]"]'], 2],
      ['UPDATE', ['["[1]"]'], 1],
      ['DELETE', ['["[2]"]', '["[3]"]', '["[1]"]'], 3],
    ])
  })
})
