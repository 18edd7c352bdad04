// Who comes in: every kind of credential on one endpoint of each level, and one case for each endpoint of the table
// that its level holds there. A new endpoint is in here the moment it is declared. What the dashboard layer makes of
// its variables is in test/worker/dashboard-rules.test.ts.

import { beforeAll, describe, expect, inject, it } from 'vitest'
import { generateKey } from '../../../src/features/api-keys/record/key-format.ts'
import type { AuthLevel } from '../../../src/http/admission/principal.ts'
import { fillParams } from '../../../src/http/path-pattern.ts'
import { type Endpoint, endpointName, endpointsOf } from '../../../src/http/route.ts'
import { wireOf } from '../../../src/http/wires/wires.ts'
import { allRoutes } from '../../../src/routes/index.ts'
import { signInAsBrowser } from '../../../stand-ins/identity-server/seeds.ts'
import { makePerson, type Person } from '../../support/applications.ts'
import { makeKey } from '../../support/keys.ts'

const stack = inject('stack')
const endpoints = endpointsOf(allRoutes)

/** Every credential that a test sends, as headers. */
const credentials = {
  nothing: {},
  anon: { apikey: '' },
  service: { apikey: '' },
  revoked: { apikey: '' },
  admin: { cookie: stack.session_cookie_admin ?? '' },
  member: { cookie: '' },
  stranger: { cookie: '' },
  signedOut: { cookie: '' },
}

beforeAll(async () => {
  const roomy = { rateLimitPerMinute: 10_000 }
  const [anon, service, revoked] = await Promise.all([
    makeKey('anon', roomy),
    makeKey('service_role', roomy),
    makeKey('service_role'),
  ])
  credentials.anon = { apikey: anon.key }
  credentials.service = { apikey: service.key }
  credentials.revoked = { apikey: revoked.key }
  const init = { method: 'DELETE', headers: credentials.service }
  expect((await fetch(`${stack.base_url}/v1/keys/${revoked.id}`, init)).status).toBe(200)
  credentials.member = { cookie: await signIn(await makePerson({ role: 'member' })) }
  credentials.stranger = { cookie: await signIn(await makePerson({})) }
  credentials.signedOut = { cookie: await signIn(await makePerson({ role: 'member' })) }
  await endSession(credentials.signedOut.cookie)
})

function signIn(person: Person): Promise<string> {
  return signInAsBrowser(stack.identity_public_url ?? '', person)
}

async function endSession(cookie: string): Promise<void> {
  const whoami = await fetch(`${stack.identity_public_url}/sessions/whoami`, { headers: { cookie } })
  const { id } = (await whoami.json()) as { id: string }
  const ended = await fetch(`${stack.identity_admin_url}/admin/sessions/${id}`, { method: 'DELETE' })
  expect(ended.status).toBe(204)
}

/** Names what does not exist and sends what no route takes, so that a request that gets through changes nothing. */
function call({ route, path }: Endpoint, headers: Record<string, string>): Promise<Response> {
  const hasBody = route.method !== 'get' && route.method !== 'delete'
  return fetch(`${stack.base_url}${fillParams(path, () => 'no-such-thing')}?no_such_parameter=1`, {
    method: route.method.toUpperCase(),
    headers: { 'content-type': 'application/json', ...headers },
    redirect: 'manual',
    ...(hasBody ? { body: '{"no_such_field":1}' } : {}),
  })
}

async function expectRefusal(response: Response, status: number, code: string): Promise<void> {
  expect([response.status, await response.json()]).toEqual([
    status,
    {
      error: expect.any(String),
      code,
      detail: code === 'dashboard_role_required' || code === 'cross_site_request' ? expect.anything() : null,
      hint: expect.any(String),
      request_id: response.headers.get('x-request-id'),
    },
  ])
}

/** What keeps somebody out before the route looks at what was sent. */
const DOORS = [
  'invalid_api_key',
  'insufficient_role',
  'session_required',
  'dashboard_role_required',
  'admin_required',
  'cross_site_request',
  'rate_limited',
]

async function expectEntrance(response: Response): Promise<void> {
  const text = await response.text()
  expect([401, 429, 500, 503]).not.toContain(response.status)
  for (const code of DOORS) expect(text).not.toContain(`"${code}"`)
}

/** An endpoint of this level that changes something, which pages of others may never call. */
function one(level: AuthLevel): Endpoint {
  const found = endpoints.find(
    ({ path, route, ...endpoint }) =>
      endpoint.level === level && route.method === 'post' && wireOf(path) === undefined,
  )
  if (found === undefined) throw new Error(`no endpoint has the level ${level}`)
  return found
}

const KEYED = ['any_key', 'service_role'] as const
const GUARDED = ['session', 'admin'] as const

describe.each(KEYED)('a level %s', level => {
  const endpoint = one(level)

  it('refuses a request without a key', async () => {
    await expectRefusal(await call(endpoint, credentials.nothing), 401, 'invalid_api_key')
  })

  it.each(['', 'svc_sk_short', 'not a key', 'svc_sk_'.padEnd(56, 'A'), 'é'])(
    'refuses the malformed key "%s"',
    async apikey => {
      await expectRefusal(await call(endpoint, { apikey: encodeURI(apikey) }), 401, 'invalid_api_key')
    },
  )

  it('refuses an unknown key of good form, and says no more than for a malformed one', async () => {
    const headers = { apikey: generateKey('service_role'), 'cf-connecting-ip': level }
    await expectRefusal(await call(endpoint, headers), 401, 'invalid_api_key')
  })

  it('refuses a revoked key', async () => {
    const headers = { ...credentials.revoked, 'cf-connecting-ip': level }
    await expectRefusal(await call(endpoint, headers), 401, 'invalid_api_key')
  })

  it('takes no session in place of a key', async () => {
    await expectRefusal(await call(endpoint, credentials.admin), 401, 'invalid_api_key')
  })

  it('lets an anon key through only where any key is enough', async () => {
    const response = await call(endpoint, credentials.anon)
    if (level === 'service_role') await expectRefusal(response, 403, 'insufficient_role')
    else await expectEntrance(response)
  })

  it('lets a service_role key through', async () => {
    const response = await call(endpoint, credentials.service)
    expect(response.headers.get('x-ratelimit-limit')).toBe('10000')
    await expectEntrance(response)
  })
})

describe.each(GUARDED)('a level %s', level => {
  const endpoint = one(level)

  it('refuses a request without a session', async () => {
    const response = await call(endpoint, credentials.nothing)
    expect(response.headers.get('www-authenticate')).toBe('Session')
    await expectRefusal(response, 401, 'session_required')
  })

  it.each([
    ['an empty cookie', 'ory_kratos_session='],
    ['a cookie that is no session', 'ory_kratos_session=garbage'],
    ['cookies of others', 'theme=dark; other=1'],
    ['no cookie syntax', ';;;'],
  ])('refuses %s', async (_name, cookie) => {
    await expectRefusal(await call(endpoint, { cookie }), 401, 'session_required')
  })

  it('refuses a session that was revoked', async () => {
    await expectRefusal(await call(endpoint, credentials.signedOut), 401, 'session_required')
  })

  it('takes no API key in place of a session', async () => {
    const key = { apikey: stack.service_role_key, authorization: `Bearer ${stack.service_role_key}` }
    await expectRefusal(await call(endpoint, key), 401, 'session_required')
  })

  // Whoever registers at the identity provider has a session, and would else read rows by a webhook.
  it('refuses whoever has no role of this deployment', async () => {
    await expectRefusal(await call(endpoint, credentials.stranger), 403, 'dashboard_role_required')
  })

  it("lets a member's session through only where it is enough", async () => {
    const response = await call(endpoint, credentials.member)
    if (level === 'admin') await expectRefusal(response, 403, 'admin_required')
    else await expectEntrance(response)
  })

  it("lets an administrator's session through", async () => {
    await expectEntrance(await call(endpoint, credentials.admin))
  })
})

describe.each(['visitor', ...GUARDED] as const)('a level %s', level => {
  const endpoint = one(level)
  const dashboard = new URL(stack.dashboard_url).origin

  // Cross-site request forgery: the browser sends the session along, whichever page asks.
  it.each([
    ['of another origin', { origin: 'https://evil.test' }],
    ['of another port of this host', { origin: 'http://127.0.0.1:1' }],
    ['of an origin that begins like ours', { origin: `${stack.base_url}.evil.test` }],
    ['in a sandbox', { origin: 'null' }],
    ['that hides its origin', { 'sec-fetch-site': 'cross-site' }],
    ['of a neighbouring host', { 'sec-fetch-site': 'same-site' }],
  ])('refuses a page %s, with an administrator’s session too', async (_name, headers) => {
    const response = await call(endpoint, { ...credentials.admin, ...headers })
    expect([response.status, await response.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'cross_site_request' }),
    ])
  })

  it.each([
    ['its own pages', { origin: new URL(stack.base_url).origin, 'sec-fetch-site': 'same-origin' }],
    ['the dashboard', { origin: dashboard, 'sec-fetch-site': 'same-site' }],
    ['programs that are no browser', {}],
  ])('lets %s through', async (_name, headers) => {
    await expectEntrance(await call(endpoint, { ...credentials.admin, ...headers }))
  })

  it('lets the dashboard read the answer, with cookies, and no other page', async () => {
    const allowed = (await call(endpoint, { origin: dashboard })).headers
    expect(allowed.get('access-control-allow-origin')).toBe(dashboard)
    expect(allowed.get('access-control-allow-credentials')).toBe('true')
    expect(allowed.get('vary')).toContain('Origin')
    for (const origin of ['https://evil.test', 'null', `${dashboard}.evil.test`]) {
      const { headers } = await call(endpoint, { origin })
      expect(headers.get('access-control-allow-origin'), origin).toBeNull()
      expect(headers.get('access-control-allow-credentials'), origin).toBeNull()
      expect(headers.get('vary'), origin).toContain('Origin')
    }
  })

  it('answers the preflight of the dashboard, and of no other page', async () => {
    const preflight = async (origin: string) => {
      const headers = { origin, 'access-control-request-method': 'POST' }
      const url = stack.base_url + fillParams(endpoint.path, () => 'no-such-thing')
      return (await fetch(url, { method: 'OPTIONS', headers })).headers
    }
    const allowed = await preflight(dashboard)
    expect(allowed.get('access-control-allow-origin')).toBe(dashboard)
    expect(allowed.get('access-control-allow-credentials')).toBe('true')
    expect(allowed.get('access-control-allow-methods')).toContain('POST')
    expect((await preflight('https://evil.test')).get('access-control-allow-methods')).toBeNull()
  })
})

/** The strongest credential that each level refuses, and what it says; a visitor's page must be ours. */
const REFUSED: Record<
  Exclude<AuthLevel, 'none' | 'visitor' | 'public'>,
  readonly [keyof typeof credentials, number, string]
> = {
  any_key: ['admin', 401, 'invalid_api_key'],
  service_role: ['anon', 403, 'insufficient_role'],
  session: ['stranger', 403, 'dashboard_role_required'],
  admin: ['member', 403, 'admin_required'],
  internal: ['service', 401, 'invalid_ingest_signature'],
}

describe('each endpoint holds its level', () => {
  it.each(endpoints.map(endpoint => [endpointName(endpoint), endpoint] as const))(
    '%s',
    async (_, endpoint) => {
      const { level, route } = endpoint
      const changes = route.method !== 'get' && route.method !== 'options'
      if (level === 'none' || level === 'public') await expectEntrance(await call(endpoint, {}))
      else if (level === 'visitor') {
        await expectEntrance(await call(endpoint, {}))
        const abroad = await call(endpoint, { 'sec-fetch-site': 'cross-site' })
        expect(abroad.status === 403).toBe(changes)
      } else {
        const [who, status, code] = REFUSED[level]
        const response = await call(endpoint, credentials[who])
        // Wires have shapes of their own; test/unit/http/wires/ looks at them.
        if (wireOf(endpoint.path) !== undefined) expect([400, status]).toContain(response.status)
        else
          expect([response.status, await response.json()]).toEqual([
            status,
            expect.objectContaining({ code }),
          ])
      }
    },
  )
})

describe.each(['/v1/sql', '/v1/sql/transaction', '/v1/keys'])('POST %s', path => {
  it('refuses a body of more than 1 MiB, with the code and before it is parsed', async () => {
    const response = await fetch(stack.base_url + path, {
      method: 'POST',
      headers: { ...credentials.service, 'content-type': 'application/json' },
      body: 'x'.repeat(1024 * 1024 + 1),
    })
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ code: 'payload_too_large', hint: expect.any(String) })
  })
})
