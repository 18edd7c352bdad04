// Tables that sockets watch: found by name, recorded while somebody wants them, and let go afterwards.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { findTables } from '../../../src/features/realtime/watching/find-tables.ts'
import { expireWatches, watchTables } from '../../../src/features/realtime/watching/watch-tables.ts'
import { applyAllWatches } from '../../../src/features/row-changes/watching/apply-watch.ts'
import { type RealtimeDatabase, realtimeDatabase } from './database.ts'

let db: RealtimeDatabase

beforeAll(async () => {
  db = await realtimeDatabase()
  await db.run(`
    create table notes (id int primary key); grant select on notes to anon;
    create table secret (id int primary key); revoke all on secret from anon;
    create view seen as select * from notes; grant select on seen to anon`)
})
afterAll(async () => {
  await db?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await db.run('delete from quoin.realtime_watches')
  await applyAllWatches(db.deps)
})

const version = async () =>
  Number((await db.run<{ version: string }>('select version from quoin.webhook_registry'))[0]?.version)

async function triggersOf(table: string): Promise<number> {
  const sql = `select from pg_trigger where tgrelid = $1::regclass and tgname like '!quoin%'`
  return (await db.run(sql, [table])).length
}

it('finds one table, or all that the role may read, with what is known of them', async () => {
  const [notes] = await findTables(db.deps, 'anon', { schema: 'public', table: 'notes' })
  expect(notes).toMatchObject({
    table_schema: 'public',
    table_name: 'notes',
    claimsRead: [],
  })
  const all = await findTables(db.deps, 'anon', { schema: '*', table: '*' })
  expect(all.map(({ table_name }) => table_name)).toEqual(['notes'])
})

it.each([
  ['quoin', 'webhooks', 'schema_not_exposed', /not exposed/, /public/],
  ['public', 'secret', 'insufficient_role', /permission denied for table "public"."secret"/, /GRANT/],
  ['public', 'seen', 'table_not_watchable', /is no table/, /behind/],
  ['public', 'note', 'table_not_watchable', /There is no table/, /Did you mean "notes"/],
  // What the role may not see is not proposed.
  ['public', 'secre', 'table_not_watchable', /There is no table/, /as Postgres has them/],
])('refuses %s.%s by %s', async (schema, table, code, message, hint) => {
  await expect(findTables(db.deps, 'anon', { schema, table })).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  })
})

it('has triggers from then on, and raises the registry’s version once', async () => {
  const before = await version()
  const id = await db.idOf('notes')
  await watchTables(db.deps, [id, id])
  expect(await triggersOf('notes')).toBe(4)
  expect(await version()).toBe(before + 1)
  await watchTables(db.deps, [id])
  await db.run(`update quoin.realtime_watches set wanted_until = now() + interval '1 minute'`)
  await watchTables(db.deps, [id])
  expect(await version()).toBe(before + 1)
  const [row] = await db.run(
    `select wanted_until > now() + interval '59 minutes' as extended from quoin.realtime_watches`,
  )
  expect(row).toEqual({ extended: true })
  await db.run('insert into notes values (1)')
  expect(await db.run('select event from quoin.row_events where table_id = $1', [id])).toEqual([
    { event: 'INSERT' },
  ])
})

it.each(['', ' partition by list (id)'])('records that a table was truncated (made with%s)', async making => {
  await db.run(`create table emptied (id int)${making}`)
  const id = await db.idOf('emptied')
  await watchTables(db.deps, [id])
  await db.run('truncate emptied')
  await db.run('begin')
  await db.run('truncate emptied')
  await db.run('rollback')
  const chunks = await db.run('select event, keys, rows, errors from quoin.row_events where table_id = $1', [
    id,
  ])
  expect(chunks).toEqual([
    { event: 'TRUNCATE', keys: null, rows: [null], errors: ['the table was truncated'] },
  ])
  await db.run('drop table emptied')
})

it('raises the version by gaps too', async () => {
  const before = await version()
  await db.run('update quoin.realtime_state set gaps = gaps + 1')
  expect(await version()).toBe(before + 1)
})

it('says at once that a table is busy, and watches none of them', async () => {
  await db.run('begin; lock table notes in access exclusive mode')
  try {
    const ids = [await db.idOf('notes'), await db.idOf('secret')]
    const began = performance.now()
    await expect(watchTables(db.deps, ids)).rejects.toMatchObject({ code: 'table_busy' })
    expect(performance.now() - began).toBeLessThan(5_000)
  } finally {
    await db.run('rollback')
  }
  expect(await db.run('select from quoin.realtime_watches')).toEqual([])
})

it('refuses more than 50 tables, and names the limit', async () => {
  const ids = Array.from({ length: 51 }, (_, index) => index + 1)
  await expect(watchTables(db.deps, ids)).rejects.toThrow('50 tables')
})

it('lets go what nobody wants any more, and its triggers', async () => {
  await watchTables(db.deps, [await db.idOf('notes')])
  await expireWatches(db.deps)
  expect(await db.run('select from quoin.realtime_watches')).toHaveLength(1)
  await db.run(`update quoin.realtime_watches set wanted_until = now() - interval '1 second'`)
  await expireWatches(db.deps)
  await applyAllWatches(db.deps)
  expect(await triggersOf('notes')).toBe(0)
})

it('forgets a table that is gone', async () => {
  await db.run('create table two (id int primary key)')
  await watchTables(db.deps, [await db.idOf('two')])
  await db.run('drop table two')
  await expireWatches(db.deps)
  expect(await db.run('select from quoin.realtime_watches')).toEqual([])
})

it('lets writes go on where nobody watches any more and the trigger is still there', async () => {
  await watchTables(db.deps, [await db.idOf('notes')])
  await db.run('delete from quoin.realtime_watches')
  await db.run('insert into notes values (2)')
})

it('cannot be watched, read or extended by callers', async () => {
  for (const role of ['anon', 'service_role'] as const) {
    for (const table of ['realtime_watches', 'realtime_state', 'watches']) {
      const asked = db.asCaller({ role, claims: {} }, `select from quoin.${table}`)
      await expect(asked).rejects.toMatchObject({ code: '42501' })
    }
  }
})
