// What the user's functions may set of an answer, and what becomes of the rest when they set nonsense.

import { describe, expect, test } from 'vitest'
import { CatalogCache } from '../../../src/features/data-api/catalog/catalog.ts'
import type { DataApiDeps, DataCall, DataContext } from '../../../src/features/data-api/run/data-session.ts'
import type { StatementOutcome } from '../../../src/features/data-api/run/run-plan.ts'
import { answer } from '../../../src/features/data-api/verbs/data-answer.ts'

const deps: DataApiDeps = {
  data: { batch: neverAsked, batchForBody: neverAsked },
  catalog: new CatalogCache(['public'], () => new Date(0)),
  config: { dbSchemas: ['public'], dbExtraSearchPath: [], dbPlanEnabled: false },
}
const context: DataContext = {
  schema: 'public',
  query: undefined,
  call: {
    name: 'f',
    path: '/v1/db/rpc/f',
    search: '',
    method: 'POST',
    headers: new Headers(),
    role: 'anon',
    claims: null,
    requestId: 'r',
    share: 'key/unknown',
    timeoutMs: 3_000,
    readBodyBytes: async () => new Uint8Array(),
    readRawBytes: async () => new Uint8Array(),
  },
  session: {
    role: 'anon',
    claims: '{}',
    requestId: 'r',
    share: 'key/unknown',
    searchPath: ['public'],
    timeoutMs: 1,
    method: 'POST',
    path: '/',
    headers: '{}',
    cookies: '{}',
  },
}

function neverAsked(): never {
  throw new Error('the answer must not ask the database')
}

/** The answer to a statement whose function set these; `isCancelled` tells whether the body was let go. */
function answerWith(set: { headers?: string; status?: string }, more: Partial<DataCall> = {}) {
  const seen = { isCancelled: false }
  const body = new ReadableStream({
    cancel() {
      seen.isCancelled = true
    },
  })
  const outcome: StatementOutcome = {
    body,
    rowCount: 1,
    totalCount: null,
    responseHeaders: set.headers ?? null,
    responseStatus: set.status ?? null,
    updatedCount: 0,
    estimate: null,
  }
  const asked = { ...context, call: { ...context.call, ...more } }
  const make = () => answer(deps, asked, 200, body, { 'content-type': 'application/json' }, outcome)
  return { make, seen }
}

describe('response.headers and response.status', () => {
  test('set the headers and the status of the answer', () => {
    const headers = '[{"Cache-Control":"max-age=60"},{"X-Said":"by function"}]'
    expect(answerWith({ headers, status: '202' }).make()).toMatchObject({
      status: 202,
      headers: { 'cache-control': 'max-age=60', 'content-type': 'application/json', 'x-said': 'by function' },
    })
  })

  // A trigger of whoever holds a service_role key could else choose what an administrator's browser gets.
  test('set nothing of an answer that is fixed, and nonsense in them is no error', () => {
    for (const headers of ['[{"Set-Cookie":"a=1"},{"Clear-Site-Data":"*"}]', 'nonsense']) {
      expect(answerWith({ headers, status: '302' }, { isAnswerFixed: true }).make()).toMatchObject({
        status: 200,
        headers: { 'content-type': 'application/json' },
      })
    }
  })

  test('may ask for a pause: the work knows best when to come back', () => {
    expect(answerWith({ headers: '[{"Retry-After":"5"}]' }).make().headers).toMatchObject({
      'retry-after': '5',
    })
  })

  // A length or a hop-by-hop field that does not fit what the runtime sends splits or cuts the answers of a connection.
  test.each([
    'Content-Length',
    'transfer-encoding',
    'Connection',
    'keep-alive',
    'Upgrade',
    'trailer',
    'TE',
    'Proxy-Authenticate',
    'proxy-connection',
    'X-RateLimit-Remaining',
    'ratelimit-policy',
    'RateLimit',
    'X-Request-Id',
    'Server-Timing',
    'Access-Control-Allow-Origin',
    // Any of these would reach beyond the answer: to the origin's cookies, to its pages, or to another address.
    'Set-Cookie',
    'Clear-Site-Data',
    'Refresh',
    'Content-Security-Policy',
    'Content-Security-Policy-Report-Only',
    'Strict-Transport-Security',
    'X-Content-Type-Options',
  ])('%s is refused by name: it belongs to the server', name => {
    const { make } = answerWith({ headers: JSON.stringify([{ [name]: '1' }]) })
    expect(make).toThrow(
      expect.objectContaining({
        code: 'internal_error',
        message: `response.headers guc must not set ${name.toLowerCase()}`,
        postgrest: { code: 'PGRST111', details: null },
      }),
    )
  })

  test.each([
    { headers: '{"a":"b"}' },
    { headers: '[{"a":1}]' },
    { headers: '[{"a":"b","c":"d"}]' },
    { headers: '[{"bad name":"x"}]' },
    { headers: '[{"a":"line\\nbreak"}]' },
    { headers: '[{"content-length":"1"}]' },
    { status: '99' },
    { status: '408' },
    { status: '425' },
    { status: '700' },
    { status: 'OK' },
  ])('%o fails, lets go of the body, and says that the work is committed', set => {
    const { make, seen } = answerWith(set)
    expect(make).toThrow(expect.objectContaining({ detail: expect.stringContaining('committed') }))
    expect(seen.isCancelled).toBe(true)
  })
})

// The origin is the dashboard's: a script in an answer that a browser shows would act as the person who is signed in.
describe('the type of an answer', () => {
  const sent = (type: string) =>
    answerWith({ headers: JSON.stringify([{ 'Content-Type': type }]) }).make().headers

  test.each(['text/html', 'TEXT/HTML; charset=utf-8', ' text/html'])('%s is shown as its source', type => {
    expect(sent(type)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': expect.stringContaining('sandbox'),
    })
  })

  test.each(['image/svg+xml', 'application/xml', 'application/xhtml+xml', 'text/plain,text/html', 'x'])(
    '%s is kept in a sandbox',
    type => {
      expect(sent(type)).toMatchObject({
        'content-type': type,
        'content-security-policy': expect.stringContaining('sandbox'),
      })
    },
  )

  test.each(['image/png', 'text/csv; charset=utf-8', 'application/geo+json', 'application/octet-stream'])(
    '%s goes out as it is',
    type => {
      expect(sent(type)).toEqual({ 'content-type': type })
    },
  )
})
