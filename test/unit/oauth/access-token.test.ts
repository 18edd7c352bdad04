// Stops: tokens of other issuers, other kinds and other algorithms from becoming somebody's identity in the database.

import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { fetchPublicKeys } from '../../../src/clients/oauth-server/documents.ts'
import {
  type AccessTokenRules,
  verifyAccessToken,
} from '../../../src/features/oauth/end-user/access-token.ts'
import { TokenKeys } from '../../../src/features/oauth/end-user/token-keys.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const SECONDS = NOW.getTime() / 1000
const ISSUER = 'https://issuer.example'
const GOOD: JWTPayload = {
  iss: ISSUER,
  sub: 'alice',
  client_id: 'app',
  scp: ['read'],
  exp: SECONDS + 60,
  aud: ['data'],
}

let privateKey: CryptoKey
let rules: AccessTokenRules
let publicJwk: Awaited<ReturnType<typeof exportJWK>>

beforeAll(async () => {
  const pair = await generateKeyPair('RS256', { extractable: true })
  privateKey = pair.privateKey
  publicJwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256' }
  const published = createLocalJWKSet({ keys: [publicJwk] })
  rules = {
    issuers: [ISSUER],
    audience: undefined,
    keys: { find: published, findSigner: published },
    now: () => NOW,
  }
})

const sign = (payload: JWTPayload) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(privateKey)

describe('verifyAccessToken', () => {
  it('gives subject and claims of a good token', async () => {
    const user = await verifyAccessToken(rules, await sign({ ...GOOD, ext: { team: 7 } }))
    expect(user.subject).toBe('alice')
    expect(user.claims).toMatchObject({ sub: 'alice', ext: { team: 7 } })
  })

  it.each([
    ['an expired token', { exp: SECONDS - 6 }, 'expired at 2025-12-31T23:59:54.000Z, more than 5 s ago'],
    ['another issuer', { iss: 'https://evil.example' }, `"https://evil.example"; it must be ${ISSUER}`],
    ['no issuer', { iss: undefined }, 'no `iss`'],
    ['no expiry', { exp: undefined }, 'no `exp`'],
    ['no subject', { sub: undefined }, 'no `sub`'],
    ['an empty subject', { sub: '' }, 'is empty'],
    ['no client', { client_id: undefined }, 'no `client_id`'],
    ['no scope, as ID tokens have none', { scp: undefined }, 'an ID token'],
    ['a nonce, as in an ID token', { nonce: 'n' }, 'an ID token'],
    ['an at_hash, as in an ID token', { at_hash: 'h' }, 'an ID token'],
    ['events, as in a logout token', { events: {} }, 'a logout token'],
    ['a start in the future', { nbf: SECONDS + 600 }, 'not valid yet'],
  ])('refuses %s, and says so', async (_, change, detail) => {
    const token = await sign(JSON.parse(JSON.stringify({ ...GOOD, ...change })))
    await expect(verifyAccessToken(rules, token)).rejects.toMatchObject({
      code: 'invalid_access_token',
      detail: expect.stringContaining(detail),
    })
  })

  it('takes a token until 5 s after its end: clocks may differ', async () => {
    const token = await sign({ ...GOOD, exp: SECONDS - 4 })
    await expect(verifyAccessToken(rules, token)).resolves.toBeTruthy()
  })

  // Whoever forges tokens must not learn which claims would be looked at.
  it('says nothing of a token that the issuer did not sign', async () => {
    const { privateKey: otherKey } = await generateKeyPair('RS256')
    const claims = { ...GOOD, exp: SECONDS - 60, iss: 'https://evil.example' }
    const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(otherKey)
    const refusal = await verifyAccessToken(rules, forged).catch(err => err)
    expect([refusal.code, refusal.detail]).toEqual(['invalid_access_token', undefined])
  })

  // Without a word the application gets the next token, which is refused as well, and so on.
  it('says of a token that it is signed with a key that nobody publishes', async () => {
    const token = await new SignJWT(GOOD)
      .setProtectedHeader({ alg: 'RS256', kid: 'unknown' })
      .sign(privateKey)
    await expect(verifyAccessToken(rules, token)).rejects.toMatchObject({
      code: 'invalid_access_token',
      detail: 'The OAuth2 server publishes no key that its header names.',
      hint: expect.stringContaining('another server'),
    })
  })

  it('refuses a token whose audience lacks DATA_AUDIENCE', async () => {
    const strict = { ...rules, audience: 'orders' }
    await expect(verifyAccessToken(strict, await sign(GOOD))).rejects.toMatchObject({
      code: 'invalid_access_token',
      detail: 'Its `aud` does not name this service.',
    })
    await expect(verifyAccessToken({ ...rules, audience: 'data' }, await sign(GOOD))).resolves.toBeTruthy()
  })

  // The classic confusion: the public key's bytes used as an HMAC secret.
  it('refuses a symmetric signature made with the public key', async () => {
    const secret = new TextEncoder().encode(JSON.stringify(publicJwk))
    const token = await new SignJWT(GOOD).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(secret)
    await expect(verifyAccessToken(rules, token)).rejects.toMatchObject({ code: 'invalid_access_token' })
  })

  it('refuses an unsigned token and text that is no token', async () => {
    const unsigned = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(GOOD))}.`.replaceAll('=', '')
    for (const token of [unsigned, 'abc', 'a.b.c']) {
      await expect(verifyAccessToken(rules, token)).rejects.toMatchObject({ code: 'invalid_access_token' })
    }
  })

  it('refuses a token whose payload was changed after signing', async () => {
    const [header, , signature] = (await sign(GOOD)).split('.')
    const payload = btoa(JSON.stringify({ ...GOOD, sub: 'mallory' })).replaceAll('=', '')
    await expect(verifyAccessToken(rules, `${header}.${payload}.${signature}`)).rejects.toMatchObject({
      code: 'invalid_access_token',
    })
  })

  it.each([
    ['is down', () => Promise.reject(new TypeError('connection refused'))],
    ['answers 500', async () => new Response('oops', { status: 500 })],
    ['answers HTML', async () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
  ])('says that the key server failed, not the token, when it %s', async (_, answer) => {
    const server = { name: 'oauth_server', baseUrl: ISSUER, variable: 'OAUTH_PUBLIC_URL' } as const
    const keys = new TokenKeys({
      fetchKeys: () => fetchPublicKeys({ ...server, fetch: answer as typeof fetch }),
      nowMs: () => NOW.getTime(),
      wait: async () => {},
    })
    const token = await sign(GOOD)
    await expect(verifyAccessToken({ ...rules, keys }, token)).rejects.toMatchObject({
      code: 'upstream_unavailable',
    })
  })
})
