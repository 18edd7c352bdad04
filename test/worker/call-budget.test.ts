// The budget of one call on a warm isolate: ONE Durable Object call and ONE trip to the database.

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type CountingGateway, startCountingGateway } from '../support/counting-gateway.ts'
import { makeKey } from '../support/keys.ts'
import { connectOwner } from '../support/postgres.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const stack = inject('stack')
const TABLE = 'call_budget'

let gateway: CountingGateway
let quoin: TestWorker
let anon: { key: string }
let service: { key: string }

beforeAll(async () => {
  await using owner = await connectOwner()
  await owner.query(`
    create table public.${TABLE} (id int primary key, name text, parent int references public.${TABLE});
    alter table public.${TABLE} enable row level security;
    create policy all_rows on public.${TABLE} to anon using (true) with check (true);
    grant select, insert, update, delete on public.${TABLE} to anon`)
  gateway = await startCountingGateway(stack.sql_gateway_url ?? '')
  quoin = await startTestWorker({ vars: { SQL_GATEWAY_URL: gateway.url } })
  ;[anon, service] = await Promise.all([makeKey('anon'), makeKey('service_role')])
})

afterAll(async () => {
  await quoin?.close()
  await gateway?.close()
  await using owner = await connectOwner()
  await owner.query(`drop table if exists public.${TABLE}`)
})

const CALLS: [string, () => Promise<Response>][] = [
  ['a read', () => call(`/v1/db/${TABLE}?id=eq.1`)],
  ['a read with a count', () => call(`/v1/db/${TABLE}?order=name`, { headers: { prefer: 'count=exact' } })],
  [
    'an insert',
    () => call(`/v1/db/${TABLE}`, { method: 'POST', body: JSON.stringify({ id: nextId(), name: 'a' }) }),
  ],
  ['an update', () => call(`/v1/db/${TABLE}?id=eq.1`, { method: 'PATCH', body: '{"name":"b"}' })],
  ['a delete', () => call(`/v1/db/${TABLE}?id=eq.-1`, { method: 'DELETE' })],
  ['a read of related rows', () => call(`/rest/v1/${TABLE}?select=id,${TABLE}(id,parent(name))&id=eq.1`)],
  ['SQL', () => call('/v1/sql', { method: 'POST', body: '{"sql":"select 1"}' }, service.key)],
]

describe.each(CALLS)('%s', (_, send) => {
  it('makes one trip to the database and counts once in its key’s window', async () => {
    await send()
    const [tripsBefore, remainingBefore] = [gateway.count, await remaining(send)]
    const tripsOfOneCall = gateway.count - tripsBefore
    expect(tripsOfOneCall).toBe(1)
    // The limiter counts each call that it is asked for, so a second call to it would show here.
    expect(await remaining(send)).toBe(remainingBefore - 1)
  })
})

async function remaining(send: () => Promise<Response>): Promise<number> {
  const response = await send()
  expect(response.status).toBeLessThan(300)
  await response.arrayBuffer()
  return Number(response.headers.get('x-ratelimit-remaining'))
}

function call(path: string, init: RequestInit = {}, key = anon.key): Promise<Response> {
  return quoin.fetch(path, {
    ...init,
    headers: { apikey: key, 'content-type': 'application/json', ...init.headers },
  })
}

let lastId = 0
const nextId = () => ++lastId
