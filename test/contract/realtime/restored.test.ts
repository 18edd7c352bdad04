// Sockets of a Worker whose database was put back from a backup: the objects of its log and its hubs live on and
// remember the life before. Nobody misses a change in silence, and what comes after the restore comes.

import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBackup } from '../../../cli/backup/read-backup.ts'
import { restoreBackup } from '../../../cli/backup/restore-backup.ts'
import { storeApiKey } from '../../../cli/support/api-key.ts'
import { migrationDatabase } from '../../support/migrations.ts'
import { openRaw, type RawClient } from '../../support/realtime.ts'
import { SECRETS_KEY } from '../../support/webhooks.ts'
import { serveDatabase } from '../backups/serve.ts'
import { asCaller, askAt, backupOf, emptyDatabase, runIn, testFolder } from '../backups/support.ts'

const SCHEMA = `
  create table notes (id int, body text);
  alter table notes enable row level security;
  create policy seen on notes for select to anon using (body <> 'hidden');
  create table members (topic text);
  insert into members values ('room:1');
  grant select on notes, members to anon;
  create policy hears on realtime.messages for select to anon
    using (exists (select from members m where m.topic = realtime.topic()));
  create policy speaks on realtime.messages for insert to anon with check (realtime.topic() = 'room:1')`

/** What is recorded, or said to be, beside messages. */
const WATCHED = `
  select table_name from quoin.realtime_watches
  union all select tgname from pg_trigger
    where tgfoid = 'quoin.record_changes()'::regprocedure and tgrelid <> 'realtime.messages'::regclass`

const NOTES = [{ event: '*', schema: 'public', table: 'notes' }]
const PRIVATE = { private: true }

const stack = new AsyncDisposableStack()
/** The database behind the Worker, by its address; and two more that the backup is restored into. */
let source: Awaited<ReturnType<typeof migrationDatabase>>
let first: Awaited<ReturnType<typeof emptyDatabase>>
let second: Awaited<ReturnType<typeof emptyDatabase>>
let key: string
let folder: string
let quoin: Awaited<ReturnType<typeof serve>>
/** Of the first row and of the last one before the backup. */
const numbers = { first: 0, last: 0 }

async function serve(databaseUrl: string, stateFolder: string) {
  const { url, worker, unheard, [Symbol.asyncDispose]: end } = await serveDatabase(databaseUrl, stateFolder)
  return {
    open: (more: { client?: string; token?: string } = {}) => openRaw({ key, baseUrl: url, ...more }),
    run: <Row extends object>(sql: string) => askAt<Row>(databaseUrl, sql),
    say: (sql: string) => asCaller(new URL(databaseUrl).pathname.slice(1), 'anon', `select ${sql}`),
    minute: () => worker.scheduled({ cron: '* * * * *' }),
    log: () => worker.getDurableObjectStorage('RealtimeLog', { name: 'all' }),
    unheard,
    [Symbol.asyncDispose]: end,
  }
}

/** Everything that came on the channel: the ids of rows, and that it is to be read again. */
const heard = (client: RawClient, name: string) =>
  client.frames
    .filter(({ topic }) => topic === `realtime:${name}`)
    .flatMap(({ event, payload }) => {
      if (event === 'postgres_changes') return [payload.data.record.id]
      return event === 'system' && payload.message === 'must_refetch' ? ['must_refetch'] : []
    })
const hears = (client: RawClient, name: string, ...what: (number | string)[]) =>
  expect.poll(() => heard(client, name)).toEqual(what)
const broadcasts = (client: RawClient) =>
  client.frames.filter(({ event }) => event === 'broadcast').map(({ payload }) => payload.event)

const OK = { status: 'ok' }

/** Puts one database into the place of the other, under its name, while Worker and listener are at work. */
async function swap(one: string, other: string): Promise<void> {
  const names = [one, other].map(url => new URL(url).pathname.slice(1))
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname in ('${names.join("', '")}')`
  for (const name of names) await runIn('postgres', `alter database ${name} allow_connections false`)
  await expect.poll(() => runIn('postgres', end).then(() => rename(names))).toBe('done')
  for (const name of names) await runIn('postgres', `alter database ${name} allow_connections true`)
}

const rename = ([one, other]: readonly string[]) =>
  runIn('postgres', `alter database ${one} rename to ${one}_former`).then(async () => {
    await runIn('postgres', `alter database ${other} rename to ${one}`)
    await runIn('postgres', `alter database ${one}_former rename to ${other}`)
    return 'done'
  }, String)

beforeAll(async () => {
  source = stack.use(await migrationDatabase())
  first = stack.use(await emptyDatabase())
  second = stack.use(await emptyDatabase())
  folder = stack.use(testFolder()).path
  await source.owner.query(SCHEMA)
  key = (await storeApiKey(source.owner, { role: 'anon', name: 'page' })).key
  quoin = await serve(source.url, join(folder, 'state'))
  stack.defer(() => quoin[Symbol.asyncDispose]())
})
afterAll(() => stack.disposeAsync())

it('has sockets read again when another database takes the place of theirs', async () => {
  const [live, named, counting] = await Promise.all([
    quoin.open(),
    quoin.open({ client: 'tab' }),
    quoin.open(),
  ])
  expect(await live.join('room:1', NOTES, PRIVATE)).toMatchObject(OK)
  expect(await named.join('named', NOTES)).toMatchObject(OK)
  expect(await counting.join('counting', NOTES)).toMatchObject(OK)
  await quoin.run("insert into notes values (1, 'a'); insert into notes values (2, 'b')")
  // Of a name that is new nobody knows where it left off.
  await hears(named, 'named', 'must_refetch', 1, 2)
  await hears(counting, 'counting', 1, 2)
  ;[numbers.first, numbers.last] = counting.changes('counting').map(({ number }) => number)
  await quoin.say("realtime.send('{}', 'before', 'room:1')")
  await expect.poll(() => broadcasts(live)).toEqual(['before'])
  // The second proves that all before the first came.
  for (const _ of [1, 2]) await named.heartbeat()
  for (const client of [named, counting]) client.drop()

  const backup = await openBackup((await backupOf(source.url, folder, { SECRETS_KEY })).location)
  await quoin.run("insert into notes values (3, 'lost')")
  await hears(live, 'room:1', 1, 2, 3)
  const settings = { life: 'new', env: { SECRETS_KEY }, log: () => {} } as const
  for (const { url } of [first, second]) await restoreBackup(url, backup, settings)
  await swap(source.url, first.url)

  const [namedAgain, countingAgain, fresh] = await Promise.all([
    quoin.open({ client: 'tab' }),
    quoin.open(),
    quoin.open(),
  ])
  expect(await namedAgain.join('named', NOTES)).toMatchObject(OK)
  const after = [{ ...NOTES[0], after: numbers.first }]
  expect(await countingAgain.join('counting', after)).toMatchObject(OK)
  expect(await fresh.join('fresh', NOTES)).toMatchObject(OK)
  await quoin.run("insert into notes values (4, 'a'); insert into notes values (5, 'hidden')")
  // Channels name tables by ids of the database of before: all end, and join again by the name.
  for (const [client, name] of [
    [namedAgain, 'named'],
    [countingAgain, 'counting'],
    [fresh, 'fresh'],
  ] as const) {
    await client.next('the end of the channel', ({ event }) => event === 'phx_error')
    expect(heard(client, name)).toContain('must_refetch')
    expect(await client.join(name, NOTES)).toMatchObject(OK)
  }
  await live.next('the end of the channel', ({ event }) => event === 'phx_error')
  expect(heard(live, 'room:1')).toEqual([1, 2, 3, 'must_refetch'])
  expect(await live.join('room:1', NOTES, PRIVATE)).toMatchObject(OK)
  await quoin.run("insert into notes values (6, 'a')")
  for (const [client, name] of [
    [live, 'room:1'],
    [namedAgain, 'named'],
    [countingAgain, 'counting'],
    [fresh, 'fresh'],
  ] as const)
    await expect.poll(() => heard(client, name).at(-1)).toBe(6)
  for (const client of [live, namedAgain, countingAgain, fresh]) client.drop()
})

it('takes no new change for one of before that had the same place', async () => {
  using client = await quoin.open()
  expect(await client.join('places', NOTES)).toMatchObject(OK)
  const known = await (await quoin.log()).exec('select event_id from ids order by number')
  const [, place] = /^.*:(\d+)\.0$/.exec(String(known[0]?.event_id)) ?? []
  const [{ was } = { was: '' }] = await quoin.run<{ was: string }>(
    `select column_default as was from information_schema.columns
     where table_schema = 'quoin' and table_name = 'row_events' and column_name = 'id'`,
  )
  await quoin.unheard(() =>
    quoin.run(`
      alter table quoin.row_events alter id set default ${place};
      insert into notes values (7, 'a');
      alter table quoin.row_events alter id set default ${was}`),
  )
  await hears(client, 'places', 7)
  const twice = await (await quoin.log()).exec('select 1 from ids where event_id like ?', `%:${place}.0`)
  expect(twice).toHaveLength(2)
})

it('has messages, their policies and sending as they were', async () => {
  using client = await quoin.open()
  const replay = { broadcast: { replay: { since: 0, limit: 10 } }, ...PRIVATE }
  expect(await client.join('room:1', [], replay)).toMatchObject(OK)
  expect(await client.join('room:2', [], PRIVATE)).toMatchObject({ status: 'error' })
  await expect.poll(() => broadcasts(client)).toEqual(['before'])
  await quoin.say("realtime.send('{}', 'after', 'room:1')")
  await expect.poll(() => broadcasts(client)).toEqual(['before', 'after'])
  await expect(quoin.say("realtime.send('{}', 'refused', 'room:2')")).rejects.toMatchObject({ code: '42501' })
})

it('is the same for a Worker that is started on the other database, with its objects of before', async () => {
  const [named, live] = await Promise.all([quoin.open({ client: 'other' }), quoin.open()])
  for (const client of [named, live]) expect(await client.join('other', NOTES)).toMatchObject(OK)
  await quoin.run("insert into notes values (8, 'a')")
  await hears(named, 'other', 'must_refetch', 8)
  await hears(live, 'other', 8)
  const [{ number }] = live.changes('other')
  for (const _ of [1, 2]) await named.heartbeat()
  await quoin[Symbol.asyncDispose]()
  for (const client of [named, live]) await client.closed()

  expect(await askAt(second.url, WATCHED)).toEqual([])
  quoin = await serve(second.url, join(folder, 'state'))
  const [namedAgain, counting] = await Promise.all([quoin.open({ client: 'other' }), quoin.open()])
  expect(await namedAgain.join('other', NOTES)).toMatchObject(OK)
  expect(await counting.join('other', [{ ...NOTES[0], after: number }])).toMatchObject(OK)
  // Nothing has changed since: the round of each minute tells.
  await quoin.minute()
  for (const client of [namedAgain, counting]) {
    await client.next('the end of the channel', ({ event }) => event === 'phx_error')
    expect(heard(client, 'other')).toContain('must_refetch')
    expect(await client.join('other', NOTES)).toMatchObject(OK)
  }
  await quoin.run("insert into notes values (8, 'another')")
  for (const client of [namedAgain, counting]) await expect.poll(() => heard(client, 'other').at(-1)).toBe(8)
  using late = await quoin.open()
  expect(await late.join('late', [{ ...NOTES[0], after: number }])).toMatchObject(OK)
  await hears(late, 'late', 'must_refetch', 8)
  for (const client of [namedAgain, counting]) client.drop()
})

it('has who was at a Worker of before read again at a new one, by a place and by a name', async () => {
  await quoin[Symbol.asyncDispose]()
  quoin = await serve(second.url, join(folder, 'new'))
  using client = await quoin.open()
  expect(await client.join('far', [{ ...NOTES[0], after: numbers.last }])).toMatchObject(OK)
  await quoin.run("insert into notes values (9, 'a')")
  await hears(client, 'far', 'must_refetch', 9)
  // By now the new log has more entries than the former one had up to that place.
  await quoin.run("insert into notes select g, 'x' from generate_series(100, 110) g")
  await expect.poll(() => heard(client, 'far').at(-1)).toBe(110)
  expect(await client.join('near', [{ ...NOTES[0], after: numbers.first }])).toMatchObject(OK)
  await hears(client, 'near', 'must_refetch')
  using named = await quoin.open({ client: 'other' })
  expect(await named.join('other', NOTES)).toMatchObject(OK)
  await quoin.run("insert into notes values (10, 'a')")
  await hears(named, 'other', 'must_refetch', 10)
})
