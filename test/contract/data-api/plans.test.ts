// DB_PLAN_ENABLED: how Postgres runs a request, in place of its answer.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { startTestWorker, type TestWorker } from '../../support/worker.ts'
import { callDb, type DbCall } from './caller.ts'
import { dropTables, fillTables, items, makeTables, names } from './write-tables.ts'

let quoin: TestWorker
let apikey: string

beforeAll(async () => {
  await makeTables()
  quoin = await startTestWorker({ vars: { DB_PLAN_ENABLED: 'true', DB_MAX_ROWS: '2' } })
  apikey = (await makeKey('service_role', { rateLimitPerMinute: 100_000 })).key
})
beforeEach(fillTables)
afterAll(async () => {
  await quoin?.close()
  await dropTables()
})

const PLAN = 'application/vnd.pgrst.plan'
const rest = (path: string, call?: DbCall) => callDb(`${quoin.url}/rest/v1/${path}`, { apikey }, call)

test('a read is explained as JSON or as text', async () => {
  const json = await rest(items, { headers: { accept: `${PLAN}+json; for="application/json"` } })
  expect(json).toMatchObject({ status: 200, body: [{ Plan: { 'Node Type': expect.any(String) } }] })
  expect(json.headers.get('content-type')).toBe(`${PLAN}+json; for="application/json"; charset=utf-8`)
  const text = await rest(`${items}?id=eq.1`, { headers: { accept: `${PLAN}; options=verbose` } })
  expect(text.text).toContain('(cost=')
  expect(text.text.split('\n').length).toBeGreaterThan(2)
  expect(text.headers.get('content-type')).toBe(
    `${PLAN}+text; for="application/json"; options=verbose; charset=utf-8`,
  )
})

test('EXPLAIN ANALYZE of a write leaves nothing behind', async () => {
  const headers = { accept: `${PLAN}+text; options=analyze` }
  const calls: [path: string, call: DbCall][] = [
    [items, { method: 'POST', body: { name: 'x' } }],
    [`${items}?id=gt.0`, { method: 'PATCH', body: { qty: 0 } }],
    [`${items}?id=eq.1`, { method: 'PUT', body: { id: 1, name: 'x' } }],
    [`${items}?id=gt.0`, { method: 'DELETE' }],
  ]
  for (const [path, call] of calls) {
    const { status, text } = await rest(path, { ...call, headers })
    expect([status, text]).toEqual([200, expect.stringContaining('actual time')])
  }
  expect(await names()).toEqual([
    { name: 'one', qty: 1 },
    { name: 'two', qty: 2 },
    { name: 'three', qty: 3 },
  ])
})

test('an option that Postgres does not take alone is its error', async () => {
  const { status, body } = await rest(items, { headers: { accept: `${PLAN}; options=wal` } })
  expect([status, body.code]).toEqual([400, '22023'])
})

test('no answer has more rows than DB_MAX_ROWS, and its range says which it has', async () => {
  for (const query of ['', '&limit=3']) {
    const { status, body, headers } = await rest(`${items}?order=id${query}`, {
      headers: { prefer: 'count=exact' },
    })
    expect([status, body.length, headers.get('content-range')]).toEqual([206, 2, '0-1/3'])
  }
  const changed = await rest(`${items}?id=gt.0`, {
    method: 'PATCH',
    body: { qty: 0 },
    headers: { prefer: 'return=representation' },
  })
  expect(changed.body).toHaveLength(3)
})
