// What the bridge makes of an OAuth2 server and an identity provider that are down, slow, or somebody else, and of its
// own variables: in the real bundle, with servers that say what a test wants.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const OAUTH_ADMIN_URL = 'http://oauth-admin.test'
const IDENTITY_URL = 'http://identity.test'
const BRIDGE = '/api/oauthsrv/bridge'
const CHALLENGE = 'the-secret-challenge'
const ADA = '0d6a9b0e-6f39-4f0e-8a55-3f9d1f6d9a01'
const HTML = () =>
  new Response('<html><body>nginx</body></html>', { headers: { 'content-type': 'text/html' } })
const LIMIT = 3

type Answer = () => Response | Promise<Response>
let oauth: Answer
let identity: Answer
let quoin: TestWorker

const REQUEST = {
  subject: ADA,
  skip: false,
  requested_scope: ['openid'],
  requested_access_token_audience: [],
  request_url: 'https://oauth.example/oauth2/auth?client_id=app',
  client: { client_id: 'app', client_name: 'Web Shop', logo_uri: 'https://cdn.example/logo.png' },
}
const SESSION = {
  id: 's',
  active: true,
  authenticated_at: '2026-01-01T00:00:00Z',
  identity: { id: ADA, traits: { email: 'ada@example.com' } },
}

beforeAll(async () => {
  quoin = await startTestWorker({
    vars: {
      OAUTH_ADMIN_URL,
      OAUTH_ADMIN_TOKEN: 'the-admin-token',
      IDENTITY_PUBLIC_URL: IDENTITY_URL,
      IDENTITY_ADMIN_URL: '',
      UPSTREAM_TIMEOUT_MS: '2000',
      BASE_URL: 'https://quoin.example',
      CONSENT_RATE_LIMIT_PER_MINUTE: String(LIMIT),
      BRAND_NAME: 'Sunny & Sons',
      BRAND_COLOR: '#ffb400',
      BRAND_LOGO_URL: 'https://sunny.example/logo.svg',
    },
    outbound: request => {
      if (request.url.startsWith(OAUTH_ADMIN_URL)) return oauth()
      return request.url.startsWith(IDENTITY_URL) ? identity() : undefined
    },
  })
})
afterAll(() => quoin?.close())
beforeEach(() => {
  oauth = () => Response.json(REQUEST)
  identity = () => Response.json(SESSION)
})

let lastAddress = 0
const get = (path: string, accept = 'text/html') =>
  quoin.fetch(`${BRIDGE}/${path}`, {
    redirect: 'manual',
    headers: { accept, cookie: 'ory_kratos_session=x', 'cf-connecting-ip': `203.0.113.${++lastAddress}` },
  })

describe.each(['login', 'consent', 'logout'])('GET bridge/%s', kind => {
  const path = `${kind}?${kind}_challenge=${CHALLENGE}`

  it.each<[string, Answer, number, string]>([
    ['answers a page in place of JSON', HTML, 502, 'upstream_invalid_answer'],
    [
      'is another server',
      () => new Response('404 page not found', { status: 404 }),
      502,
      'upstream_invalid_answer',
    ],
    [
      'refuses our token',
      () => Response.json({ error: 'no' }, { status: 401 }),
      502,
      'upstream_misconfigured',
    ],
    ['fails', () => new Response('', { status: 500 }), 502, 'upstream_unavailable'],
    ['cuts the connection', () => Response.error(), 502, 'upstream_unavailable'],
  ])('is an error page, and JSON for scripts, when the OAuth2 server %s', async (_, answer, status, code) => {
    oauth = answer
    const page = await get(path)
    expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
    const html = await page.text()
    expect(html).toContain(`${code} · ${page.headers.get('x-request-id')}`)
    // The one link is the way to try again; our token and the server's address are nobody's business.
    expect(html).not.toMatch(/the-admin-token|oauth-admin\.test/)
    const script = await get(path, '*/*')
    expect([script.status, ((await script.json()) as { code: string }).code]).toEqual([status, code])
  })
})

describe.each(['login', 'consent'])('GET bridge/%s', kind => {
  it.each<[string, Answer, string]>([
    ['answers a page', HTML, 'upstream_invalid_answer'],
    ['fails', () => new Response('', { status: 503 }), 'upstream_unavailable'],
    ['says 403 by a gateway', () => new Response('no', { status: 403 }), 'upstream_misconfigured'],
  ])('lets nobody through when the identity provider %s', async (_, answer, code) => {
    identity = answer
    const response = await get(`${kind}?${kind}_challenge=${CHALLENGE}`, '*/*')
    expect([response.status, await response.json()]).toEqual([502, expect.objectContaining({ code })])
  })
})

it('gives up a server that does not answer in time', async () => {
  let release = () => {}
  const held = new Promise<Response>(resolve => {
    release = () => resolve(new Response(''))
  })
  oauth = () => held
  const page = await get(`login?login_challenge=${CHALLENGE}`)
  release()
  expect(page.status).toBe(502)
  expect(await page.text()).toContain('Sign-in does not work just now')
})

it('asks for what is not configured by its name', async () => {
  await using bare = await startTestWorker({ vars: { OAUTH_ADMIN_URL: '', IDENTITY_PUBLIC_URL: '' } })
  const status = await (await bare.fetch(`${BRIDGE}/status`)).json()
  expect(status).toMatchObject({
    oauth_server_configured: false,
    identity_configured: false,
    bridge_ready: false,
  })
  const login = await bare.fetch(`${BRIDGE}/login?login_challenge=${CHALLENGE}`)
  expect([login.status, await login.json()]).toEqual([
    501,
    expect.objectContaining({ code: 'not_configured', error: expect.stringContaining('OAUTH_ADMIN_URL') }),
  ])
})

it('dresses its pages as the deployment says, and loads nothing but logos', async () => {
  const page = await get(`consent?consent_challenge=${CHALLENGE}`)
  const html = await page.text()
  expect(html).toContain('Sunny &amp; Sons')
  expect(html).toContain('--brand: #ffb400')
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain('img-src https://sunny.example https://cdn.example;')
  expect(policy).not.toMatch(/unsafe|\*/)
  // Over https cookies are bound to the host.
  for (const cookie of page.headers.getSetCookie()) expect(cookie).toMatch(/^__Host-quoin_.*; Secure$/)
})

// Codes of devices could be guessed, and consent screens be hammered.
it('counts decisions by address, more strictly than other calls', async () => {
  const address = { 'cf-connecting-ip': '203.0.113.250' }
  const decide = (path: string) =>
    quoin.fetch(`${BRIDGE}/${path}`, {
      method: 'POST',
      headers: { ...address, 'content-type': 'application/json' },
      body: '{}',
    })
  const paths = ['consent/accept', 'consent/reject', 'device']
  for (const path of paths) expect((await decide(path)).status).toBe(400)
  const refused = await decide('logout/accept')
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await quoin.fetch(`${BRIDGE}/status`, { headers: address })).status).toBe(200)
})
