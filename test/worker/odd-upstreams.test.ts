// Every endpoint that asks the OAuth2 server, the identity provider or the permission server, with servers that are
// down, slow, or somebody else: in the real bundle. Callers get a stable code, and no change is claimed that was none.

import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type Endpoint, endpointsOf } from '../../src/http/route.ts'
import { allRoutes } from '../../src/routes/index.ts'
import { connectOwner } from '../support/postgres.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const { service_role_key, session_cookie_admin, user_identity_id } = inject('stack')
const SERVER = 'http://odd.test'
const CHALLENGE = 'the-secret-challenge'
const SECRETS = /the-secret-challenge|the-secret-token|the-admin-token|odd\.test/

type Answer = () => Response | Promise<Response>
let answer: Answer
let asked = 0
let quoin: TestWorker

beforeAll(async () => {
  quoin = await startTestWorker({
    vars: {
      OAUTH_PUBLIC_URL: `${SERVER}/public`,
      OAUTH_ADMIN_URL: `${SERVER}/admin-api`,
      OAUTH_ADMIN_TOKEN: 'the-admin-token',
      IDENTITY_ADMIN_URL: `${SERVER}/identities`,
      PERMISSION_READ_URL: `${SERVER}/permissions`,
      PERMISSION_WRITE_URL: `${SERVER}/permissions-write`,
      PERMISSION_ADMIN_TOKEN: 'the-admin-token',
      OAUTH_DATABASE_URL: '',
      // All endpoints are asked at once: less, and a busy machine calls a slow answer none.
      UPSTREAM_TIMEOUT_MS: '6000',
    },
    outbound(request) {
      if (!request.url.startsWith(SERVER)) return undefined
      asked++
      return answer()
    },
  })
})
afterAll(() => quoin?.close())

/** What the tables of routes cannot tell: which values lead past the checks of the input. */
const QUERIES: Readonly<Record<string, string>> = {
  'bridge.login': `?login_challenge=${CHALLENGE}`,
  'bridge.consent': `?consent_challenge=${CHALLENGE}`,
  'bridge.consent_info': `?consent_challenge=${CHALLENGE}`,
  'bridge.logout': `?logout_challenge=${CHALLENGE}`,
  'permissions.delete': '?namespace=Project&object=apollo&relation=viewer&subject=alice',
}
const BODIES: Readonly<Record<string, unknown>> = {
  'tokens.introspect': { token: 'the-secret-token' },
  'tokens.revoke': { token: 'the-secret-token' },
  'signing_keys.create': { set_id: 'odd-upstreams', algorithm: 'ES256' },
  'bridge.accept_consent': { challenge: CHALLENGE, grant_scope: [] },
  'bridge.reject_consent': { challenge: CHALLENGE },
  'bridge.accept_logout': { challenge: CHALLENGE },
  'bridge.reject_logout': { challenge: CHALLENGE },
  'bridge.answer_device': { challenge: CHALLENGE, user_code: 'ABCD1234' },
}
/** Asks nobody, shows a page of its own, or takes nothing but its form. */
const ASKS_NOBODY = [
  'claims_config.read',
  'claims_config.replace',
  'bridge.switch_account',
  'bridge.device',
  'bridge.device_success',
  'bridge.logout_done',
  'bridge.error',
]
const ENDPOINTS = endpointsOf(allRoutes).filter(
  ({ route, path }) =>
    /^\/(?:api\/oauthsrv|api\/permsrv|api\/auth|v1\/oauth2|v1\/auth)\//.test(path) &&
    !ASKS_NOBODY.includes(route.id),
)

let lastAddress = 0
async function call({ route, path: pattern }: Endpoint) {
  const path = pattern.replace(':subject', user_identity_id ?? '').replace(':id', crypto.randomUUID())
  const body = BODIES[route.id] ?? route.example
  const response = await quoin.fetch(`${path.replace(/:\w+/g, 'x')}${QUERIES[route.id] ?? ''}`, {
    method: route.method.toUpperCase(),
    redirect: 'manual',
    headers: {
      apikey: service_role_key,
      cookie: session_cookie_admin ?? '',
      'cf-connecting-ip': `198.51.100.${++lastAddress % 250}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  expect(text, route.id).not.toMatch(SECRETS)
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const json = (isJson ? JSON.parse(text) : {}) as { code?: string; request_id?: string }
  return { outcome: `${response.status} ${json.code ?? ''}`.trim(), requestId: json.request_id ?? '' }
}

/** What each endpoint answers, those of the usual answer left out. */
async function callAll(usual: string) {
  const others: Record<string, string> = {}
  const requestIds: string[] = []
  await Promise.all(
    ENDPOINTS.map(async endpoint => {
      const { outcome, requestId } = await call(endpoint)
      requestIds.push(requestId)
      if (outcome !== usual) others[endpoint.route.id] = outcome
    }),
  )
  return { others, requestIds }
}

/** None of these requests says that it changed something, and no date of a key is left of those that were refused. */
async function expectNothingChanged(requestIds: readonly string[], leavesOpen: boolean) {
  await using owner = await connectOwner()
  const rows = await owner.query(
    "select action, outcome from quoin.audit_logs where request_id = any($1) and outcome <> 'failed'",
    [requestIds],
  )
  const isClaimed = (row: { outcome: string }) => row.outcome === 'succeeded' || !leavesOpen
  expect(rows.rows.filter(isClaimed)).toEqual([])
  const dates = await owner.query(
    "delete from quoin.oauth_signing_keys where set_id = 'odd-upstreams' returning kid",
  )
  if (!leavesOpen) expect(dates.rows).toEqual([])
}

const page = (status: number) => () =>
  new Response('<html><body>nginx</body></html>', { status, headers: { 'content-type': 'text/html' } })
const json = (status: number, body: unknown) => () => Response.json(body, { status })
const INVALID = '502 upstream_invalid_answer'
const MISCONFIGURED = '502 upstream_misconfigured'
const UNAVAILABLE = '502 upstream_unavailable'
/** Says what it sees in its own words. */
const OWN_WORDS = { 'oauth_server.health': '503', 'bridge.status': '200' }

it.each<[string, Answer, string, Record<string, string>]>([
  ['a page', page(200), INVALID, {}],
  ['a page with 401', page(401), MISCONFIGURED, {}],
  ['a page with 403', page(403), MISCONFIGURED, {}],
  ['a page with 404', page(404), INVALID, {}],
  ['a page with 500', page(500), UNAVAILABLE, {}],
  [
    'its own 500',
    json(500, { error: 'error', error_description: '' }),
    UNAVAILABLE,
    // A flow tester shows what the server says of itself.
    { 'oauth_server.authorize_device': '200' },
  ],
  // Go prints an empty list like this.
  ['null', json(200, null), INVALID, { 'identities.list': '200' }],
  ['{}', json(200, {}), INVALID, {}],
  // So a permission server says that there is nothing to expand.
  ['an error inside 200', json(200, { code: 404, message: 'not found' }), INVALID, {}],
  ['a bare 302', () => new Response(null, { status: 302 }), INVALID, {}],
  ["a gateway's 504", page(504), UNAVAILABLE, {}],
])(
  'an upstream that answers %s is named, and is never the fault of the caller',
  async (_, odd, usual, more) => {
    answer = odd
    const { status } = await odd()
    asked = 0
    const { others, requestIds } = await callAll(usual)
    expect(others).toEqual({ ...OWN_WORDS, ...more })
    expect(asked).toBeGreaterThanOrEqual(ENDPOINTS.length)
    // A good status to a change, or a gateway's word that it got none, may hide that it was made.
    await expectNothingChanged(requestIds, [200, 504].includes(status))
  },
)

it('an upstream that never answers is given up', async () => {
  let release = () => {}
  const held = new Promise<Response>(resolve => {
    release = () => resolve(new Response(''))
  })
  answer = () => held
  const { others, requestIds } = await callAll(UNAVAILABLE)
  release()
  expect(others).toEqual(OWN_WORDS)
  await expectNothingChanged(requestIds, true)
})
