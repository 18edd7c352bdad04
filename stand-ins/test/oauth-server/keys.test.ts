// The admin API of key sets on the Hydra wire, and what becomes public of them.

import { importJWK, jwtVerify, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestOAuthServer, type TestOAuthServer } from '../../../test/support/oauth-server.ts'
import { ask, member, ownName } from './caller.ts'

let server: TestOAuthServer
beforeAll(async () => {
  server = await startTestOAuthServer()
})
afterAll(() => server[Symbol.asyncDispose]())

type Jwk = Record<string, unknown>
const setUrl = (set = ownName('set')) => `${server.adminUrl}/admin/keys/${encodeURIComponent(set)}`
const make = (url: string, json: unknown) => ask('POST', url, { json })
const keysIn = (body: unknown) => (member(body, 'keys') ?? []) as Jwk[]
const kidsAt = async (url: string) => keysIn((await ask('GET', url)).body).map(key => key['kid'])

describe('making a key', () => {
  it.for(['RS256', 'RS384', 'RS512', 'PS256', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])(
    'gives a key pair that signs by %s, its private part in the answer',
    { timeout: 60_000 },
    async alg => {
      const { status, body } = await make(setUrl(), { alg, use: 'sig', kid: 'mine' })
      expect(status).toBe(201)
      const [key = {}, ...others] = keysIn(body)
      expect(others).toEqual([])
      expect(key).toMatchObject({ alg, use: 'sig', kid: 'mine', d: expect.any(String) })
      const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...publicPart } = key
      const token = await new SignJWT({}).setProtectedHeader({ alg }).sign(await importJWK(key, alg))
      await jwtVerify(token, await importJWK(publicPart, alg))
    },
  )

  it('refuses algorithms that it makes no keys for, and bodies that are no question', async () => {
    for (const alg of ['HS256', 'none', '', 'es256', 'ES256K', 'RSA-OAEP', 'ECDH-ES'])
      expect(await make(setUrl(), { alg }), alg).toMatchObject({
        status: 400,
        body: { error: 'Bad Request', error_description: 'Unsupported key algorithm' },
      })
    for (const raw of ['', '{', '[]', '"ES256"', '{"alg":1}', '{"alg":"ES256","kid":1}'])
      expect((await ask('POST', setUrl(), { raw })).status, raw).toBe(400)
  })

  it('adds to the set, newest first, a kid once only', async () => {
    const url = setUrl()
    for (const kid of ['one', 'two', 'three'])
      expect((await make(url, { alg: 'ES256', kid })).status).toBe(201)
    expect(await make(url, { alg: 'ES256', kid: 'two' })).toMatchObject({
      status: 409,
      body: { error_description: '' },
    })
    expect(await kidsAt(url)).toEqual(['three', 'two', 'one'])
  })
})

describe('deleting keys', () => {
  it('answers 204 whether they were there or not', async () => {
    const url = setUrl()
    for (const kid of ['one', 'two']) await make(url, { alg: 'ES256', kid })
    for (const path of ['/one', '/one', '', ''])
      expect((await ask('DELETE', url + path)).status, path).toBe(204)
    expect((await ask('GET', url)).status).toBe(404)
  })
})

describe('the signing sets', () => {
  const jwks = async () => keysIn((await ask('GET', `${server.publicUrl}/.well-known/jwks.json`)).body)
  const idTokenAlg = async () => {
    const { body } = await ask('GET', `${server.publicUrl}/.well-known/openid-configuration`)
    return member(body, 'id_token_signing_alg_values_supported')
  }

  it('have their first key as soon as it is needed, and show its public part only', {
    timeout: 60_000,
  }, async () => {
    const keys = await jwks()
    for (const set of ['hydra.openid.id-token', 'hydra.jwt.access-token']) {
      const [newest = {}] = keysIn((await ask('GET', setUrl(set))).body)
      expect(newest).toMatchObject({ kty: expect.any(String), d: expect.any(String) })
      expect(keys.map(key => key['kid'])).toContain(newest['kid'])
    }
    for (const key of keys)
      for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(name)
  })

  it('sign with the newest key while the older ones stay public, and never broadcast other sets', async () => {
    const url = setUrl('hydra.openid.id-token')
    const before = await jwks()
    const kid = ownName('rotated')
    await make(url, { alg: 'ES256', kid })
    expect(await idTokenAlg()).toEqual(['ES256'])
    const after = (await jwks()).map(key => key['kid'])
    expect(after).toEqual(expect.arrayContaining([kid, ...before.map(key => key['kid'])]))

    const other = ownName('custom')
    await make(setUrl(), { alg: 'ES256', kid: other })
    expect((await jwks()).map(key => key['kid'])).not.toContain(other)
    await ask('DELETE', `${url}/${kid}`)
    expect(await idTokenAlg()).not.toEqual(['ES256'])
  })
})
