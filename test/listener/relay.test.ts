/** The listener between a real outbox and a fake ingest route: what it sends, and in which order. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MESSAGE_BYTES_MAX } from '../../src/features/row-changes/ingest/messages.ts'
import { startPostgres, type TestPostgres } from '../gateway/support.ts'
import { SECRET } from './fake-ingest.ts'
import { countChunks, watchTodos, writeChunk, writeManyChunks } from './outbox-tables.ts'
import { arrivedInOrder, connect, makeWorld, metric, startTestListener, waitForLooks } from './support.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
})

afterAll(async () => {
  await postgres.remove()
})

it('sends a chunk as the Worker reads it, and counts it as confirmed when it is gone', async () => {
  const world = await makeWorld(postgres)
  const listener = await startTestListener(world)
  await world.client.query('update quoin.webhook_registry set version = 41')
  await writeChunk(world.client, [{ key: '["1"]', n: 7 }])
  await expect.poll(() => countChunks(world.client)).toBe(0)
  expect(world.ingest.chunks).toEqual([
    {
      id: expect.stringMatching(/^\d+$/),
      table_id: 1,
      table_schema: 'public',
      table_name: 'todos',
      event: 'INSERT',
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      request_id: null,
      change_count: 1,
      changes: [
        {
          key: '["1"]',
          old_key: null,
          row: '{"n":7,"exact":9007199254740993.000000000000000001,"text":""}',
          old_row: null,
          error: null,
        },
      ],
    },
  ])
  expect([...world.ingest.registryVersions]).toEqual([41])
  await expect.poll(() => metric(listener, 'confirmed_chunks_total')).toBe(1)
})

it('carries what the triggers of a watched table write', async () => {
  const world = await makeWorld(postgres)
  const { client, ingest } = world
  await watchTodos(client)
  await startTestListener(world)
  await client.query("insert into public.todos values (9007199254740993, 'first')")
  await client.query("update public.todos set id = 2, title = 'second'")
  await client.query('delete from public.todos')
  await expect.poll(() => countChunks(client)).toBe(0)
  const [inserted, updated] = ['{"id":9007199254740993,"title":"first"}', '{"id":2,"title":"second"}']
  const [first, second] = ['["9007199254740993"]', '["2"]']
  expect(ingest.chunks.map(({ event, changes }) => [event, ...(changes ?? [])])).toEqual([
    ['INSERT', { key: first, old_key: null, row: inserted, old_row: null, error: null }],
    ['UPDATE', { key: second, old_key: first, row: updated, old_row: inserted, error: null }],
    ['DELETE', { key: second, old_key: null, row: updated, old_row: updated, error: null }],
  ])
})

describe('order', () => {
  it('holds a key back until its message is confirmed, and lets others pass', async () => {
    const world = await makeWorld(postgres)
    world.ingest.confirmAfterMs = undefined
    await startTestListener(world)
    await writeChunk(world.client, [{ key: 'a', n: 1 }])
    await expect.poll(() => world.ingest.arrived.map(({ n }) => n)).toEqual([1])
    await writeChunk(world.client, [{ key: 'a', n: 2 }])
    await writeChunk(world.client, [
      { key: 'a', n: 3 },
      { key: 'b', n: 4 },
    ])
    await writeChunk(world.client, [{ key: 'b', n: 5 }])
    await writeChunk(world.client, [{ key: 'c', n: 6 }])
    await expect.poll(() => world.ingest.arrived.map(({ n }) => n)).toEqual([1, 6])
    const before = world.ingest.messages.length
    await world.ingest.confirmAll()
    await expect.poll(() => world.ingest.arrived.map(({ n }) => n)).toEqual([1, 6, 2, 3, 4, 5])
    expect(world.ingest.messages).toHaveLength(before + 1)
  })

  it('takes a change of a key as one of both', async () => {
    const world = await makeWorld(postgres)
    world.ingest.confirmAfterMs = undefined
    await startTestListener(world)
    await writeChunk(world.client, [{ key: 'a', n: 1 }])
    await expect.poll(() => world.ingest.arrived.map(({ n }) => n)).toEqual([1])
    await writeChunk(world.client, [{ key: 'b', n: 2 }], { oldKeys: ['a'] })
    await writeChunk(world.client, [{ key: 'b', n: 3 }])
    await writeChunk(world.client, [{ key: 'c', n: 4 }])
    await expect.poll(() => world.ingest.arrived.map(({ n }) => n)).toEqual([1, 4])
    await world.ingest.confirmAll()
    await expect.poll(() => world.ingest.arrived.map(({ n }) => n)).toEqual([1, 4, 2, 3])
  })

  it('takes the whole table as one key where there are none', async () => {
    const world = await makeWorld(postgres)
    world.ingest.confirmAfterMs = undefined
    await startTestListener(world)
    await writeChunk(world.client, [{ key: null, n: 1 }], { keys: null })
    await expect.poll(() => world.ingest.arrived).toHaveLength(1)
    await writeChunk(world.client, [{ key: null, n: 2 }], { keys: null })
    await writeChunk(world.client, [{ key: 'a', n: 3 }])
    await writeChunk(world.client, [{ key: null, n: 4 }], { keys: null, tableId: 2 })
    await expect.poll(() => world.ingest.arrived.map(({ n }) => n)).toEqual([1, 4])
    await world.ingest.confirmAll()
    await expect.poll(() => world.ingest.arrived.map(({ n }) => n)).toEqual([1, 4, 2, 3])
  })

  it('keeps each key in order under many writers and a slow, repeating consumer', async () => {
    const world = await makeWorld(postgres)
    world.ingest.confirmAfterMs = 30
    world.ingest.confirmTwice = true
    await startTestListener(world)
    let n = 0
    const write = async (): Promise<void> => {
      const client = await connect(world.databaseUrl)
      for (let i = 0; i < 100; i++) {
        await client.query('begin')
        // The lock that a user's write of the row would hold; the number is drawn under it.
        const key = `k${i % 7}`
        await client.query('select pg_advisory_xact_lock(hashtext($1))', [key])
        n += 1
        await writeChunk(client, [{ key, n }])
        await client.query('commit')
      }
    }
    await Promise.all([write(), write(), write()])
    await expect.poll(() => countChunks(world.client), { timeout: 20_000 }).toBe(0)
    expect(world.ingest.faults).toEqual([])
    expect(arrivedInOrder(world.ingest)).toHaveLength(300)
    expect(world.ingest.arrived).toHaveLength(300)
  })
})

describe('a chunk that becomes visible late, below others that are', () => {
  it.each([
    ['unconfirmed', undefined],
    ['confirmed', 5],
  ])('arrives, and nothing arrives twice, when those are %s', async (_, confirmAfterMs) => {
    const world = await makeWorld(postgres)
    world.ingest.confirmAfterMs = confirmAfterMs
    const listener = await startTestListener(world)
    const late = await connect(world.databaseUrl)
    await late.query('begin')
    await writeChunk(late, [{ key: 'a', n: 1 }])
    await writeChunk(world.client, [{ key: 'b', n: 2 }])
    await expect.poll(() => world.ingest.arrived.map(({ n }) => n)).toEqual([2])
    await waitForLooks(listener, 5)
    await late.query('commit')
    await expect.poll(() => world.ingest.arrived.map(({ n }) => n)).toEqual([2, 1])
    await writeChunk(world.client, [{ key: 'c', n: 3 }])
    await waitForLooks(listener, 5)
    const [second, first, third] = world.ingest.chunks.map(({ id }) => BigInt(id))
    expect(world.ingest.arrived.map(({ n }) => n)).toEqual([2, 1, 3])
    expect(first).toBeLessThan(second ?? 0n)
    expect(second).toBeLessThan(third ?? 0n)
  })
})

describe('size', () => {
  it('splits a key’s backlog into messages, one after the other', async () => {
    const world = await makeWorld(postgres)
    for (let n = 0; n < 12; n++) await writeChunk(world.client, [{ key: 'a', n }], { padding: 30_000 })
    await startTestListener(world)
    await expect.poll(() => countChunks(world.client)).toBe(0)
    expect(world.ingest.arrived.map(({ n }) => n)).toEqual([...Array(12).keys()])
    expect(world.ingest.messages.length).toBeGreaterThan(3)
    expect(world.ingest.largestMessageBytes).toBeLessThanOrEqual(MESSAGE_BYTES_MAX)
    expect(world.ingest.faults).toEqual([])
  })

  it('sends a chunk of 20 MB by its id alone and does not read it', async () => {
    const world = await makeWorld(postgres)
    await world.client.query(
      `insert into quoin.row_events (table_id, table_schema, table_name, event, keys, change_count, rows)
       values (1, 'public', 'todos', 'INSERT', '{a}', 1,
         array['{"text":"' || repeat('x', 20000000) || '"}']::json[])`,
    )
    // Whoever reads changes calls this.
    await world.client.query(
      `create or replace function quoin.changes_json(chunk quoin.row_events) returns json language plpgsql as
       $$ begin raise exception 'somebody reads chunk %', chunk.id; end $$`,
    )
    await startTestListener(world)
    await expect.poll(() => world.ingest.chunks.length).toBe(1)
    expect(world.ingest.chunks[0]).toMatchObject({ table_id: 1, changes: null, change_count: 1 })
  })

  it('sends a chunk that Postgres cannot read by its id alone, and what comes behind it', async () => {
    const world = await makeWorld(postgres)
    const { client, ingest } = world
    // Stands for a broken page.
    await client.query(`
      alter function quoin.changes_json(quoin.row_events) rename to readable_changes_json;
      create function quoin.changes_json(chunk quoin.row_events) returns json language plpgsql as $$ begin
        if chunk.table_id = 2 then
          raise exception using errcode = 'data_corrupted', message = 'missing chunk number 0';
        end if;
        return quoin.readable_changes_json(chunk);
      end $$`)
    await writeChunk(client, [{ key: 'b', n: 0 }], { tableId: 2 })
    ingest.confirmAfterMs = undefined
    const listener = await startTestListener(world)
    await expect.poll(() => ingest.chunks.length).toBe(1)
    expect(ingest.chunks[0]).toMatchObject({ table_id: 2, changes: null })
    // It is known now and not read again: a stranger's chunk goes as always.
    await writeChunk(client, [{ key: 'a', n: 1 }])
    await expect.poll(() => ingest.arrived.map(({ n }) => n)).toContain(1)
    expect(await metric(listener, 'database_failures_total')).toBe(0)
  })

  it('keeps a backlog of 100 000 chunks in Postgres and takes what fits', async () => {
    const world = await makeWorld(postgres)
    await writeManyChunks(world.client, 100_000)
    world.ingest.confirmAfterMs = undefined
    const listener = await startTestListener(world, { chunksMax: 2_000 })
    await expect.poll(() => world.ingest.chunks.length, { timeout: 20_000 }).toBe(2_000)
    expect(await metric(listener, 'backlog_chunks')).toBe(100_000)
    expect(await metric(listener, 'unconfirmed_chunks')).toBe(2_000)
    expect(await metric(listener, 'taken_chunks_total')).toBe(2_000)
    world.ingest.confirmAfterMs = 5
    await world.ingest.confirmAll()
    await expect.poll(() => countChunks(world.client), { timeout: 50_000, interval: 200 }).toBe(0)
    expect(new Set(world.ingest.chunks.map(({ id }) => id)).size).toBe(100_000)
  })
})

describe('the ingest route', () => {
  it('may be down for a while', async () => {
    const world = await makeWorld(postgres)
    let isUp = false
    world.ingest.answer = () => (isUp ? 202 : 503)
    const listener = await startTestListener(world)
    for (let n = 0; n < 50; n++) await writeChunk(world.client, [{ key: `k${n % 5}`, n }])
    await expect.poll(() => metric(listener, 'requests_total{outcome="unavailable"}')).toBeGreaterThan(2)
    expect(await metric(listener, 'ingest_failing')).toBe(1)
    expect(await countChunks(world.client)).toBe(50)
    isUp = true
    await expect.poll(() => countChunks(world.client)).toBe(0)
    expect(arrivedInOrder(world.ingest)).toHaveLength(50)
    expect(await metric(listener, 'ingest_failing')).toBe(0)
  })

  it('may never answer', async () => {
    const world = await makeWorld(postgres)
    let isHanging = true
    world.ingest.answer = () => (isHanging ? 'hang' : 202)
    const listener = await startTestListener(world, { ingestTimeoutMs: 200 })
    await writeChunk(world.client, [{ key: 'a', n: 1 }])
    await expect.poll(() => metric(listener, 'requests_total{outcome="unavailable"}')).toBeGreaterThan(0)
    isHanging = false
    await expect.poll(() => countChunks(world.client)).toBe(0)
    expect(world.ingest.arrived.map(({ n }) => n)).toEqual([1])
  })

  it('may take a request and lose it: what is not confirmed in time is sent again', async () => {
    const world = await makeWorld(postgres)
    world.ingest.confirmAfterMs = undefined
    const listener = await startTestListener(world, { confirmTimeoutMs: 2_000 })
    await writeChunk(world.client, [{ key: 'a', n: 1 }])
    await expect.poll(() => world.ingest.arrived.length).toBe(1)
    await writeChunk(world.client, [{ key: 'a', n: 2 }])
    world.ingest.confirmAfterMs = 5
    await expect.poll(() => world.ingest.arrived.map(({ n }) => n)).toEqual([1, 1, 2])
    await expect.poll(() => countChunks(world.client)).toBe(0)
    expect(await metric(listener, 'overdue_chunks_total')).toBe(1)
  })

  it('may refuse a message: only its keys wait', async () => {
    const world = await makeWorld(postgres)
    let isRefusing = true
    world.ingest.answer = ({ messages }) =>
      isRefusing && messages.some(({ chunks }) => chunks.some(({ table_id }) => table_id === 7)) ? 400 : 202
    const padding = 60_000
    await writeChunk(world.client, [{ key: 'a', n: 1 }], { tableId: 7, padding })
    await writeChunk(world.client, [{ key: 'b', n: 2 }], { padding })
    await writeChunk(world.client, [{ key: 'a', n: 3 }], { tableId: 7, padding })
    await writeChunk(world.client, [{ key: 'c', n: 4 }], { padding })
    await startTestListener(world, { refusedRetryMs: 1_000 })
    await expect.poll(() => world.ingest.arrived.map(({ n }) => n).sort()).toEqual([2, 4])
    await writeChunk(world.client, [{ key: 'd', n: 5 }])
    await expect.poll(() => world.ingest.arrived.map(({ n }) => n).sort()).toEqual([2, 4, 5])
    isRefusing = false
    await expect.poll(() => countChunks(world.client)).toBe(0)
    expect(world.ingest.arrived.map(({ n }) => n).filter(n => n === 1 || n === 3)).toEqual([1, 3])
  })

  it('may not know the secret for a while', async () => {
    const world = await makeWorld(postgres)
    world.ingest.secrets = ['another secret of at least thirty-two bytes']
    const listener = await startTestListener(world)
    await writeChunk(world.client, [{ key: 'a', n: 1 }])
    await expect.poll(() => metric(listener, 'requests_total{outcome="unauthorized"}')).toBeGreaterThan(0)
    expect(world.ingest.arrived).toEqual([])
    world.ingest.secrets = [SECRET]
    await expect.poll(() => countChunks(world.client)).toBe(0)
  })
})
