// Introspection, revocation and flush over HTTP, with real tokens of real flows through the bridge.

import { createHash, randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { Flush } from '../../../src/features/oauth/tokens/schemas.ts'
import {
  CALLBACK,
  callTokenEndpoint,
  codeFlow,
  dashboard,
  introspect,
  newBrowser,
  registerClient,
  type Tokens,
  tokensFor,
} from '../../support/applications.ts'
import { connectOwner } from '../../support/postgres.ts'
import { call, deleteMadeClients, machineToken, makeClient } from './caller.ts'

const { session_cookie_admin, oauth_public_url, oauth_database_url } = inject('stack')

afterAll(deleteMadeClients)

const post = (path: string, body?: unknown) => call('POST', `/api/oauthsrv${path}`, body)
const revoke = async (token: string) => (await post('/revoke', { token })).json
const isActive = async (token: string | undefined) => (await introspect(token ?? ''))['active']

async function tokenOfMachine(fields: Record<string, unknown> = {}) {
  const client = await makeClient(fields)
  const token = String((await machineToken(client.id, client.secret)).json['access_token'])
  return { ...client, token }
}

/** The tokens of a public client, which proves itself by PKCE. */
async function tokensOfPublicClient(): Promise<Tokens> {
  const client = await registerClient({
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  })
  const verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  const { url } = await codeFlow({
    client,
    scope: 'openid offline_access',
    more: { code_challenge, code_challenge_method: 'S256' },
  })
  const response = await fetch(`${oauth_public_url}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: url.searchParams.get('code') ?? '',
      redirect_uri: CALLBACK,
      client_id: client.client_id,
      code_verifier: verifier,
    }),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Tokens
}

describe('POST /api/oauthsrv/introspect', () => {
  it("gives exactly the specification's eight fields of a machine's token", async () => {
    const { id, token } = await tokenOfMachine()
    const { status, json } = await post('/introspect', { token })
    expect(status).toBe(200)
    const now = Date.now() / 1_000
    expect(json).toEqual({
      active: true,
      sub: id,
      client_id: id,
      scope: 'read',
      exp: expect.closeTo(now + 3_600, -2),
      iat: expect.closeTo(now, -2),
      token_type: 'Bearer',
      token_use: 'access_token',
    })
  })

  it("knows a person's access and refresh token, and shows nothing of the claims in them", async () => {
    const [client, browser] = [await registerClient(), await newBrowser()]
    const tokens = await tokensFor({ client, browser, scope: 'openid offline_access' })
    const expected = {
      active: true,
      sub: browser.person.id,
      client_id: client.client_id,
      scope: 'openid offline_access',
    }
    const access = (await post('/introspect', { token: tokens.access_token })).json
    expect(access).toMatchObject({ ...expected, token_use: 'access_token' })
    expect(Object.keys(access).sort()).toEqual(
      'active client_id exp iat scope sub token_type token_use'.split(' '),
    )
    const refresh = (await post('/introspect', { token: tokens.refresh_token })).json
    expect(refresh).toMatchObject({ ...expected, token_use: 'refresh_token' })
  })

  it.each(['garbage', 'ory_at_AAAA.BBBB', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.aaaa', 'a b&c=d'])(
    'says only that %j is inactive',
    async token => {
      const { status, json } = await post('/introspect', { token })
      expect([status, json]).toEqual([200, { active: false }])
    },
  )

  it.each(['/introspect', '/revoke'])('refuses bad input at %s', async path => {
    for (const body of [
      {},
      { token: '' },
      { token: 7 },
      { token: 'x', scope: 'y' },
      [],
      { token: 'x'.repeat(16_385) },
    ]) {
      const { status, json } = await post(path, body)
      expect([status, json['code']], JSON.stringify(body).slice(0, 50)).toEqual([400, 'validation_failed'])
    }
  })
})

describe('POST /api/oauthsrv/revoke', () => {
  it("ends exactly the grant of a person's token: its refresh token too, and no other grant", async () => {
    const [client, browser] = [await registerClient(), await newBrowser()]
    const flow = { client, browser, scope: 'openid offline_access' }
    const [ended, other] = [await tokensFor(flow), await tokensFor(flow)]
    expect(await revoke(ended.access_token)).toEqual({ revoked: true, scope: 'grant' })
    expect(await Promise.all([ended.access_token, ended.refresh_token].map(isActive))).toEqual([false, false])
    expect(await Promise.all([other.access_token, other.refresh_token].map(isActive))).toEqual([true, true])
  })

  it('ends the grant by its refresh token as well', async () => {
    const tokens = await tokensFor({ client: await registerClient(), scope: 'openid offline_access' })
    expect(await revoke(tokens.refresh_token ?? '')).toEqual({ revoked: true, scope: 'grant' })
    expect(await isActive(tokens.access_token)).toBe(false)
  })

  // As after a rotation of the key, but of this one client: the server no longer reads the JWT, and /v1 takes it.
  it('ends the grant of a JWT that the server calls inactive and the public keys verify', async () => {
    const client = await registerClient({ access_token_strategy: 'jwt' })
    const [tokens, other] = [
      await tokensFor({ client, scope: 'openid offline_access' }),
      await tokensFor({ client, scope: 'openid offline_access' }),
    ]
    await dashboard('PATCH', `/clients/${client.client_id}/token-config`, { access_token_strategy: 'opaque' })
    expect(await isActive(tokens.access_token)).toBe(false)
    expect(await isActive(tokens.refresh_token)).toBe(true)
    const [header, payload, signature = ''] = tokens.access_token.split('.')
    const forged = [header, payload, signature.replace(/^./, first => (first === 'A' ? 'B' : 'A'))].join('.')
    expect(await revoke(forged)).toEqual({ revoked: false, scope: 'none' })
    expect(await revoke(tokens.access_token)).toEqual({ revoked: true, scope: 'grant' })
    expect(await Promise.all([tokens.refresh_token, other.refresh_token].map(isActive))).toEqual([
      false,
      true,
    ])
  })

  it('ends the token of a public client', async () => {
    const tokens = await tokensOfPublicClient()
    expect(await revoke(tokens.access_token)).toEqual({ revoked: true, scope: 'grant' })
    expect(await isActive(tokens.refresh_token)).toBe(false)
  })

  it.each(['opaque', 'jwt'])(
    "ends a machine's %s token with the client's others, and says so",
    async strategy => {
      const { id, secret, token } = await tokenOfMachine({
        access_token_strategy: strategy === 'jwt' ? 'jwt' : undefined,
      })
      const other = String((await machineToken(id, secret)).json['access_token'])
      expect(await revoke(token)).toEqual({ revoked: true, scope: 'client' })
      expect(await Promise.all([token, other].map(isActive))).toEqual([false, false])
    },
  )

  it('is no error for a token that is not active, the second time too', async () => {
    const { token } = await tokenOfMachine()
    await revoke(token)
    for (const inactive of [token, 'garbage']) {
      const { status, json } = await post('/revoke', { token: inactive })
      expect([status, json]).toEqual([200, { revoked: false, scope: 'none' }])
    }
  })

  it('is written down with its scope, and without the token', async () => {
    const { id, token } = await tokenOfMachine()
    await revoke(token)
    await using db = await connectOwner()
    const { rows } = await db.query(
      "select * from quoin.audit_logs where action = 'tokens.revoke' and target_id = $1",
      [id],
    )
    expect(rows).toMatchObject([{ outcome: 'succeeded', after: { scope: 'client', subject: id } }])
    expect(JSON.stringify(rows)).not.toContain(token)
  })
})

/**
 * Flushing is SQL on Hydra's tables: a local server must have them, by name and column, and its database must be
 * there.
 */
async function hasTokenTables(): Promise<boolean> {
  if (oauth_database_url === null) return false
  const db = new Client({ connectionString: oauth_database_url })
  await db.connect()
  const { rows } = await db.query("select to_regclass('public.hydra_oauth2_access') is not null as is_there")
  await db.end()
  return rows[0].is_there
}

describe.runIf(await hasTokenTables())('POST /api/oauthsrv/flush', () => {
  const flush = () => call('POST', '/api/oauthsrv/flush', undefined, { cookie: session_cookie_admin ?? '' })

  it('deletes tokens that have expired, counts them, and leaves those that live', async () => {
    const { id, secret, token } = await tokenOfMachine({ access_token_ttl: 1 })
    // Its one second, and two more than that for whatever rounds it. It cannot be asked: it may have expired by then.
    const endsAt = Date.now() + 3_000
    const alive = await tokenOfMachine()
    await expect.poll(() => Date.now()).toBeGreaterThan(endsAt)
    const { status, json } = await flush()
    expect(status).toBe(200)
    const counts = Flush.strict().parse(json)
    expect(counts).toMatchObject({ source: 'database', complete: true })
    expect(counts.access_tokens).toBeGreaterThanOrEqual(1)
    expect(await Promise.all([token, alive.token].map(isActive))).toEqual([false, true])
    expect((await machineToken(id, secret)).status).toBe(200)
  })

  it('leaves a rotated-out refresh token of a living grant, so that its reuse still ends the grant', async () => {
    const client = await registerClient()
    const first = await tokensFor({ client, scope: 'openid offline_access' })
    const refresh = (refresh_token = '') =>
      callTokenEndpoint(client, { grant_type: 'refresh_token', refresh_token })
    const second = (await (await refresh(first.refresh_token)).json()) as Tokens
    await flush()
    expect(await isActive(second.refresh_token)).toBe(true)
    expect((await refresh(first.refresh_token)).status).toBe(400)
    expect(await isActive(second.refresh_token)).toBe(false)
  })
})
