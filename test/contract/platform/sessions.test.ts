// Every route of the dashboard layer with every kind of session and from every kind of page. A new route is in here the
// moment it is declared. What the layer makes of its variables is in test/worker/dashboard-rules.test.ts.

import { beforeAll, describe, expect, inject, it } from 'vitest'
import type { AnyRoute } from '../../../src/http/route.ts'
import { allRoutes } from '../../../src/routes/index.ts'
import { signInAsBrowser } from '../../../stand-ins/identity-server/seeds.ts'
import { makePerson, type Person } from '../../support/applications.ts'

const stack = inject('stack')
const dashboardRoutes = allRoutes.filter(({ path }) => path.startsWith('/api/'))
const nameOf = (route: AnyRoute) => `${route.method.toUpperCase()} ${route.path}`
const named = (routes: readonly AnyRoute[]) => routes.map(route => [nameOf(route), route] as const)

/** What keeps somebody out before the route looks at what was sent. */
const DOORS = [
  'session_required',
  'second_factor_required',
  'dashboard_role_required',
  'admin_required',
  'cross_site_request',
  'rate_limited',
]

const admin = { cookie: stack.session_cookie_admin ?? '' }
let member: { cookie: string }
let stranger: { cookie: string }
let revoked: { cookie: string }

beforeAll(async () => {
  member = { cookie: await signIn(await makePerson({ role: 'member' })) }
  stranger = { cookie: await signIn(await makePerson({})) }
  revoked = { cookie: await signIn(await makePerson({ role: 'member' })) }
  await endSession(revoked.cookie)
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
function call(route: AnyRoute, headers: Record<string, string>): Promise<Response> {
  const path = `${route.path.replace(/:\w+/g, 'no-such-thing')}?no_such_parameter=1`
  const hasBody = route.method !== 'get' && route.method !== 'delete'
  return fetch(stack.base_url + path, {
    method: route.method.toUpperCase(),
    headers: { 'content-type': 'application/json', 'cf-connecting-ip': addressOf(route), ...headers },
    redirect: 'manual',
    ...(hasBody ? { body: '{"no_such_field":1}' } : {}),
  })
}

/** One for each route: together they would use up the allowance of one. */
function addressOf(route: AnyRoute): string {
  return `203.0.113.${dashboardRoutes.indexOf(route)}`
}

async function expectRefusal(response: Response, status: number, code: string): Promise<void> {
  expect([response.status, await response.json()]).toEqual([
    status,
    expect.objectContaining({
      code,
      hint: expect.any(String),
      request_id: response.headers.get('x-request-id'),
    }),
  ])
}

async function expectEntrance(response: Response): Promise<void> {
  const text = await response.text()
  expect([401, 429, 500, 503]).not.toContain(response.status)
  for (const code of DOORS) expect(text).not.toContain(`"${code}"`)
}

const guarded = dashboardRoutes.filter(({ auth }) => auth === 'session' || auth === 'admin')

describe.each(named(guarded))('%s', (_, route) => {
  it('refuses a request without a session', async () => {
    const response = await call(route, {})
    expect(response.headers.get('www-authenticate')).toBe('Session')
    await expectRefusal(response, 401, 'session_required')
  })

  it.each([
    ['an empty cookie', 'ory_kratos_session='],
    ['a cookie that is no session', 'ory_kratos_session=garbage'],
    ['cookies of others', 'theme=dark; other=1'],
    ['no cookie syntax', ';;;'],
  ])('refuses %s', async (_name, cookie) => {
    await expectRefusal(await call(route, { cookie }), 401, 'session_required')
  })

  it('refuses a session that was revoked', async () => {
    await expectRefusal(await call(route, revoked), 401, 'session_required')
  })

  it('takes no API key in place of a session', async () => {
    const key = { apikey: stack.service_role_key, authorization: `Bearer ${stack.service_role_key}` }
    await expectRefusal(await call(route, key), 401, 'session_required')
  })

  // Whoever registers at the identity provider has a session, and would else read rows by a webhook.
  it('refuses whoever has no role of this deployment', async () => {
    await expectRefusal(await call(route, stranger), 403, 'dashboard_role_required')
  })

  it("lets a member's session through only where it is enough", async () => {
    const response = await call(route, member)
    if (route.auth === 'admin') await expectRefusal(response, 403, 'admin_required')
    else await expectEntrance(response)
  })

  it("lets an administrator's session through", async () => {
    await expectEntrance(await call(route, admin))
  })
})

const changing = dashboardRoutes.filter(({ method }) => method !== 'get')

// Cross-site request forgery: the browser sends the session along, whichever page asks.
describe.each(named(changing))('%s', (_, route) => {
  it.each([
    ['of another origin', { origin: 'https://evil.test' }],
    ['of another port of this host', { origin: 'http://127.0.0.1:1' }],
    ['of an origin that begins like ours', { origin: `${stack.base_url}.evil.test` }],
    ['in a sandbox', { origin: 'null' }],
    ['that hides its origin', { 'sec-fetch-site': 'cross-site' }],
    ['of a neighbouring host', { 'sec-fetch-site': 'same-site' }],
  ])('refuses a page %s, with an administrator’s session too', async (_name, headers) => {
    await expectRefusal(await call(route, { ...admin, ...headers }), 403, 'cross_site_request')
  })

  it.each([
    ['its own pages', { origin: new URL(stack.base_url).origin, 'sec-fetch-site': 'same-origin' }],
    ['the dashboard', { origin: new URL(stack.dashboard_url).origin, 'sec-fetch-site': 'same-site' }],
    ['programs that are no browser', {}],
  ])('lets %s through', async (_name, headers) => {
    await expectEntrance(await call(route, { ...admin, ...headers }))
  })
})

describe.each(named(dashboardRoutes))('%s', (_, route) => {
  const dashboard = new URL(stack.dashboard_url).origin

  it('lets the dashboard read the answer, with cookies, and no other page', async () => {
    const allowed = (await call(route, { origin: dashboard })).headers
    expect(allowed.get('access-control-allow-origin')).toBe(dashboard)
    expect(allowed.get('access-control-allow-credentials')).toBe('true')
    expect(allowed.get('vary')).toContain('Origin')
    for (const origin of ['https://evil.test', 'null', `${dashboard}.evil.test`]) {
      const { headers } = await call(route, { origin })
      expect(headers.get('access-control-allow-origin'), origin).toBeNull()
      expect(headers.get('access-control-allow-credentials'), origin).toBeNull()
      expect(headers.get('vary'), origin).toContain('Origin')
    }
  })

  it('answers the preflight of the dashboard, and of no other page', async () => {
    const preflight = async (origin: string) => {
      const path = route.path.replace(/:\w+/g, 'no-such-thing')
      const ask = { origin, 'access-control-request-method': route.method.toUpperCase() }
      return (await fetch(stack.base_url + path, { method: 'OPTIONS', headers: ask })).headers
    }
    const allowed = await preflight(dashboard)
    expect(allowed.get('access-control-allow-origin')).toBe(dashboard)
    expect(allowed.get('access-control-allow-credentials')).toBe('true')
    expect(allowed.get('access-control-allow-methods')).toContain(route.method.toUpperCase())
    expect((await preflight('https://evil.test')).get('access-control-allow-methods')).toBeNull()
  })
})
