// Numbers of chunks (migration 0009): none is drawn in the session of the writer, and what becomes visible later has a larger one.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OutboxDatabase, openOutboxDatabase } from './outbox-database.ts'

let db: OutboxDatabase

beforeAll(async () => {
  db = await openOutboxDatabase()
})

afterAll(async () => {
  await db.end()
})

describe('the session of the writer', () => {
  // What drivers ask for the id of a new row (PDO::lastInsertId, Doctrine): a number that a trigger drew would be the answer.
  it.each([
    ['copied', 'id int generated always as identity primary key, n int', 'read committed'],
    ['recorded by the trigger', 'id int generated always as identity primary key, n int', 'repeatable read'],
    [
      'recorded for each row',
      'id int generated always as identity primary key, n int) partition by hash (id',
      'read committed',
    ],
  ])('keeps its lastval() where rows are %s', async (_how, columns, isolation) => {
    const table = await db.watched(columns)
    if (columns.includes('partition'))
      await db.owner.query(
        `create table ${table}_0 partition of ${table} for values with (modulus 1, remainder 0)`,
      )
    await db.owner.query(`grant all on ${table} to service_role`)
    const writer = await db.connect('service_role')
    await writer.query(`set default_transaction_isolation = '${isolation}'`)
    const { rows } = await writer.query(`insert into ${table} (n) values (1), (2) returning id`)
    await writer.query(`update ${table} set n = 3`)
    await writer.query(`delete from ${table} where n = 3`)
    expect((await writer.query('select lastval()::int as last')).rows).toEqual([{ last: rows[1].id }])
    expect((await db.changes(table)).map(({ event }) => event)).toEqual(
      ['INSERT', 'UPDATE', 'DELETE'].flatMap(event => [event, event]),
    )
  })
})

describe('a number', () => {
  /** Of each chunk, in the order of ids: whether it has one. Those without come first, the latest of them at the front. */
  const numbersOf = async (table: string) => {
    const sql = 'select id > 0 as has_number from quoin.row_events where table_id = $1::regclass order by id'
    return (await db.owner.query(sql, [table])).rows.map(row => row.has_number)
  }

  it('comes to chunks as they become visible, and among those in the order of their writes', async () => {
    const table = await db.watched('id int primary key, n int')
    await db.owner.query(`insert into ${table} select generate_series(1, 4), 0`)
    await db.owner.query(
      `delete from quoin.row_events; ${(await db.stagingTables(table)).map(name => `truncate ${name}`)}`,
    )
    const late = await db.connect('owner')
    await late.query(`begin; update ${table} set n = 1 where id = 1; insert into ${table} values (5)`)
    await db.owner.query(`update ${table} set n = 1 where id = 2`)
    await db.owner.query(`insert into ${table} values (6)`)
    await db.owner.query(`delete from ${table} where id = 6`)
    await db.moveStaged()
    expect(await numbersOf(table)).toEqual([true, true, true])
    await late.query('commit')
    expect(await db.events(table)).toEqual([
      'UPDATE ["2"]',
      'INSERT ["6"]',
      'DELETE ["6"]',
      'UPDATE ["1"]',
      'INSERT ["5"]',
    ])
  })

  it('is looked for above a position, and a move says up to which one it has numbered', async () => {
    const table = await db.watched('id int primary key, n int')
    await db.owner.query(`insert into ${table} values (1, 1)`)
    await db.moveStaged()
    await db.owner.query(`update ${table} set n = 2; update ${table} set n = 3`)
    const { rows } = await db.owner.query(
      'select (-id)::text as position from quoin.row_events where table_id = $1::regclass and id < 0 order by id desc',
      [table],
    )
    const positions = rows.map(({ position }) => position)
    expect(await db.moveOnce(10_000, '1 s', positions[0])).toMatchObject({ numbered_up_to: positions[1] })
    expect(await numbersOf(table)).toEqual([false, true, true])
    expect(await db.moveOnce()).toMatchObject({ numbered_up_to: positions[0] })
    expect(await db.moveOnce()).toMatchObject({ numbered_up_to: null, rest_from: null })
  })

  it('is given without reading the whole outbox, though it was empty when that was planned', async () => {
    const [table, other] = [
      await db.watched('id int primary key, n int'),
      await db.watched('id int primary key'),
    ]
    await db.owner.query(`insert into ${table} select i, 0 from generate_series(1, 10) i`)
    await db.moveStaged()
    await db.owner.query('delete from quoin.row_events')
    await db.owner.query('vacuum analyze quoin.row_events')
    const mover = await db.connect('owner')
    await mover.query('set plan_cache_mode = force_generic_plan')
    for (let time = 0; time < 2; time++) {
      await db.owner.query(`update ${table} set n = n + 1; insert into ${other} values (${time})`)
      await mover.query('begin isolation level repeatable read; select quoin.move_all_staged()')
      const { rows } = await mover.query(
        "select seq_scan::int as scans from pg_stat_xact_user_tables where relid = 'quoin.row_events'::regclass",
      )
      await mover.query('commit')
      expect(rows).toEqual([{ scans: 0 }])
    }
  })

  it('of a chunk from another cluster’s backup says nothing about what is written now', async () => {
    const table = await db.watched('id int primary key')
    await db.owner.query(`insert into ${table} values (1)`)
    await db.owner.query(`delete from ${table}`)
    await db.owner.query('update quoin.row_events set id = id - 1000000000000 where id < 0')
    const { numbered_up_to } = await db.moveOnce()
    const { rows } = await db.owner.query("select pg_current_wal_insert_lsn() - '0/0' as position")
    expect(Number(numbered_up_to)).toBeLessThanOrEqual(Number(rows[0].position))
    expect(await db.events(table)).toEqual(['INSERT ["1"]', 'DELETE ["1"]'])
  })
})
