// The OAuth2 server's documents and signing keys over HTTP. What a rotation does to tokens is in
// applications-logout.test.ts; who may call is in the tests of the route table.

import { randomUUID } from 'node:crypto'
import { describe, expect, inject, it } from 'vitest'
import { OauthServerHealth } from '../../../src/features/oauth/documents/health.ts'
import { SigningKey, SigningKeyList } from '../../../src/features/oauth/keys/schemas.ts'
import { connectOwner } from '../../support/postgres.ts'
import { call } from './caller.ts'

const { session_cookie_admin, admin_identity_id, oauth_public_url } = inject('stack')

const asAdmin = (method: string, path: string, body?: unknown) =>
  call(method, `/api/oauthsrv/keys${path}`, body, { cookie: session_cookie_admin ?? '' })
const withoutCredentials = (path: string) => call('GET', `/api/oauthsrv${path}`, undefined, {})
const upstream = async (path: string) => (await fetch(`${oauth_public_url}${path}`)).json()
/** A set of the test's own. */
const newSet = () => `contract-${randomUUID()}`
const newKey = (fields: object) => ({ set_id: newSet(), algorithm: 'ES256', use: 'sig', ...fields })

describe('the public documents', () => {
  it('health says how both ports do', async () => {
    const { status, json } = await withoutCredentials('/health')
    expect(status).toBe(200)
    expect(OauthServerHealth.strict().parse(json)).toMatchObject({
      status: 'ok',
      public: { state: 'up', latency_ms: expect.any(Number) },
      admin: { state: 'up', latency_ms: expect.any(Number) },
      dynamic_client_registration: expect.stringMatching(/^(en|dis)abled$/),
    })
  })

  it('discovery is what the OAuth2 server says', async () => {
    const { status, json } = await withoutCredentials('/discovery')
    expect(status).toBe(200)
    // The newest key decides the algorithms, and other tests make keys.
    const { id_token_signing_alg_values_supported, id_token_signed_response_alg, ...stable } = json
    expect(await upstream('/.well-known/openid-configuration')).toMatchObject(stable)
    expect(json['issuer']).toMatch(/^http/)
  })

  it('jwks holds public members only', async () => {
    const { status, json } = await withoutCredentials('/jwks')
    expect(status).toBe(200)
    const keys = json['keys'] as Record<string, unknown>[]
    expect(keys.length).toBeGreaterThanOrEqual(2)
    for (const key of keys) {
      expect(Object.keys(key)).toEqual(expect.arrayContaining(['kid', 'kty', 'alg', 'use']))
      expect(Object.keys(key).filter(member => /^(d|p|q|dp|dq|qi|k|oth)$/.test(member))).toEqual([])
    }
  })
})

describe('POST /api/oauthsrv/keys', () => {
  it.each([
    ['RS256', 'RSA', ['n', 'e']],
    ['RS384', 'RSA', ['n', 'e']],
    ['RS512', 'RSA', ['n', 'e']],
    ['ES256', 'EC', ['crv', 'x', 'y']],
    ['ES384', 'EC', ['crv', 'x', 'y']],
    ['ES512', 'EC', ['crv', 'x', 'y']],
    ['EdDSA', 'OKP', ['crv', 'x']],
  ])('makes a key for %s, of which only the public part is shown', async (algorithm, type, members) => {
    const set_id = newSet()
    const { status, json } = await asAdmin('POST', '', { set_id, algorithm, use: 'sig' })
    expect(status).toBe(201)
    const key = SigningKey.strict().parse(json)
    expect(key).toMatchObject({ set_id, algorithm, key_type: type, use: 'sig' })
    expect(Object.keys(key.public_jwk).sort()).toEqual(['alg', 'kid', 'kty', 'use', ...members].sort())
    expect(Math.abs(Date.now() - Date.parse(key.created_at ?? ''))).toBeLessThan(60_000)
  })

  it('writes down who made it, without its private part', async () => {
    const { json } = await asAdmin('POST', '', newKey({}))
    const { set_id, kid } = SigningKey.parse(json)
    await using db = await connectOwner()
    const { rows } = await db.query(
      "select * from quoin.audit_logs where target_id = $1 and action = 'signing_keys.create'",
      [`${set_id}/${kid}`],
    )
    expect(rows).toMatchObject([
      { outcome: 'succeeded', actor_kind: 'session', actor_id: admin_identity_id, after: { kid } },
    ])
    expect(rows[0].after.public_jwk).not.toHaveProperty('d')
  })

  it.each<[string, object]>([
    ['an unknown algorithm', newKey({ algorithm: 'RS128' })],
    ['a symmetric algorithm', newKey({ algorithm: 'HS256' })],
    ['no algorithm', newKey({ algorithm: undefined })],
    ['the algorithm none', newKey({ algorithm: 'none' })],
    ['no set', newKey({ set_id: undefined })],
    ['a set that climbs out', newKey({ set_id: '../clients' })],
    ['an empty set', newKey({ set_id: '' })],
    ['a set with a line break', newKey({ set_id: 'a\nb' })],
    ['a set of 101 characters', newKey({ set_id: 'x'.repeat(101) })],
    ['an unknown use', newKey({ use: 'wrap' })],
    ['a key for encryption where the server signs', newKey({ set_id: 'hydra.openid.id-token', use: 'enc' })],
    ['a private part', newKey({ d: 'x' })],
  ])('refuses %s', async (_name, body) => {
    const { status, json } = await asAdmin('POST', '', body)
    expect([status, json['code']]).toEqual([400, 'validation_failed'])
  })
})

describe('GET /api/oauthsrv/keys/:set', () => {
  it('lists the keys of a set, the newest first, to every session', async () => {
    const set_id = newSet()
    const made = []
    for (const algorithm of ['ES256', 'EdDSA', 'ES384']) {
      const { json } = await asAdmin('POST', '', { set_id, algorithm, use: 'sig' })
      made.unshift(SigningKey.parse(json))
    }
    const { status, json } = await call('GET', `/api/oauthsrv/keys/${set_id}`)
    expect(status).toBe(200)
    expect(SigningKeyList.parse(json)).toEqual(made)
  })

  it('lists keys that were not made here, without a date', async () => {
    // The server makes its own keys when they are first asked for.
    await upstream('/.well-known/jwks.json')
    const { json } = await asAdmin('GET', '/hydra.jwt.access-token')
    expect(SigningKeyList.parse(json).at(-1)).toMatchObject({ created_at: null, key_type: 'RSA', use: 'sig' })
    expect(JSON.stringify(json)).not.toMatch(/"(d|p|q|dp|dq|qi|k)":/)
  })

  it.each(['no-such-set', '%2e%2e%2fclients', 'a%20b', 'x'.repeat(101)])('is not_found for %s', async set => {
    const { status, json } = await asAdmin('GET', `/${set}`)
    expect([status, json['code']]).toEqual([404, 'not_found'])
  })
})

describe('DELETE /api/oauthsrv/keys/:set/:kid', () => {
  it('deletes the key and no other, says what it was, and is not_found the second time', async () => {
    const set_id = newSet()
    const [first, second] = [
      SigningKey.parse((await asAdmin('POST', '', { set_id, algorithm: 'ES256' })).json),
      SigningKey.parse((await asAdmin('POST', '', { set_id, algorithm: 'ES256' })).json),
    ]
    const deleted = await asAdmin('DELETE', `/${set_id}/${first.kid}`)
    expect([deleted.status, deleted.json]).toEqual([200, first])
    expect((await asAdmin('GET', `/${set_id}`)).json).toEqual([second])
    const again = await asAdmin('DELETE', `/${set_id}/${first.kid}`)
    expect([again.status, again.json['code']]).toEqual([404, 'not_found'])
  })

  it('is not_found in a set that is not there', async () => {
    const { status, json } = await asAdmin('DELETE', `/no-such-set/${randomUUID()}`)
    expect([status, json['code']]).toEqual([404, 'not_found'])
  })
})
