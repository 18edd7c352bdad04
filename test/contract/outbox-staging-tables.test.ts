// What becomes of a staging table (migration 0006) while its table changes, goes or is not watched any more, and who may touch it.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OutboxDatabase, openOutboxDatabase } from './outbox-database.ts'

let db: OutboxDatabase

beforeAll(async () => {
  db = await openOutboxDatabase()
})

afterAll(async () => {
  await db.end()
})

describe('a staging table', () => {
  it('is replaced when its table changes, and dropped once it is empty and nobody may write to it', async () => {
    const table = await db.watched('id int primary key')
    const [former] = await db.stagingTables(table)
    await db.owner.query(`insert into ${table} values (1)`)
    await db.owner.query(`alter table ${table} add n int`)
    await db.owner.query(`insert into ${table} values (2, 2)`)
    await db.watch(table)
    await db.owner.query(`insert into ${table} values (3, 3)`)
    const [present] = await db.stagingTables(table)
    expect([await db.countOf(former), await db.countOf(present)]).toEqual([1, 1])
    await db.watch(table)
    expect(await db.stagingTables(table)).toEqual([present, former])
    expect((await db.changes(table)).map(({ row }) => row)).toEqual([
      '{"id":1}',
      '{"id":2,"n":2}',
      '{"id":3,"n":3}',
    ])
    const writer = await db.connect('owner')
    await writer.query(`begin; insert into ${table} values (4, 4)`)
    await db.watch(table)
    expect(await db.stagingTables(table)).toEqual([present, former])
    await writer.query('commit')
    await db.watch(table)
    expect(await db.stagingTables(table)).toEqual([present])
    await expect(db.countOf(former)).rejects.toThrow('does not exist')
    const functions = await db.owner.query('select from pg_proc where proname like $1', [
      `%${former?.slice('quoin_staging.'.length)}`,
    ])
    expect(functions.rowCount).toBe(0)
  })

  it('is not dropped beside a statement that began before it was replaced', async () => {
    const schema = `s_${randomBytes(5).toString('hex')}`
    await db.owner.query(`create schema ${schema}; create table ${schema}.todos (id int primary key)`)
    await db.watch(`${schema}.todos`)
    const [former] = await db.stagingTables(`${schema}.todos`)
    const [writer, holder] = [await db.connect('owner'), await db.connect('owner')]
    await writer.query(`insert into ${schema}.todos values (1)`)
    await db.moveStaged()
    await holder.query('select pg_advisory_lock(17)')
    // Row 3 waits with every lock taken: no further one tells the session, before its trigger begins, that this is another.
    const written = writer.query(`insert into ${schema}.todos select i from generate_series(2, 3) i
      where i = 2 or (select true from (select pg_advisory_xact_lock(17)) waited)`)
    const waits = `select from pg_locks where locktype = 'advisory' and objid = 17 and not granted
      and database = (select oid from pg_database where datname = current_database())`
    await expect.poll(async () => (await db.owner.query(waits)).rowCount).toBe(1)
    await db.owner.query(`alter schema ${schema} rename to ${schema}_2`)
    for (let time = 0; time < 2; time++) await db.watch(`${schema}_2.todos`)
    expect(await db.stagingTables(`${schema}_2.todos`)).toEqual([
      expect.not.stringMatching(`^${former}$`),
      former,
    ])
    await holder.query('select pg_advisory_unlock(17)')
    await written
    expect(await db.countOf(former)).toBe(2)
    expect(await db.events(`${schema}_2.todos`)).toEqual(['1', '2', '3'].map(id => `INSERT ["${id}"]`))
    await db.watch(`${schema}_2.todos`)
    expect(await db.stagingTables(`${schema}_2.todos`)).toHaveLength(1)
  })

  it('is taken up again when its table is as it was', async () => {
    const table = await db.watched('id int primary key')
    const before = await db.stagingTables(table)
    await db.owner.query(`alter table ${table} add n int`)
    await db.watch(table)
    await db.owner.query(`alter table ${table} drop n`)
    await db.watch(table)
    expect((await db.stagingTables(table))[0]).toEqual(before[0])
  })

  it('outlives its table, or the end of the watching, until it is empty', async () => {
    const [dropped, unwatched] = [
      await db.watched('id int primary key'),
      await db.watched('id int primary key'),
    ]
    const { rows } = await db.owner.query('select $1::regclass::oid::int as oid', [dropped])
    const [lost, left] = [await db.stagingTables(dropped), await db.stagingTables(unwatched)].flat()
    for (const table of [dropped, unwatched]) await db.owner.query(`insert into ${table} values (1)`)
    await db.owner.query(`drop table ${dropped}`)
    await db.watch(unwatched, [])
    await db.owner.query('select quoin.settle_watch($1)', [rows[0].oid])
    await db.owner.query('select quoin.settle_watch($1)', [rows[0].oid])
    expect([await db.countOf(lost), await db.countOf(left)]).toEqual([1, 1])
    const chunks = [...(await db.chunks(rows[0].oid)), ...(await db.chunks(unwatched))]
    expect(chunks.map(({ table_name, keys }) => [`public.${table_name}`, keys])).toEqual([
      [dropped, ['["1"]']],
      [unwatched, ['["1"]']],
    ])
    await db.owner.query('select quoin.settle_watch($1)', [rows[0].oid])
    await db.watch(unwatched, [])
    expect(await db.stagingTables(unwatched)).toEqual([])
    await expect(db.countOf(lost)).rejects.toThrow('does not exist')
  })

  it('is truncated once it is large and everything was moved, and never before', async () => {
    const table = await db.watched('id int primary key, data text')
    const [staging] = await db.stagingTables(table)
    const sizeAfter = async () => {
      await db.owner.query('select quoin.truncate_moved_staging()')
      return Number((await db.owner.query('select pg_relation_size($1) as size', [staging])).rows[0].size)
    }
    const insert = (from: number) =>
      `insert into ${table} select i, repeat('x', 1000) from generate_series(${from}, ${from + 9_999}) i`
    await db.owner.query(insert(0))
    expect(await sizeAfter()).toBeGreaterThan(8_000_000)
    const writer = await db.connect('owner')
    await writer.query(`begin; ${insert(10_000)}`)
    await db.moveStaged()
    expect(await sizeAfter()).toBeGreaterThan(8_000_000)
    await writer.query('commit')
    expect(await sizeAfter()).toBeGreaterThan(8_000_000)
    await db.moveStaged()
    await expect(
      writer.query('begin isolation level repeatable read; select quoin.truncate_moved_staging()'),
    ).rejects.toThrow(/needs READ COMMITTED/)
    await writer.query('rollback')
    expect(await sizeAfter()).toBe(0)
    expect(await db.events(table)).toHaveLength(20_000)
  })

  it('is nobody’s to read or to write', async () => {
    const [staging] = await db.stagingTables(await db.watched('id int primary key'))
    await db.owner.query('alter default privileges grant all on tables to anon, service_role')
    const [open] = await db.stagingTables(await db.watched('id int primary key'))
    await db.owner.query('alter default privileges revoke all on tables from anon, service_role')
    const { rows } = await db.owner.query(
      `select distinct grantee::regrole::text from pg_class c cross join aclexplode(c.relacl) where c.oid = $1::regclass and grantee <> c.relowner`,
      [open],
    )
    expect(rows).toEqual([{ grantee: 'quoin_outbox' }])
    for (const who of ['anon', 'service_role'] as const) {
      const caller = await db.connect(who)
      for (const sql of [
        `table ${staging}`,
        `insert into ${staging} default values`,
        'table quoin.staging_tables',
      ])
        await expect(caller.query(sql)).rejects.toThrow('permission denied')
    }
  })
})
