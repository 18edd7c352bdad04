// What an administrator's settings do to real tokens: lifetimes, strategies, pairwise subjects, claims, keys, secrets.

import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { describe, expect, inject, it } from 'vitest'
import {
  CALLBACK,
  callTokenEndpoint,
  dashboard,
  introspect,
  newBrowser,
  OTHER_CALLBACK,
  registerClient,
  type Tokens,
  tokensFor,
} from '../../support/applications.ts'

const stack = inject('stack')

function lifetimeSeconds(jwt: string | undefined): number {
  const { exp = 0, iat = 0 } = decodeJwt(jwt ?? '')
  return exp - iat
}

async function introspectedLifetime(token: string | undefined): Promise<number> {
  const { exp, iat } = (await introspect(token ?? '')) as { exp: number; iat: number }
  return exp - iat
}

describe('lifetimes of a client', () => {
  it('hold for access, refresh and ID tokens, also after a refresh', async () => {
    const client = await registerClient()
    await dashboard('PATCH', `/clients/${client.client_id}/token-config`, {
      access_token_ttl: 120,
      refresh_token_ttl: 7_200,
      id_token_ttl: 300,
    })
    const first = await tokensFor({ client, scope: 'openid offline_access read' })
    const response = await callTokenEndpoint(client, {
      grant_type: 'refresh_token',
      refresh_token: first.refresh_token ?? '',
    })
    const second = (await response.json()) as Tokens
    for (const tokens of [first, second]) {
      expect(tokens.expires_in).toBeGreaterThanOrEqual(118)
      expect(tokens.expires_in).toBeLessThanOrEqual(120)
      expect(lifetimeSeconds(tokens.id_token)).toBe(300)
    }
    expect(Math.abs((await introspectedLifetime(second.refresh_token)) - 7_200)).toBeLessThanOrEqual(2)
  })

  it('hold for client credentials, and null goes back to the server default', async () => {
    const client = await registerClient()
    const path = `/clients/${client.client_id}/token-config`
    const expiresIn = async () => {
      const response = await callTokenEndpoint(client, { grant_type: 'client_credentials', scope: 'read' })
      return ((await response.json()) as Tokens).expires_in
    }
    await dashboard('PATCH', path, { access_token_ttl: 60 })
    expect(await expiresIn()).toBeLessThanOrEqual(60)
    await dashboard('PATCH', path, { access_token_ttl: null })
    expect(await expiresIn()).toBeGreaterThan(3_500)
  })
})

describe('the access token strategy', () => {
  it('jwt gives tokens that anybody can verify, opaque ones that only the server knows', async () => {
    const client = await registerClient({ audience: ['https://api.example.com'] })
    const browser = await newBrowser()
    const flow = { client, browser, more: { audience: 'https://api.example.com' } }
    const opaque = await tokensFor(flow)
    expect(opaque.access_token.split('.')).not.toHaveLength(3)
    await dashboard('PATCH', `/clients/${client.client_id}/token-config`, { access_token_strategy: 'jwt' })
    const jwt = await tokensFor(flow)
    const keys = createRemoteJWKSet(new URL(`${stack.oauth_public_url}/.well-known/jwks.json`))
    const { payload } = await jwtVerify(jwt.access_token, keys)
    expect(payload).toMatchObject({
      sub: browser.person.id,
      client_id: client.client_id,
      aud: ['https://api.example.com'],
      scp: expect.arrayContaining(['openid', 'read']),
    })
  })
})

describe('pairwise subjects', () => {
  it('differ between clients, stay the same for one, and are never the identity', async () => {
    const pairwise = (redirectUri: string) =>
      registerClient({ subject_type: 'pairwise', redirect_uris: [redirectUri] })
    const [here, elsewhere] = await Promise.all([pairwise(CALLBACK), pairwise(OTHER_CALLBACK)])
    const browser = await newBrowser()
    const subject = async (client: typeof here, redirectUri: string) =>
      decodeJwt((await tokensFor({ client, browser, redirectUri })).id_token ?? '').sub
    const first = await subject(here, CALLBACK)
    const other = await subject(elsewhere, OTHER_CALLBACK)
    expect(await subject(here, CALLBACK)).toBe(first)
    expect(other).not.toBe(first)
    expect([first, other]).not.toContain(browser.person.id)
  })
})

describe('a new client secret', () => {
  it('makes the old one worthless at once', async () => {
    const client = await registerClient()
    const ask = (secret: string) =>
      callTokenEndpoint(
        { ...client, client_secret: secret },
        { grant_type: 'client_credentials', scope: 'read' },
      )
    const old = client.client_secret ?? ''
    expect((await ask(old)).status).toBe(200)
    const rotated = await dashboard<{ client_id: string; client_secret: string }>(
      'POST',
      `/clients/${client.client_id}/secret`,
    )
    expect(rotated).toEqual({ client_id: client.client_id, client_secret: expect.any(String) })
    expect((await ask(old)).status).toBe(401)
    expect((await ask(rotated.client_secret)).status).toBe(200)
  })
})
