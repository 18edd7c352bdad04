/** When the listener rests, and what it learns of then: by NOTIFY, by a look now and then, or by nothing. */
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPostgres, type TestPostgres } from '../gateway/support.ts'
import { countChunks, watchTodos } from './outbox-tables.ts'
import {
  connect,
  isFlagUp,
  makeWorld,
  metric,
  spawnListener,
  startTestListener,
  type World,
  waitForLooks,
  waitUntilResting,
} from './support.ts'

/** No look in the time of a test. */
const NEVER_MS = 3_600_000

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
})

afterAll(async () => {
  await postgres.remove()
})

async function makeWatchedWorld(): Promise<World> {
  const world = await makeWorld(postgres)
  await watchTodos(world.client)
  return world
}

const insertRow = (world: Pick<World, 'client'>, id: number) =>
  world.client.query('insert into public.todos values ($1)', [id])

/** The ids of the rows that arrived, in order. */
const arrivedIds = ({ ingest }: World) =>
  ingest.chunks.flatMap(({ changes }) => (changes ?? []).map(({ row }) => JSON.parse(row ?? 'null')?.id))

/** Counts the NOTIFYs that triggers send from now on. */
async function countNotifies(world: World): Promise<() => Promise<number>> {
  const client = await connect(world.databaseUrl)
  let count = 0
  client.on('notification', () => {
    count += 1
  })
  await client.query('listen quoin_row_events')
  return async () => {
    // What was sent before arrives with the answer.
    await client.query('select')
    return count
  }
}

it.each([
  ['turned off', 0],
  ['far away', NEVER_MS],
])('learns of a change by NOTIFY when the fallback look is %s', async (_, fallbackLookMs) => {
  const world = await makeWatchedWorld()
  const listener = await startTestListener(world, { fallbackLookMs })
  await waitUntilResting(world)
  const looks = await metric(listener, 'looks_total')
  // A busy listener looks 20 times in this time.
  await world.client.query('select pg_sleep(1)')
  expect(await metric(listener, 'looks_total')).toBe(looks)
  await insertRow(world, 1)
  await expect.poll(() => arrivedIds(world)).toEqual([1])
})

it('raises the flag when it rests and lowers it when it is busy, and triggers notify only in between', async () => {
  const world = await makeWatchedWorld()
  const notifies = await countNotifies(world)
  await startTestListener(world, { fallbackLookMs: 0 })
  expect(await isFlagUp(world)).toBe(false)
  await insertRow(world, 1)
  await waitUntilResting(world)
  expect(await notifies()).toBe(0)
  await insertRow(world, 2)
  expect(await notifies()).toBe(1)
  await expect.poll(() => isFlagUp(world)).toBe(false)
  await insertRow(world, 3)
  await expect.poll(() => countChunks(world.client)).toBe(0)
  expect(await notifies()).toBe(1)
  expect(arrivedIds(world)).toEqual([1, 2, 3])
  await waitUntilResting(world)
})

it('finds by the fallback look what began before it rested and is committed after', async () => {
  const world = await makeWatchedWorld()
  const notifies = await countNotifies(world)
  await startTestListener(world, { fallbackLookMs: 500 })
  const writer = await connect(world.databaseUrl)
  await writer.query('begin')
  await insertRow({ client: writer }, 1)
  await waitUntilResting(world)
  await writer.query('commit')
  await expect.poll(() => arrivedIds(world)).toEqual([1])
  expect(await notifies()).toBe(0)
})

it('sends that with the next change when the fallback is turned off', async () => {
  const world = await makeWatchedWorld()
  await startTestListener(world, { fallbackLookMs: 0 })
  const writer = await connect(world.databaseUrl)
  await writer.query('begin')
  await insertRow({ client: writer }, 1)
  await waitUntilResting(world)
  await writer.query('commit')
  await world.client.query('select pg_sleep(1)')
  expect(arrivedIds(world)).toEqual([])
  await insertRow(world, 2)
  await expect.poll(() => arrivedIds(world)).toEqual([1, 2])
})

it('rests only when all is confirmed', async () => {
  const world = await makeWatchedWorld()
  world.ingest.confirmAfterMs = undefined
  const listener = await startTestListener(world, { fallbackLookMs: 0 })
  await insertRow(world, 1)
  await expect.poll(() => arrivedIds(world)).toEqual([1])
  // At most every 50 ms: longer than it takes to rest.
  await waitForLooks(listener, 60)
  expect(await isFlagUp(world)).toBe(false)
  await world.ingest.confirmAll()
  await waitUntilResting(world)
  expect(await metric(listener, 'confirmed_chunks_total')).toBe(1)
})

it('puts the flag down when it stops', async () => {
  const world = await makeWatchedWorld()
  const listener = await startTestListener(world)
  await waitUntilResting(world)
  await listener.close()
  expect(await isFlagUp(world)).toBe(false)
})

it('puts down the flag of a listener that was killed', async () => {
  const world = await makeWatchedWorld()
  const { child } = await spawnListener(world)
  await waitUntilResting(world)
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  expect(await isFlagUp(world)).toBe(true)
  await startTestListener(world)
  await expect.poll(() => isFlagUp(world)).toBe(false)
})

// The last one: it gives the server another setting.
it('sends no NOTIFY where transactions may be prepared, which one that has sent it could not be', async () => {
  await postgres.admin.query('alter system set max_prepared_transactions = 5')
  await postgres.stop()
  await postgres.start()
  const world = await makeWatchedWorld()
  const { client } = world
  // As a listener left it that was killed before the server had this setting.
  await client.query('update quoin.listener_state set is_resting = true')
  const notifies = await countNotifies(world)
  const listener = await startTestListener(world, { fallbackLookMs: 0 })
  await expect.poll(() => isFlagUp(world)).toBe(false)
  // The pause is 50 ms while it is busy, so by then it rests.
  await waitForLooks(listener, 60)
  expect(await isFlagUp(world)).toBe(false)
  await client.query('begin; insert into public.todos values (1); update public.todos set id = 2')
  await client.query("prepare transaction 'both'")
  await waitForLooks(listener, 5)
  expect(world.ingest.chunks).toEqual([])
  await client.query("commit prepared 'both'")
  await expect.poll(() => world.ingest.chunks.map(({ event }) => event)).toEqual(['INSERT', 'UPDATE'])
  expect(await notifies()).toBe(0)
})
