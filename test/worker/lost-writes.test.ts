// A database whose answers get lost after it has done what was asked. Whoever is told to try again makes the change
// twice.

import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { makeKey } from '../support/keys.ts'
import { connectOwner } from '../support/postgres.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const { sql_gateway_url, data_database_url } = inject('stack')
const TABLE = 'lost_writes'

let quoin: TestWorker
let apikey: string
let isLosing = false

beforeAll(async () => {
  await using owner = await connectOwner()
  await owner.query(`create table public.${TABLE} (id int)`)
  apikey = (await makeKey('service_role')).key
  quoin = await startTestWorker({
    outbound(request) {
      const isData = request.headers.get('neon-connection-string') === data_database_url
      return isLosing && isData ? performAndLose(request) : undefined
    },
  })
  // The first call of an isolate asks for more than the second.
  await call('GET', `/v1/db/${TABLE}`)
  isLosing = true
})
afterAll(async () => {
  isLosing = false
  await quoin?.close()
  await using owner = await connectOwner()
  await owner.query(`drop table if exists public.${TABLE}`)
})

async function performAndLose(request: Request): Promise<Response> {
  expect(request.url).toBe(`${sql_gateway_url}/sql`)
  expect((await fetch(request)).status).toBe(200)
  return new Response('<html>', { status: 504 })
}

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await quoin.fetch(path, {
    method,
    headers: { apikey, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    json: await response.json(),
  }
}

async function countRows(): Promise<number> {
  await using owner = await connectOwner()
  return (await owner.query(`select count(*)::int as n from public.${TABLE}`)).rows[0].n
}

it.each<[string, string, unknown]>([
  ['an insert', `/v1/db/${TABLE}`, { id: 1 }],
  ['a statement', '/v1/sql', { sql: `insert into ${TABLE} values (1)` }],
  ['a transaction', '/v1/sql/transaction', { statements: [{ sql: `insert into ${TABLE} values (1)` }] }],
])('%s whose answer was lost may have been made, and is not to be sent again', async (_what, path, body) => {
  const before = await countRows()
  const { status, retryAfter, json } = await call('POST', path, body)
  expect(await countRows()).toBe(before + 1)
  expect({ status, retryAfter, json }).toMatchObject({
    status: 503,
    retryAfter: null,
    json: {
      code: 'database_unavailable',
      detail: 'If the call changes anything, that may have been done all the same.',
      hint: expect.stringContaining('before you send the call again'),
    },
  })
})

it('what changes nothing may be sent again', async () => {
  const before = await countRows()
  for (const answer of [
    await call('GET', `/v1/db/${TABLE}`),
    await call('POST', `/v1/db/${TABLE}`, { id: 1 }, { prefer: 'tx=rollback' }),
  ]) {
    expect(answer).toMatchObject({ status: 503, retryAfter: '1', json: { detail: null } })
  }
  expect(await countRows()).toBe(before)
})
