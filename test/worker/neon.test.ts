// The Worker without a gateway, on Neon's SQL over HTTP: what its proxy refuses, breaks off and forgets.

import { neon, neonConfig } from '@neondatabase/serverless'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeKey } from '../support/keys.ts'
import { NO_CONNECTION, proxySaid, REFUSED_AT_THE_DOOR } from '../support/neon-answers.ts'
import { makeNeonProxy } from '../support/neon-proxy.ts'
import { connectOwner } from '../support/postgres.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const stack = inject('stack')
const TABLE = 'on_neon'
const DATA_USER = new URL(stack.data_database_url).username

const proxy = makeNeonProxy(stack.database_url)
let quoin: TestWorker
let apikey: string
let anonKey: string

beforeAll(async () => {
  await using owner = await connectOwner()
  await owner.query(`create table public.${TABLE} (id int); grant select, insert on public.${TABLE} to anon`)
  apikey = (await makeKey('service_role')).key
  anonKey = (await makeKey('anon')).key
  quoin = await startTestWorker({
    vars: {
      SQL_GATEWAY_URL: '',
      DATABASE_URL: proxy.urlOf(stack.database_url),
      DATA_DATABASE_URL: proxy.urlOf(stack.data_database_url),
    },
    outbound: request => (proxy.isFor(request) ? proxy.answer(request) : undefined),
  })
  // The first call of an isolate asks for more than the second.
  for (const key of [apikey, anonKey]) expect((await read(key)).status).toBe(200)
})
afterAll(async () => {
  await quoin?.close()
  await proxy[Symbol.asyncDispose]()
  await using owner = await connectOwner()
  await owner.query(`drop table if exists public.${TABLE}`)
})

async function call(path: string, init: RequestInit) {
  const response = await quoin.fetch(path, init)
  const text = await response.text()
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    json: text === '' ? null : JSON.parse(text),
  }
}
const read = (key = apikey) => call(`/v1/db/${TABLE}`, { headers: { apikey: key } })
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  call(path, {
    method: 'POST',
    headers: { apikey, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const insert = (headers = {}) => post(`/v1/db/${TABLE}`, { id: 1 }, headers)

async function countRows(): Promise<number> {
  await using owner = await connectOwner()
  return (await owner.query(`select count(*)::int as n from public.${TABLE}`)).rows[0].n
}

it('the double is one to the unmodified driver', async () => {
  neonConfig.fetchFunction = (url: string, init: RequestInit) => proxy.answer(new Request(url, init))
  const sql = neon(proxy.urlOf(stack.database_url))
  expect(await sql`select ${'a'}::text as one, 2 as two`).toEqual([{ one: 'a', two: 2 }])
  const [, rows] = await sql.transaction([sql`create temp table mine (id int)`, sql`select 3 as three`])
  expect(rows).toEqual([{ three: 3 }])
  await expect(sql`select * from mine`).rejects.toMatchObject({ code: '42P01', severity: 'ERROR' })
  await expect(neon('postgres://a:b@ep-none.eu-1.aws.neon.test/c')`select 1`).rejects.toMatchObject({
    code: '',
    severity: '',
    message: expect.stringContaining('endpoint cannot be found'),
  })
})

describe('where no connection is to be had', () => {
  it.each([
    ...REFUSED_AT_THE_DOOR.slice(0, 1).map(words => [words, 400] as const),
    ...NO_CONNECTION.slice(0, 1).map(words => [words, 500] as const),
  ])('nobody is told why, and anybody may try again (%s)', async (words, status) => {
    proxy.refusal = { user: DATA_USER, answer: () => proxySaid(words, status) }
    const answers = [await read(anonKey), await insert(), await post('/v1/sql', { sql: 'select 1' })]
    expect((await call('/v1/status', { headers: { apikey } })).json).toMatchObject({
      status: 'degraded',
      database: { state: 'up', data_state: 'down' },
    })
    proxy.refusal = undefined
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 503,
        retryAfter: '1',
        json: { code: 'database_unavailable', error: 'The database does not answer.', detail: null },
      })
    }
  })

  it('that goes for a database that is not there too', async () => {
    const url = new URL(stack.data_database_url)
    url.pathname = '/no_such_database'
    await using astray = await startTestWorker({
      vars: {
        SQL_GATEWAY_URL: '',
        DATABASE_URL: proxy.urlOf(stack.database_url),
        DATA_DATABASE_URL: proxy.urlOf(url.href),
      },
      outbound: request => (proxy.isFor(request) ? proxy.answer(request) : undefined),
    })
    const response = await astray.fetch(`/v1/db/${TABLE}`, { headers: { apikey: anonKey } })
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'database_unavailable' }])
  })
})

describe('a connection that breaks', () => {
  it.each([
    ['before COMMIT', 0],
    ['behind COMMIT', 1],
  ] as const)('%s leaves it open whether a change was made', async (place, more) => {
    for (const [path, body] of [
      [`/v1/db/${TABLE}`, { id: 1 }],
      ['/v1/sql', { sql: `insert into ${TABLE} values (1)` }],
      ['/v1/sql/transaction', { statements: [{ sql: `insert into ${TABLE} values (1)` }] }],
    ] as const) {
      const before = await countRows()
      proxy.breakage = { user: DATA_USER, at: place }
      const answer = await post(path, body)
      expect(await countRows()).toBe(before + more)
      expect(answer).toMatchObject({
        status: 503,
        retryAfter: null,
        json: { code: 'database_unavailable', detail: expect.stringContaining('may have been done') },
      })
    }
  })

  it('leaves a pending row in the audit log', async () => {
    const body = { sql: `insert into ${TABLE} values (2)` }
    const headers = { cookie: stack.session_cookie_admin ?? '', origin: stack.dashboard_url }
    expect((await post('/api/sql', body, headers)).status).toBe(200)
    // Of the data's connections alone: the audit log is the owner's.
    proxy.refusal = { user: DATA_USER, answer: () => proxySaid('connection closed') }
    const { status, json } = await post('/api/sql', body, headers)
    proxy.refusal = undefined
    expect(status).toBe(503)
    await using owner = await connectOwner()
    const { rows } = await owner.query(
      'select outcome, error_code from quoin.audit_logs where request_id = $1',
      [json.request_id],
    )
    expect(rows).toEqual([{ outcome: 'pending', error_code: 'database_unavailable' }])
  })

  it('under what changes nothing may be tried again', async () => {
    for (const again of [() => read(), () => insert({ prefer: 'tx=rollback' })]) {
      proxy.breakage = { user: DATA_USER, at: 'before COMMIT' }
      expect(await again()).toMatchObject({ status: 503, retryAfter: '1', json: { detail: null } })
    }
  })
})

it('an answer that is too large for the proxy is too large, and changes nothing', async () => {
  const before = await countRows()
  proxy.responseBytesMax = 10_000
  const sql = `with i as (insert into ${TABLE} values (1)) select repeat('x', 20000)`
  const { status, json } = await post('/v1/sql', { sql })
  proxy.responseBytesMax = 10 * 1024 * 1024
  expect([status, json]).toMatchObject([400, { code: 'response_too_large' }])
  expect(json.error).toContain('Nothing was changed.')
  expect(await countRows()).toBe(before)
})

it('a wrong number of parameters in a transaction is the caller’s', async () => {
  const statements = [{ sql: 'select 1' }, { sql: 'select $1::int, $2::int', params: [1] }]
  expect(await post('/v1/sql/transaction', { statements })).toMatchObject({
    status: 400,
    retryAfter: null,
    json: {
      code: 'validation_failed',
      error: 'statements[1].params: 1 given, but the statement takes 2.',
    },
  })
})

it('the timeout of a transaction holds for all of it, and SQL cannot swallow it', async () => {
  const before = await countRows()
  const sleep = { sql: 'select pg_sleep(0.3)' }
  const statements = [{ sql: `insert into ${TABLE} values (3)` }, sleep, sleep, sleep, sleep, sleep]
  const swallow = 'begin perform pg_sleep(5); exception when query_canceled then perform pg_sleep(5); end'
  for (const answer of [
    await post('/v1/sql/transaction', { statements, timeout: 700 }),
    await post('/v1/sql', { sql: `do $$ ${swallow} $$`, timeout: 300 }),
  ])
    expect([answer.status, answer.json]).toMatchObject([504, { code: '57014' }])
  expect(await countRows()).toBe(before)
})
