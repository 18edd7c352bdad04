// The machinery around every route, with counting stand-ins in place of the limiter and the database.

import { beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import type { Whoami } from '../../../src/clients/identity.ts'
import { parseConfig } from '../../../src/config.ts'
import { DataDatabase, PlatformDatabase } from '../../../src/db/database.ts'
import { SqlWire } from '../../../src/db/sql-wire.ts'
import type { Deps } from '../../../src/deps.ts'
import { AdvisorRuns } from '../../../src/features/advisor/advisor-runs.ts'
import { AddressGate } from '../../../src/features/api-keys/limit/address-gate.ts'
import type { Admission } from '../../../src/features/api-keys/limit/admission.ts'
import { KeyGate } from '../../../src/features/api-keys/limit/key-gate.ts'
import { UnknownKeyGuard } from '../../../src/features/api-keys/limit/unknown-keys.ts'
import { makeCatalog } from '../../../src/features/data-api/catalog/catalog.ts'
import { makeGatewayHealth } from '../../../src/features/gateway/health.ts'
import { RequestCollector } from '../../../src/features/metrics/request-collector.ts'
import { PublicDocuments } from '../../../src/features/oauth/documents/public-documents.ts'
import { Declarations } from '../../../src/features/permissions/declarations.ts'
import { SessionGate } from '../../../src/features/sessions/session-gate.ts'
import { makeSqlRuntime } from '../../../src/features/sql/run-sql.ts'
import { makeBlobStore } from '../../../src/features/storage/blobs/blob-store.ts'
import type { Bucket } from '../../../src/features/storage/blobs/bucket.ts'
import { PublicRows } from '../../../src/features/storage/public/public-row.ts'
import { makeSignedUrls } from '../../../src/features/storage/signed/signed-urls.ts'
import { createApp } from '../../../src/http/app.ts'
import { openApiDocument } from '../../../src/http/openapi/document.ts'
import { defineRoute } from '../../../src/http/route.ts'
import { allRoutes } from '../../../src/routes/index.ts'
import { ANY_KEY } from '../api-keys/limit/window-oracle.ts'
import { loadNodeParser } from '../sql/node-parser.ts'
import { byteStream } from './byte-stream.ts'

const counts = { limiter: 0, database: 0 }
let admission: Admission

// What is logged is looked at in error-response.test.ts.
vi.spyOn(console, 'error').mockImplementation(() => {})

beforeEach(() => {
  counts.limiter = 0
  counts.database = 0
  const rateLimit = { limit: 100, remaining: 99, resetSeconds: 60 }
  admission = { outcome: 'admitted', key: { ...ANY_KEY, role: 'service_role' }, rateLimit }
})

/** Answers every batch as the gateway would: one row of a body, or one empty result a statement. */
async function answerBatch(_url: string, init: RequestInit): Promise<Response> {
  counts.database += 1
  const asBody = new Headers(init.headers).get('quoin-result') === 'body'
  if (asBody) return new Response('[]', { headers: { 'quoin-row': '["0",null,null,null,"0"]' } })
  const { queries } = JSON.parse(String(init.body)) as { queries: unknown[] }
  return Response.json({
    results: queries.map(() => ({ command: 'SELECT', rowCount: 0, fields: [], rows: [] })),
  })
}

const wire = new SqlWire(
  { connectionString: 'postgres://h', gatewayUrl: 'http://gateway' },
  { fetch: answerBatch },
)
const now = () => new Date()
// Every other method of a limiter is for changing keys, which no route under test does.
const limiters = {
  byHash: () => ({
    admit: async () => {
      counts.limiter += 1
      return admission
    },
  }),
} as unknown as Deps['limiters']

/** Cookies name who is signed in: `user`, `admin`, or nobody. */
function whoamiOf(cookies: string): Whoami {
  const role = /^session=(user|admin)$/.exec(cookies)?.[1]
  if (role === undefined) return { outcome: 'none' }
  const identity = { id: role, traits: {}, metadata_public: { role }, verifiable_addresses: [] }
  return { outcome: 'session', session: { id: 's', active: true, authentication_methods: [], identity } }
}
let addressWait: number | undefined

const nowhere = { baseUrl: undefined, variable: 'X', fetch }
const NO_UPSTREAMS: Deps['upstreams'] = {
  sqlGateway: { name: 'sql_gateway', ...nowhere },
  oauthPublic: { name: 'oauth_server', ...nowhere },
  oauthAdmin: { name: 'oauth_server', ...nowhere },
  identityPublic: { name: 'identity_provider', ...nowhere },
  identityAdmin: { name: 'identity_provider', ...nowhere },
  permissionRead: { name: 'permission_server', ...nowhere },
  permissionWrite: { name: 'permission_server', ...nowhere },
  neon: { name: 'neon', ...nowhere },
}

const NO_PERMISSIONS = { text: '', declarations: new Declarations({ namespaces: [] }) }

const noMetrics = () => {
  throw new Error('no route asks for metrics')
}

/** No route here stores files. */
const NO_BUCKET = new Proxy({} as Bucket, {
  get() {
    throw new Error('no route asks the store of files')
  },
})

function appOf(routes = allRoutes) {
  const keyGate = new KeyGate(limiters, async () => Date.now())
  const config = parseConfig({
    BASE_URL: 'http://quoin.test',
    DATABASE_URL: 'postgres://h',
    DATA_DATABASE_URL: 'postgres://h',
    SQL_GATEWAY_URL: 'http://gateway',
    DASHBOARD_URL: 'https://dashboard.test',
    DASHBOARD_ROLES: '*',
  })
  const deps: Deps = {
    config,
    platform: new PlatformDatabase(wire),
    data: new DataDatabase(wire, { wipesPlans: true }),
    catalog: makeCatalog({ schemas: ['public'], now }),
    advisorRuns: new AdvisorRuns(now),
    sql: makeSqlRuntime(() => loadNodeParser()),
    identifyKey: async text => (text.startsWith('svc_') ? text : null),
    limiters,
    keyGate,
    unknownKeyGuard: new UnknownKeyGuard(),
    verifyAccessToken: async () => ({ subject: 'a', claims: {} }),
    accessTokenRules: undefined,
    endUserTokens: { forget: () => {} },
    sessionGate: new SessionGate({
      whoami: async cookies => whoamiOf(cookies),
      adminIdentityIds: [],
      dashboardRoles: ['*'],
      now,
    }),
    addressGate: new AddressGate(
      { byName: () => ({ admit: async limit => ({ limit, retryAfterSeconds: addressWait }) }) },
      { api: 600, consent: 30, storage: 1_200, render: 60 },
    ),
    upstreams: NO_UPSTREAMS,
    migrations: { files: [], platformNames: [], readAt: '2026-01-31T12:00:00.000Z' },
    ownerConnections: () => Promise.reject(new Error('no database')),
    permissionFile: NO_PERMISSIONS,
    oauthDatabase: undefined,
    oauthDocuments: new PublicDocuments({ oauthPublic: NO_UPSTREAMS.oauthPublic, now }),
    verifyIngest: undefined,
    requestMetrics: noMetrics,
    requestCollector: new RequestCollector({ requestMetrics: noMetrics, timeAfter: async () => 0 }),
    gatewayHealth: makeGatewayHealth(now),
    rowChanges: { sendBatch: async () => undefined, metrics: async () => undefined },
    rowChangeSubscribers: [],
    fanouts: {
      byId: () => {
        throw new Error('no route asks a fan-out')
      },
    },
    targetRules: { allowPrivate: false, ownHosts: [] },
    targetGuard: { check: async () => undefined },
    secretBox: undefined,
    blobs: makeBlobStore(NO_BUCKET),
    signedUrls: makeSignedUrls([]),
    publicRows: new PublicRows(now),
    images: undefined,
    imageCache: { find: async () => undefined, keep: async () => undefined },
    uploads: { byId: () => expect.unreachable() },
    hubs: { byProject: () => expect.unreachable() },
    recheckSockets: () => expect.unreachable(),
    realtimeLog: () => expect.unreachable(),
    now,
  }
  return createApp(
    routes,
    () => deps,
    () => {},
  )
}

const KEY = { apikey: 'svc_sk_x', 'content-type': 'application/json' }
const CALLS: [string, string, RequestInit][] = [
  ['a read', '/v1/db/t?id=eq.1', {}],
  ['a read with a count', '/v1/db/t?order=id', { headers: { ...KEY, prefer: 'count=exact' } }],
  ['an insert', '/v1/db/t', { method: 'POST', body: '{"id":1}' }],
  ['an update', '/v1/db/t?id=eq.1', { method: 'PATCH', body: '{"a":1}' }],
  ['a delete', '/v1/db/t?id=eq.1', { method: 'DELETE' }],
  [
    'an upsert on named columns',
    '/v1/db/t?on_conflict=id',
    { method: 'POST', body: '{"id":1}', headers: { ...KEY, prefer: 'resolution=merge-duplicates' } },
  ],
  ['SQL', '/v1/sql', { method: 'POST', body: '{"sql":"select 1"}' }],
  [
    'a transaction',
    '/v1/sql/transaction',
    { method: 'POST', body: '{"statements":[{"sql":"select 1"},{"sql":"select 2"}]}' },
  ],
]

describe('the budget of a call', () => {
  it.each(CALLS)('%s asks the limiter once and the database once', async (_, path, init) => {
    const headers = new Headers(init.headers ?? KEY)
    // As a client sends it; a Request that is made here has none.
    if (typeof init.body === 'string') headers.set('content-length', String(init.body.length))
    await appOf().request(path, { ...init, headers })
    expect(counts).toEqual({ limiter: 1, database: 1 })
  })

  it('a key without a good form asks nobody', async () => {
    const response = await appOf().request('/v1/db/t', { headers: { apikey: 'nonsense' } })
    expect(response.status).toBe(401)
    expect(counts).toEqual({ limiter: 0, database: 0 })
  })
})

describe('the order of checks', () => {
  // Whoever has no key must learn nothing from error messages about bodies.
  it('looks at the credential before the body', async () => {
    const response = await appOf().request('/v1/sql', { method: 'POST', body: '{{{' })
    expect(response.status).toBe(401)
  })

  it('refuses an anon key on a service_role route before it reads the body', async () => {
    if (admission.outcome === 'admitted') admission = { ...admission, key: ANY_KEY }
    const response = await appOf().request('/v1/sql', { method: 'POST', body: '{{{', headers: KEY })
    expect(response.status).toBe(403)
  })

  it('tells a limited key when to come back, with the headers of its window', async () => {
    const rateLimit = { limit: 100, remaining: 0, resetSeconds: 7 }
    admission = { outcome: 'rate_limited', key: ANY_KEY, rateLimit, retryAfterSeconds: 7, limited: 'key' }
    const response = await appOf().request('/v1/db/t', { headers: KEY })
    expect(response.status).toBe(429)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'retry-after': '7',
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '7',
      'ratelimit-policy': '"default";q=100;w=60',
      ratelimit: '"default";r=0;t=7',
    })
    expect(counts.database).toBe(0)
  })

  it('answers 503, not 401, when the key could not be checked', async () => {
    admission = { outcome: 'unavailable' }
    expect((await appOf().request('/v1/db/t', { headers: KEY })).status).toBe(503)
  })
})

describe('paths and methods', () => {
  it('names the methods that a path takes', async () => {
    const response = await appOf().request('/v1/db/t', { method: 'QUERY' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST, PATCH, PUT, DELETE, OPTIONS')
    expect(await response.json()).toMatchObject({ code: 'method_not_allowed' })
  })

  // It named a table without a name, and answered GET with "Use GET".
  it.each(['GET', 'POST', 'OPTIONS'])('serves no table without a name: %s /v1/db/', async method => {
    const response = await appOf().request('/v1/db/', { method })
    expect([response.status, response.headers.get('allow')]).toEqual([404, null])
    expect(await response.json()).toMatchObject({ code: 'not_found' })
  })

  it.each(['/v1/db/to%zzdos', '/v1/db/to%ff'])(
    'refuses a path that is no percent-encoded UTF-8: %s',
    async path => {
      const response = await appOf().request(path, { headers: KEY })
      expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_parameter'])
      expect(counts.database).toBe(0)
    },
  )

  it('answers an unknown path in the shape of every error', async () => {
    const response = await appOf().request('/v2/x')
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      error: expect.stringContaining('/v2/x'),
      code: 'not_found',
      detail: null,
      hint: expect.any(String),
      request_id: response.headers.get('x-request-id'),
    })
  })

  it.each([
    ['/rest/todos?select=id', '/v1/db/<table>'],
    ['/functions/v1/hello', 'no edge functions'],
    ['/v1/tables', '/v1/db/<table>'],
    ['/v1/db/', '/v1/db/<table>'],
    ['/v1/tables/todos', '/v1/db/<table>'],
    ['/v1/rpc/add', '/v1/db/rpc/<function>'],
    ['/auth/v1/signup', 'OAuth2 server'],
    ['/v1/tablespoons', 'Nothing is served'],
  ])('says at %s where the thing is', async (path, place) => {
    const response = await appOf().request(path)
    const error = expect.stringContaining(place)
    expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ error })])
  })

  // The attack: split anew for each route, such a path took 40 ms of the isolate.
  it.each(['/'.repeat(60_000), `/v1/${'a/'.repeat(30_000)}`, `/v1/db/t${'/'.repeat(60_000)}`])(
    'serves nothing at a path of more slashes than any route has',
    async path => {
      const response = await appOf().request(path, { headers: KEY })
      expect([response.status, response.headers.get('allow')]).toEqual([404, null])
    },
  )

  // Enter in the address bar of a form's answer asks for it with GET; an address that was cut short is nobody's.
  it.each([
    ['/api/oauthsrv/bridge/consent/accept', 405],
    ['/api/oauthsrv/bridge/logn', 404],
    ['/api/oauthsrv/bridge/a/b', 404],
    ['/api/oauthsrv/bridge', 404],
  ])('answers a browser at %s by a page, and a script by JSON', async (path, status) => {
    const page = await appOf().request(path, { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain(page.headers.get('x-request-id'))
    expect(page.headers.get('allow')).toBe(status === 405 ? 'POST' : null)
    const script = await appOf().request(path)
    expect([script.status, script.headers.get('content-type')]).toEqual([
      status,
      'application/json; charset=utf-8',
    ])
  })

  it.each(['/api/oauthsrv/clienst', '/v2/x'])(
    'answers a browser at %s, where no pages are, by JSON',
    async path => {
      const response = await appOf().request(path, { headers: { accept: 'text/html' } })
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        'application/json; charset=utf-8',
      ])
    },
  )

  it('lets any origin ask before it sends a key, at no cost to the key', async () => {
    const response = await appOf().request('/v1/db/t', {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-headers': 'apikey, prefer' },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-headers')).toBe('apikey, prefer')
    expect(counts.limiter).toBe(0)
    // Without an origin it is no browser that asks, and the question is the table's.
    expect((await appOf().request('/v1/db/t', { method: 'OPTIONS' })).status).toBe(401)
  })

  // Else a page sees "Failed to fetch" in place of the hint: clients of other systems call such paths.
  it.each([
    '/v1',
    '/v1/nothing',
    '/v1/rpc/f?a=1',
    '/rest/todos?select=*',
    '/auth/v1/token?grant_type=password',
    '/functions/v1/f',
    '/graphql/v1',
    '/functions/v1/hello',
    '/todos',
    '/',
    '/rest/%ff',
  ])('lets a page read that %s is not served, behind its preflight', async path => {
    const headers = {
      origin: 'https://app.example',
      'access-control-request-headers': 'apikey, x-client-info',
    }
    const preflight = await appOf().request(path, { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('apikey, x-client-info')
    const answer = await appOf().request(path, { method: 'POST', headers, body: '{}' })
    expect(answer.status).toBe(404)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answer.json()).toMatchObject({ code: 'not_found', hint: expect.stringContaining('/docs') })
  })

  it('lets a page read every other refusal: 400, 401, 405, 413, 500, 429', async () => {
    const thrower = defineRoute({
      id: 'modules.list',
      method: 'get',
      mounts: { '/v1/modules': 'none' },
      summary: 'throws',
      handle: () => {
        throw new Error('by the test')
      },
    })
    const key = { ...KEY, origin: 'https://app.example' }
    const large = { method: 'POST', headers: { ...key, 'content-length': '99999999999' }, body: '{}' }
    const answers = [
      await appOf().request('/v1/db/%ff', { headers: key }),
      await appOf().request('/v1/db/t', { headers: { origin: 'https://app.example' } }),
      await appOf().request('/v1/db/t', { method: 'PURGE', headers: key }),
      await appOf().request('/v1/db/t', large),
      await appOf([thrower]).request('/v1/modules', { headers: key }),
    ]
    admission = { outcome: 'unknown' }
    const app = appOf()
    for (let i = 0; i < 21; i++) await app.request('/v1/db/t', { headers: key })
    answers.push(await app.request('/v1/db/t', { headers: key }))
    expect(answers.map(({ status }) => status)).toEqual([400, 401, 405, 413, 500, 429])
    for (const { headers } of answers) expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  it.each(['/api', '/api/nothing', '/api/keys', '/internal', '/internal/nothing', '/internal/row-changes'])(
    'says nothing of %s to pages of other origins',
    async path => {
      for (const method of ['OPTIONS', 'POST']) {
        const answer = await appOf().request(path, { method, headers: { origin: 'https://app.example' } })
        expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      }
    },
  )
})

describe('what was sent', () => {
  const echo = defineRoute({
    id: 'test.echo',
    method: 'post',
    mounts: { '/v1/echo': 'any_key' },
    summary: 'Says what it was sent',
    query: z.strictObject({ a: z.string().optional() }),
    body: z.strictObject({ n: z.int() }),
    handle: async ({ query, body }) => Response.json({ query, body }),
  })
  const send = async (search: string, type?: string, body = '{"n":1}') => {
    const headers = new Headers({ apikey: KEY.apikey, 'content-length': String(body.length) })
    if (type !== undefined) headers.set('content-type', type)
    // As bytes: for a text the Request itself says a type.
    const init = { method: 'POST', headers, body: new TextEncoder().encode(body) }
    return await (await appOf([echo]).request(`/v1/echo${search}`, init)).json()
  }

  it.each([
    undefined,
    'application/json',
    'application/JSON ; charset=utf-8',
    'application/vnd.api+json; charset=utf-8',
  ])('is validated, the type of the body being %s', async type => {
    expect(await send('?a=%C3%A4+b', type)).toEqual({ query: { a: 'ä b' }, body: { n: 1 } })
    expect(await send('', type, '{"n":"1"}')).toMatchObject({
      error: 'body.n: must be a number',
      code: 'validation_failed',
    })
  })

  it.each(['application/json-seq', 'application/json5', 'text/json', 'application/x+y+json', ''])(
    'is refused as %j',
    async type => expect(await send('', type)).toMatchObject({ code: 'unsupported_media_type' }),
  )

  it.each([
    ['?a=1&a=1', 'query.a: given more than once.'],
    ['?a=1&%61=', 'query.a: given more than once.'],
    ['?b=1&b=2', 'query.b: given more than once.'],
    ['?a=%00', 'query.a: holds a NUL character, which Postgres cannot store.'],
    ['?b=1', 'query: knows no "b", only a'],
    ['?constructor=1', 'query: knows no "constructor", only a'],
    ['?__proto__=1', 'query: knows no "__proto__", only a'],
  ])('is refused with the query %s', async (search, error) => {
    expect(await send(search)).toMatchObject({ error, code: 'validation_failed' })
  })
})

describe('a route with two mounts', () => {
  const rename = defineRoute({
    id: 'things.rename',
    method: 'post',
    mounts: { '/v1/things/:id': 'any_key', '/api/things/:id': 'session' },
    summary: 'Renames a thing',
    response: z.object({ id: z.string(), by: z.string(), actor: z.string(), action: z.string() }),
    handle: async ({ params, principal, caller }) => ({
      id: params.id,
      by: principal.kind === 'api_key' ? principal.key.role : principal.session.identity.id,
      actor: caller.actor.kind,
      action: caller.action,
    }),
  })
  const ask = async (path: string, headers: Record<string, string>) =>
    await (await appOf([rename]).request(path, { method: 'POST', headers })).json()

  it('is served at both, each with its own credential, under one name', async () => {
    const said = { id: 'a', action: 'things.rename' }
    expect(await ask('/v1/things/a', KEY)).toEqual({ ...said, by: 'service_role', actor: 'api_key' })
    expect(await ask('/api/things/a', { cookie: 'session=user' })).toEqual({
      ...said,
      by: 'user',
      actor: 'session',
    })
    expect(await ask('/v1/things/a', { cookie: 'session=user' })).toMatchObject({ code: 'invalid_api_key' })
    expect(await ask('/api/things/a', KEY)).toMatchObject({ code: 'session_required' })
  })

  it('is described at both, under two names', () => {
    const { paths } = openApiDocument([{ ...rename, id: 'keys.rename' }], 'http://quoin.test') as {
      paths: Record<string, { post: { operationId: string; security: object[] } }>
    }
    const described = Object.entries(paths).map(([path, { post }]) => [path, post.operationId, post.security])
    expect(described).toEqual([
      ['/v1/things/{id}', 'v1.keys.rename', [{ apiKey: [] }]],
      ['/api/things/{id}', 'api.keys.rename', [{ session: [] }]],
    ])
  })
})

describe('a body that the route takes as a stream', () => {
  const take = defineRoute({
    id: 'things.take',
    method: 'post',
    mounts: { '/v1/things': 'any_key' },
    summary: 'Takes a thing',
    streamsBody: true,
    bodyBytesMax: 8,
    handle: async ({ bodyStream }) => {
      const parts: number[] = []
      for await (const part of bodyStream ?? []) parts.push(part.length)
      return Response.json(parts)
    },
  })
  const send = (...parts: string[]) =>
    appOf([take]).request('/v1/things', {
      method: 'POST',
      headers: KEY,
      body: byteStream(...parts),
      duplex: 'half',
    } as RequestInit)

  // Chunks of a byte each would cost as many turns as bytes.
  it('comes in parts of its own size, whatever chunks it was sent in', async () => {
    expect(await (await send('abc', 'de', 'fgh')).json()).toEqual([8])
  })

  it('is cut where it is larger than the route takes', async () => {
    const answer = await send('abc', 'def', 'ghi')
    expect([answer.status, await answer.json()]).toMatchObject([
      413,
      { code: 'object_too_large', hint: expect.stringContaining('/upload/resumable') },
    ])
  })
})

describe('what a handler throws', () => {
  it('does not reach the caller when it is unknown', async () => {
    const failing = defineRoute({
      id: 'test.fail',
      method: 'get',
      mounts: { '/v1/fail': 'any_key' },
      summary: 'Fails',
      response: z.object({}),
      handle: async () => {
        throw new Error('postgres://owner:secret@host')
      },
    })
    const response = await appOf([failing]).request('/v1/fail', { headers: KEY })
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('secret')
    expect(response.headers.get('x-ratelimit-limit')).toBe('100')
  })
})

describe('the dashboard layer', () => {
  const route = (level: 'visitor' | 'session' | 'admin', method: 'get' | 'post' = 'post') =>
    defineRoute({
      id: 'things.do',
      method,
      mounts: { '/api/things': level },
      summary: 'Does it',
      handle: async () => ({ status: 200, headers: {}, body: 'done' }),
    })
  const USER = { cookie: 'session=user' }
  const ask = (level: 'visitor' | 'session' | 'admin', headers: Record<string, string>) =>
    appOf([route(level)]).request('/api/things', { method: 'POST', headers })

  beforeEach(() => {
    addressWait = undefined
  })

  it.each([
    ['session', {}, 401, 'session_required'],
    ['session', { cookie: 'session=nobody' }, 401, 'session_required'],
    ['session', USER, 200, undefined],
    ['admin', USER, 403, 'admin_required'],
    ['admin', { cookie: 'session=admin' }, 200, undefined],
    ['visitor', {}, 200, undefined],
  ] as const)('level %s with %j: %i %s', async (level, headers, status, code) => {
    const response = await ask(level, headers)
    const body = await response.text()
    expect(response.status).toBe(status)
    if (code !== undefined) expect(JSON.parse(body)).toMatchObject({ code })
  })

  // Cross-site request forgery: the browser sends the session along whichever page asks.
  it.each([
    [{ origin: 'https://evil.test' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ origin: 'http://quoin.test' }, 200],
    [{ origin: 'https://dashboard.test', 'sec-fetch-site': 'cross-site' }, 200],
    [{ origin: 'https://dashboard.test.evil.test' }, 403],
  ])('answers a changing request with %j by %i', async (headers, status) => {
    expect((await ask('session', { ...USER, ...headers })).status).toBe(status)
  })

  it('lets any page read, but shows the answer to the dashboard alone', async () => {
    const read = (origin: string) =>
      appOf([route('session', 'get')]).request('/api/things', { headers: { ...USER, origin } })
    const [dashboard, other] = [await read('https://dashboard.test'), await read('https://evil.test')]
    expect(dashboard.headers.get('access-control-allow-origin')).toBe('https://dashboard.test')
    expect(dashboard.headers.get('access-control-allow-credentials')).toBe('true')
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
    expect(other.headers.get('vary')).toContain('Origin')
  })

  it('lets the dashboard read the error for a path that does not exist', async () => {
    const headers = { origin: 'https://dashboard.test' }
    const response = await appOf([]).request('/api/nothing', { headers })
    expect(response.status).toBe(404)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://dashboard.test')
  })

  it('answers the preflight of the dashboard alone', async () => {
    const preflight = async (origin: string) => {
      const init = { method: 'OPTIONS', headers: { origin } }
      const { status, headers } = await appOf([route('session')]).request('/api/things', init)
      const { 'x-request-id': requestId, vary, ...others } = Object.fromEntries(headers)
      expect([status, requestId, vary]).toEqual([204, expect.any(String), expect.stringContaining('Origin')])
      return others
    }
    expect(await preflight('https://dashboard.test')).toMatchObject({
      'access-control-allow-origin': 'https://dashboard.test',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers': 'accept,accept-profile,content-profile,content-type,prefer,range',
      'access-control-max-age': '86400',
    })
    expect(await preflight('https://evil.test')).toEqual({})
  })

  it('sends all cookies of an answer that the dashboard may read, and the answer’s own Vary', async () => {
    const signingIn = defineRoute({
      id: 'things.sign',
      method: 'get',
      mounts: { '/api/things': 'visitor' },
      summary: 'Signs in',
      handle: async () => ({ status: 200, headers: { vary: 'Accept' }, body: 'in', cookies: ['a=1', 'b=2'] }),
    })
    for (const origin of ['https://dashboard.test', 'https://evil.test']) {
      const { headers } = await appOf([signingIn]).request('/api/things', { headers: { origin } })
      expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
      expect(headers.get('vary')).toBe('Accept, Origin')
    }
  })

  it('tells an address that calls too often when to come back, before it looks at the session', async () => {
    addressWait = 9
    const response = await ask('session', {})
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '9'])
  })
})
