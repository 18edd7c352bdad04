// Opaque access tokens beside an API key: what introspection says of them reaches row-level security, and nothing
// that is not a good access token of a client of ours does. The OAuth2 server here says what a test wants.

import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { makeKey } from '../support/keys.ts'
import { connectOwner } from '../support/postgres.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const TABLE = 'opaque_token_notes'
const PUBLIC_URL = 'http://oauth.test'
const ADMIN_URL = 'http://oauth-admin.test'
const OWNER = 'quoin'

let quoin: TestWorker
let withoutServer: TestWorker
let anonKey: string
let signingKey: CryptoKey
let jwks: object
/** The server's answers to introspection, by token. */
const answers = new Map<string, () => Response>()
/** What revokes the tokens of a person at a client. */
let revoke = () => {}
const OWNERS: Readonly<Record<string, string>> = { app: OWNER, foreign: 'somebody else' }
const asked: string[] = []

beforeAll(async () => {
  await using owner = await connectOwner()
  await owner.query(`create table public.${TABLE} (id int primary key, owner_id text);
    alter table public.${TABLE} enable row level security;
    create policy own on public.${TABLE} to anon using (owner_id = quoin.uid());
    grant select on public.${TABLE} to anon;
    insert into public.${TABLE} values (1, 'alice'), (2, 'bob'), (3, 'bob');
    create function public.${TABLE}_claims() returns jsonb language sql stable as 'select quoin.claims()';
    grant execute on function public.${TABLE}_claims() to anon`)
  const pair = await generateKeyPair('ES256', { extractable: true })
  signingKey = pair.privateKey
  jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] }
  const vars = { OAUTH_PUBLIC_URL: PUBLIC_URL, OAUTH_CLIENT_OWNER: OWNER, DATA_AUDIENCE: 'data' }
  // The first interceptor is the last to be put back: one after the other.
  withoutServer = await startTestWorker({ vars: { ...vars, OAUTH_ADMIN_URL: '' } })
  quoin = await startTestWorker({
    vars: { ...vars, OAUTH_ADMIN_URL: ADMIN_URL, OAUTH_ADMIN_TOKEN: 'gateway' },
    outbound(request) {
      if (request.url.startsWith(ADMIN_URL)) return oauthServer(request)
      return request.url.startsWith(PUBLIC_URL) ? Response.json(jwks) : undefined
    },
  })
  anonKey = (await makeKey('anon', { rateLimitPerMinute: 100_000 })).key
})

afterAll(async () => {
  await quoin?.close()
  await withoutServer?.close()
  await using owner = await connectOwner()
  await owner.query(`drop function if exists public.${TABLE}_claims; drop table if exists public.${TABLE}`)
})

beforeEach(() => {
  asked.length = 0
})

async function oauthServer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  asked.push(pathname)
  if (request.headers.get('authorization') !== 'Bearer gateway') return new Response('', { status: 401 })
  if (pathname === '/admin/oauth2/introspect') {
    const token = new URLSearchParams(await request.text()).get('token') ?? ''
    return answers.get(token)?.() ?? Response.json({ active: false })
  }
  if (request.method === 'DELETE' && pathname === '/admin/oauth2/auth/sessions/consent') {
    revoke()
    return new Response(null, { status: 204 })
  }
  const clientId = pathname.replace('/admin/clients/', '')
  const owner = OWNERS[clientId]
  if (owner === undefined)
    return Response.json({ error: 'Not Found', error_description: '' }, { status: 404 })
  return Response.json({ client_id: clientId, owner })
}

let lastToken = 0
/** A token for which introspection gives this answer. */
function tokenThat(answer: () => Response): string {
  const token = `ory_at_${++lastToken}.abc`
  answers.set(token, answer)
  return token
}

/** A good token, but for the changes. */
function tokenOf(sub: string, change: object = {}): string {
  const seconds = Math.floor(Date.now() / 1_000)
  return tokenThat(() =>
    Response.json({
      active: true,
      sub,
      client_id: 'app',
      scope: 'openid notes',
      exp: seconds + 600,
      iat: seconds,
      aud: ['data'],
      iss: PUBLIC_URL,
      token_type: 'Bearer',
      token_use: 'access_token',
      ext: { tenant: 'acme' },
      ...change,
    }),
  )
}

function read(token: string, worker = quoin, path = `${TABLE}?select=id&order=id`): Promise<Response> {
  return worker.fetch(`/v1/db/${path}`, { headers: { apikey: anonKey, authorization: `Bearer ${token}` } })
}

async function outcome(response: Response): Promise<[number, unknown]> {
  const body = (await response.json()) as { code?: string }
  return [response.status, response.ok ? body : body.code]
}

describe('a good opaque token', () => {
  it('shows its user their own rows', async () => {
    expect(await outcome(await read(tokenOf('alice')))).toEqual([200, [{ id: 1 }]])
    expect(await outcome(await read(tokenOf('bob')))).toEqual([200, [{ id: 2 }, { id: 3 }]])
  })

  // The key alone decides the role, whatever the consent step or the server put into the token.
  it('gives policies its claims, with the key’s role', async () => {
    const token = tokenOf('alice', { role: 'service_role', ext: { tenant: 'acme', role: 'service_role' } })
    const response = await quoin.fetch(`/v1/db/rpc/${TABLE}_claims`, {
      method: 'POST',
      headers: { apikey: anonKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(await response.json()).toEqual({
      sub: 'alice',
      client_id: 'app',
      scope: 'openid notes',
      exp: expect.any(Number),
      iat: expect.any(Number),
      aud: ['data'],
      iss: PUBLIC_URL,
      ext: { tenant: 'acme', role: 'service_role' },
      tenant: 'acme',
      role: 'anon',
    })
  })

  it('counts no longer at once when it was revoked through the same isolate', async () => {
    let isRevoked = false
    const good = tokenOf('alice')
    const token = tokenThat(() =>
      isRevoked ? Response.json({ active: false }) : (answers.get(good)?.() ?? Response.error()),
    )
    revoke = () => {
      isRevoked = true
    }
    expect((await read(token)).status).toBe(200)
    const revocation = await quoin.fetch('/api/oauthsrv/revoke', {
      method: 'POST',
      headers: { cookie: inject('stack').session_cookie_user ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    expect([revocation.status, await revocation.json()]).toMatchObject([200, { revoked: true }])
    expect(await outcome(await read(token))).toEqual([401, 'invalid_access_token'])
  })

  it('is asked about once for many calls, and again soon enough to notice that it was revoked', async () => {
    let isRevoked = false
    const good = tokenOf('alice')
    const token = tokenThat(() => {
      if (isRevoked) return Response.json({ active: false })
      return answers.get(good)?.() ?? Response.error()
    })
    for (let sent = 0; sent < 20; sent++) expect((await read(token)).status).toBe(200)
    expect(asked.filter(path => path === '/admin/oauth2/introspect')).toHaveLength(1)
    isRevoked = true
    await vi.waitFor(
      async () => expect(await outcome(await read(token))).toEqual([401, 'invalid_access_token']),
      { timeout: 30_000, interval: 500 },
    )
  })
})

describe('what is no good opaque token is 401 and never falls back to anonymous', () => {
  it.each<[string, () => string]>([
    ['nonsense', () => 'nonsense'],
    ['a token that is not active', () => tokenThat(() => Response.json({ active: false }))],
    ['a refresh token', () => tokenOf('alice', { token_use: 'refresh_token' })],
    ['a token for another audience', () => tokenOf('alice', { aud: ['elsewhere'] })],
    ['a token of a client that is gone', () => tokenOf('alice', { client_id: 'gone' })],
    ["a token of another owner's client", () => tokenOf('alice', { client_id: 'foreign' })],
    ['a token of nobody', () => tokenOf('')],
  ])('%s', async (_, token) => {
    expect(await outcome(await read(token()))).toEqual([401, 'invalid_access_token'])
  })

  it('any, where the deployment has no OAUTH_ADMIN_URL', async () => {
    expect(await outcome(await read(tokenOf('alice'), withoutServer))).toEqual([401, 'invalid_access_token'])
    expect(asked).toEqual([])
  })
})

describe('a JWT access token', () => {
  const jwtOf = (clientId: string) =>
    new SignJWT({ client_id: clientId, scp: ['notes'], aud: ['data'] })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(PUBLIC_URL)
      .setSubject('alice')
      .setExpirationTime('5m')
      .sign(signingKey)

  it.each([
    ['of a client of ours', 'app', 200],
    ["of another owner's client", 'foreign', 401],
    ['of a client that is gone', 'gone', 401],
  ])('%s is held to the same owner', async (_, clientId, status) => {
    expect((await read(await jwtOf(clientId))).status).toBe(status)
  })
})

describe('an OAuth2 server that cannot be asked is 502, which says nothing about the token', () => {
  it.each<[string, () => Response, string]>([
    ['a 500', () => new Response('oops', { status: 500 }), 'upstream_unavailable'],
    ['a cut connection', () => Response.error(), 'upstream_unavailable'],
    ['a page in place of JSON', () => new Response('<html>'), 'upstream_invalid_answer'],
    ["a gateway's 403", () => new Response('<html>', { status: 403 }), 'upstream_misconfigured'],
    ['a wrong address', () => new Response('404 page not found', { status: 404 }), 'upstream_invalid_answer'],
  ])('%s', async (_, answer, code) => {
    expect(await outcome(await read(tokenThat(answer)))).toEqual([502, code])
  })
})
