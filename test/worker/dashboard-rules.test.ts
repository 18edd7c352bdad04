// What the dashboard layer makes of its variables and of whatever the identity provider answers: in the real bundle,
// with an identity provider that says what a test wants.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const IDENTITY_URL = 'http://identity.test'
const DASHBOARD_URL = 'https://dashboard.test'
const LIMIT = 5
/** Any session may read here, and nothing but the database is asked. */
const SESSION_PATH = '/api/oauthsrv/claims-config'
/** For administrators; its checks come before anything is looked at, so an empty body shows who has passed them. */
const ADMIN_PATH = '/api/oauthsrv/keys'

let quoin: TestWorker
/** The provider's answer, by the value of the session cookie; none: 401, as for nobody. */
const answers = new Map<string, () => Response | Promise<Response>>()
const asked: Request[] = []

async function identityProvider(request: Request): Promise<Response> {
  asked.push(request)
  const cookie = /ory_kratos_session=([^;]*)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''
  return (await answers.get(cookie)?.()) ?? Response.json({ error: { code: 401 } }, { status: 401 })
}

beforeAll(async () => {
  quoin = await startTestWorker({
    vars: {
      IDENTITY_PUBLIC_URL: IDENTITY_URL,
      UPSTREAM_TIMEOUT_MS: '2000',
      DASHBOARD_URL,
      API_RATE_LIMIT_PER_MINUTE: String(LIMIT),
      DASHBOARD_ROLES: 'staff, support',
      ADMIN_IDENTITY_IDS: 'the-boss, her-deputy',
    },
    outbound: request => (request.url.startsWith(IDENTITY_URL) ? identityProvider(request) : undefined),
  })
})

afterAll(async () => {
  await quoin?.close()
})

let lastAddress = 0
/** An address that nobody has called from: each has an allowance of its own. */
const freshAddress = () => `198.51.100.${++lastAddress}`

interface Call {
  method?: string
  session?: string
  address?: string
  headers?: Record<string, string>
}

function call(path: string, { method = 'GET', session, address = freshAddress(), headers }: Call = {}) {
  const cookie: Record<string, string> =
    session === undefined ? {} : { cookie: `theme=dark; ory_kratos_session=${session}` }
  return quoin.fetch(path, { method, headers: { 'cf-connecting-ip': address, ...cookie, ...headers } })
}

async function outcome(response: Response): Promise<[number, string | undefined]> {
  const { code } = (await response.json()) as { code?: string }
  return [response.status, code]
}

function sessionOf(identity: object, more: object = {}): Response {
  return Response.json({ id: 's', active: true, identity: { id: 'ada', ...identity }, ...more })
}

let lastSession = 0
/** A cookie's value for which the provider gives this answer. */
function sessionThat(answer: () => Response | Promise<Response>): string {
  const value = `session-${++lastSession}`
  answers.set(value, answer)
  return value
}

describe('API_RATE_LIMIT_PER_MINUTE', () => {
  it('lets exactly that many requests of an address in, however many come at once', async () => {
    const address = freshAddress()
    const responses = await Promise.all(
      Array.from({ length: 3 * LIMIT }, () => call(SESSION_PATH, { address })),
    )
    const refused = responses.filter(response => response.status === 429)
    expect(refused).toHaveLength(2 * LIMIT)
    for (const response of refused) {
      const retryAfter = Number(response.headers.get('retry-after'))
      expect(retryAfter).toBeGreaterThanOrEqual(1)
      expect(retryAfter).toBeLessThanOrEqual(60)
      expect(await outcome(response)).toEqual([429, 'rate_limited'])
    }
  })

  it('counts routes without a session with the others, and lets a refused page be read by the dashboard', async () => {
    const address = freshAddress()
    const headers = { origin: DASHBOARD_URL }
    for (let sent = 0; sent < LIMIT; sent++) await call('/api/oauthsrv/health', { address })
    const response = await call(SESSION_PATH, { address, headers })
    expect(response.status).toBe(429)
    expect(response.headers.get('access-control-allow-origin')).toBe(DASHBOARD_URL)
  })

  it('counts an IPv6 customer’s addresses together, and its neighbour’s apart', async () => {
    for (let sent = 0; sent < LIMIT; sent++) await call(SESSION_PATH, { address: `2001:db8:7:1::${sent}` })
    expect((await call(SESSION_PATH, { address: '2001:db8:7:1:ffff::9' })).status).toBe(429)
    expect((await call(SESSION_PATH, { address: '2001:db8:7:2::1' })).status).toBe(401)
  })

  it('does not count what a foreign page sends: it could use up the allowance of whoever looks at it', async () => {
    const address = freshAddress()
    const foreign = { method: 'POST', address, headers: { origin: 'https://evil.test' } }
    for (let sent = 0; sent < LIMIT; sent++) await call(ADMIN_PATH, foreign)
    expect((await call(SESSION_PATH, { address })).status).toBe(401)
  })
})

describe('DASHBOARD_ROLES and ADMIN_IDENTITY_IDS', () => {
  it.each([
    ['a role of the list', { metadata_public: { role: 'support' } }, 200, 'admin_required'],
    ['no role', {}, 403, 'dashboard_role_required'],
    ['null metadata', { metadata_public: null }, 403, 'dashboard_role_required'],
    ['metadata that is text', { metadata_public: 'staff' }, 403, 'dashboard_role_required'],
    ['another role', { metadata_public: { role: 'guest' } }, 403, 'dashboard_role_required'],
    ['a role only in the traits', { traits: { role: 'staff' } }, 403, 'dashboard_role_required'],
    ['the role admin', { metadata_public: { role: 'admin' } }, 200, 'validation_failed'],
    ['an id of the list', { id: 'her-deputy' }, 200, 'validation_failed'],
  ])('an identity with %s', async (_, identity, status, adminCode) => {
    const session = sessionThat(() => sessionOf(identity))
    expect((await call(SESSION_PATH, { session })).status).toBe(status)
    const [, code] = await outcome(await call(ADMIN_PATH, { method: 'POST', session }))
    expect(code).toBe(adminCode)
  })
})

describe('an odd answer of the identity provider', () => {
  const html = (status: number) => new Response('<html>hello</html>', { status })
  const secondFactor = {
    error: { id: 'session_aal2_required', code: 403 },
    redirect_browser_to: 'http://id/aal2',
  }

  it.each<[string, () => Response | Promise<Response>, number, string]>([
    ['500', () => Response.json({ error: { code: 500 } }, { status: 500 }), 502, 'upstream_unavailable'],
    ['a page with status 200', () => html(200), 502, 'upstream_invalid_answer'],
    ['null', () => Response.json(null), 502, 'upstream_invalid_answer'],
    ['a session of nobody', () => Response.json({ id: 's', active: true }), 502, 'upstream_invalid_answer'],
    ['a 404, as of a wrong address', () => html(404), 502, 'upstream_invalid_answer'],
    ['a redirect', () => Response.redirect('http://elsewhere.test/', 302), 502, 'upstream_invalid_answer'],
    ['a page with status 401', () => html(401), 401, 'session_required'],
    ["a gateway's 403", () => html(403), 502, 'upstream_misconfigured'],
    [
      'a missing second factor',
      () => Response.json(secondFactor, { status: 403 }),
      403,
      'second_factor_required',
    ],
    ['an ended session', () => sessionOf({}, { active: false }), 401, 'session_required'],
    ['a disabled identity', () => sessionOf({ state: 'inactive' }), 401, 'session_required'],
    ['a cut connection', () => Promise.reject(new TypeError('cut')), 502, 'upstream_unavailable'],
  ])('%s', async (_, answer, status, code) => {
    const response = await call(SESSION_PATH, { session: sessionThat(answer) })
    expect(await outcome(response)).toEqual([status, code])
  })

  it('that never comes is given up', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    const response = await call(SESSION_PATH, { session: sessionThat(() => promise) })
    resolve(html(200))
    expect(await outcome(response)).toEqual([502, 'upstream_unavailable'])
    expect(response.headers.get('retry-after')).not.toBeNull()
  })

  it('leads to the page of the second factor', async () => {
    const session = sessionThat(() => Response.json(secondFactor, { status: 403 }))
    expect(await (await call(SESSION_PATH, { session })).json()).toMatchObject({ detail: 'http://id/aal2' })
  })
})

describe('the identity provider', () => {
  it('is given the cookies and nothing else that a caller sends: the rest would count before them', async () => {
    const session = sessionThat(() => sessionOf({ metadata_public: { role: 'staff' } }))
    const headers = {
      authorization: 'Bearer stolen',
      'x-session-token': 'stolen',
      'x-forwarded-for': '192.0.2.9',
    }
    await call(SESSION_PATH, { session, headers })
    const request = asked.at(-1)
    expect(request?.url).toBe(`${IDENTITY_URL}/sessions/whoami`)
    expect(request?.headers.get('cookie')).toBe(`theme=dark; ory_kratos_session=${session}`)
    for (const name of Object.keys(headers)) expect(request?.headers.has(name), name).toBe(false)
  })

  it('is asked once for many calls, and again soon enough to notice that a session has ended', async () => {
    let isRevoked = false
    const session = sessionThat(() =>
      isRevoked
        ? Response.json({ error: { code: 401 } }, { status: 401 })
        : sessionOf({ metadata_public: { role: 'staff' } }),
    )
    const askedBefore = asked.length
    for (let sent = 0; sent < 20; sent++) expect((await call(SESSION_PATH, { session })).status).toBe(200)
    expect(asked.length - askedBefore).toBe(1)
    isRevoked = true
    await vi.waitFor(
      async () =>
        expect(await outcome(await call(SESSION_PATH, { session }))).toEqual([401, 'session_required']),
      { timeout: 30_000, interval: 500 },
    )
  })
})
