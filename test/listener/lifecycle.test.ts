/** The listener as a process beside Postgres: start, taking over, being killed, Postgres going away, stopping. */
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type TestPostgres } from '../gateway/support.ts'
import { countChunks, writeChunk } from './outbox-tables.ts'
import {
  arrivedInOrder,
  connect,
  countSessions,
  hasLogged,
  makeWorld,
  metric,
  spawnListener,
  startTestListener,
  type World,
} from './support.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
})

afterAll(async () => {
  await postgres.remove()
})

/** Writes `count` changes over a few keys, as fast as one connection does. */
async function writeChanges(world: World, count: number, from = 0): Promise<void> {
  for (let n = from; n < from + count; n++) await writeChunk(world.client, [{ key: `k${n % 20}`, n }])
}

function numbersTo(count: number): number[] {
  return [...Array(count).keys()]
}

function sorted(numbers: number[]): number[] {
  return numbers.sort((a, b) => a - b)
}

describe('two listeners', () => {
  it('send in turn: one works, the other takes over when it is killed, and nothing is lost', async () => {
    const world = await makeWorld(postgres)
    world.ingest.confirmAfterMs = 20
    const first = await spawnListener(world)
    await expect.poll(() => hasLogged(first, 'active')).toBe(true)
    const second = await spawnListener(world)
    await expect.poll(() => hasLogged(second, 'another listener is active: standing by')).toBe(true)
    const writing = writeChanges(world, 1_000)
    await expect.poll(() => world.ingest.arrived.length).toBeGreaterThan(200)
    expect(hasLogged(second, 'active')).toBe(false)
    first.child.kill('SIGKILL')
    await expect.poll(() => hasLogged(second, 'active')).toBe(true)
    await writing
    await expect.poll(() => countChunks(world.client)).toBe(0)
    expect(sorted(arrivedInOrder(world.ingest))).toEqual(numbersTo(1_000))
  })

  it('never send at the same time', async () => {
    const world = await makeWorld(postgres)
    const listeners = await Promise.all([startTestListener(world), startTestListener(world)])
    await expect.poll(() => listeners.map(({ role }) => role).sort()).toEqual(['active', 'standby'])
    await writeChanges(world, 50)
    await expect.poll(() => countChunks(world.client)).toBe(0)
    const sent = await Promise.all(listeners.map(listener => metric(listener, 'sent_chunks_total')))
    expect(sent.sort()).toEqual([0, 50])
    for (const { url } of listeners) expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })
})

it('sends what was under way again after a kill', async () => {
  const world = await makeWorld(postgres)
  world.ingest.confirmAfterMs = undefined
  const first = await spawnListener(world)
  await writeChanges(world, 20)
  await expect.poll(() => world.ingest.arrived.length).toBe(20)
  await writeChanges(world, 20, 20)
  const exited = once(first.child, 'exit')
  first.child.kill('SIGKILL')
  await exited
  world.ingest.confirmAfterMs = 5
  await spawnListener(world)
  await expect.poll(() => countChunks(world.client)).toBe(0)
  expect(sorted(arrivedInOrder(world.ingest))).toEqual(numbersTo(40))
})

describe('Postgres', () => {
  it('may end the session', async () => {
    const world = await makeWorld(postgres)
    const listener = await startTestListener(world)
    await expect.poll(() => listener.role).toBe('active')
    const writing = writeChanges(world, 500)
    await expect.poll(() => world.ingest.arrived.length).toBeGreaterThan(50)
    const ended = await world.client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'quoin-listener' and datname = current_database()`,
    )
    expect(ended.rowCount).toBe(1)
    await writing
    await expect.poll(() => countChunks(world.client)).toBe(0)
    expect(sorted(arrivedInOrder(world.ingest))).toEqual(numbersTo(500))
    expect(await metric(listener, 'database_failures_total')).toBe(1)
  })

  it('may restart, and health says so meanwhile', async () => {
    const world = await makeWorld(postgres)
    world.ingest.confirmAfterMs = undefined
    const listener = await startTestListener(world)
    await writeChanges(world, 20)
    await expect.poll(() => world.ingest.arrived.length).toBe(20)
    await postgres.stop()
    await expect.poll(async () => (await fetch(`${listener.url}/healthz`)).status).toBe(503)
    expect(await metric(listener, 'connected')).toBe(0)
    world.ingest.confirmAfterMs = 5
    await postgres.start()
    const client = await connect(world.databaseUrl)
    await expect.poll(() => countChunks(client), { timeout: 15_000 }).toBe(0)
    expect((await fetch(`${listener.url}/healthz`)).status).toBe(200)
    expect(sorted(arrivedInOrder(world.ingest))).toEqual(numbersTo(20))
  })

  it('may have no tables yet', async () => {
    const world = await makeWorld(postgres)
    await world.client.query('alter table quoin.row_events rename to not_yet')
    const listener = await startTestListener(world)
    await expect.poll(() => metric(listener, 'database_failures_total')).toBeGreaterThan(0)
    await world.client.query('alter table quoin.not_yet rename to row_events')
    await writeChanges(world, 1)
    await expect.poll(() => countChunks(world.client)).toBe(0)
  })
})

describe('the process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'finishes the request under way on %s and leaves nothing behind',
    async signal => {
      const world = await makeWorld(postgres)
      let finish: (status: number) => void = () => undefined
      world.ingest.answer = () =>
        new Promise(resolve => {
          finish = resolve
        })
      const listener = await spawnListener(world)
      const { child } = listener
      await writeChanges(world, 1)
      await expect.poll(() => world.ingest.requestsUnderWay).toBe(1)
      const exited = once(child, 'exit')
      child.kill(signal)
      await expect.poll(() => hasLogged(listener, 'stopping')).toBe(true)
      await writeChanges(world, 1, 1)
      finish(202)
      expect(await exited).toEqual([0, null])
      expect(world.ingest.arrived.map(({ n }) => n)).toEqual([0])
      expect(world.ingest.brokenOff).toBe(0)
      await expect.poll(() => countSessions(world)).toBe(0)
    },
  )

  it('does not outlive its grace time', async () => {
    const world = await makeWorld(postgres)
    world.ingest.answer = () => 'hang'
    const listener = await startTestListener(world, { shutdownGraceMs: 50, ingestTimeoutMs: 60_000 })
    await writeChanges(world, 1)
    await expect.poll(() => metric(listener, 'requests_under_way')).toBe(1)
    await listener.close()
    await expect.poll(() => world.ingest.brokenOff).toBe(1)
    expect(await countChunks(world.client)).toBe(1)
  })

  it('says in one line what is wrong with its settings', async () => {
    const world = await makeWorld(postgres)
    const { child, log } = await spawnListener(world, { INGEST_SECRET: 'short' })
    await expect.poll(() => child.exitCode).toBe(1)
    // What it has printed may arrive after its exit.
    await expect
      .poll(log)
      .toEqual([expect.objectContaining({ msg: expect.stringMatching(/^INGEST_SECRET must be/) })])
  })

  it('logs neither rows nor secrets', async () => {
    const world = await makeWorld(postgres)
    world.ingest.answer = () => 400
    const listener = await spawnListener(world)
    await writeChunk(world.client, [{ key: 'key-of-a-row', n: 424_242 }])
    await expect.poll(() => listener.log().some(({ level }) => level === 50)).toBe(true)
    const text = JSON.stringify(listener.log())
    expect(text).toContain('400')
    expect(text).not.toMatch(/424242|key-of-a-row|a secret of|POSTGRES/)
  })

  it('counts in its figures what was given up and what could not be handled, until it is resolved', async () => {
    const world = await makeWorld(postgres)
    const listener = await startTestListener(world)
    const given = () =>
      Promise.all(['dead_letters', 'unhandled_messages'].map(name => metric(listener, name)))
    await expect.poll(given).toEqual([0, 0])
    await world.client.query(
      `with w as (
          insert into quoin.webhooks (name, table_schema, table_name, table_id, events, url)
            values ('test', 'public', 'todos', 1, '{INSERT}', 'http://127.0.0.1:9/') returning id),
        of_webhooks (id) as (select id from w union all select id from w union all select gen_random_uuid())
      insert into quoin.dead_letters (webhook_id, reason)
        select id, 'attempts_exhausted' from of_webhooks union all select null, 'message_not_handled'`,
    )
    expect(await given()).toEqual([2, 1])
    await world.client.query('update quoin.dead_letters set resolved_at = now()')
    expect(await given()).toEqual([0, 0])
  })

  it('answers what it does not know with 404 and 405', async () => {
    const world = await makeWorld(postgres)
    const { url } = await startTestListener(world)
    expect((await fetch(`${url}/other`)).status).toBe(404)
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405)
  })
})
