// Tokens on the Hydra wire: how they are got, rotated, read and revoked, and what stands in them. Public HTTP only;
// test/support/oauth-server.ts says which servers it runs against.

import { createHash, randomUUID } from 'node:crypto'
import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestOAuthServer, type TestOAuthServer } from '../../../test/support/oauth-server.ts'
import {
  authorize,
  CALLBACK,
  call,
  claimsOf,
  exchange,
  introspect,
  makeClient,
  makePkce,
  param,
  SECRET,
  type TestClient,
  token,
  tokensFor,
} from './visitor.ts'

let at: TestOAuthServer
beforeAll(async () => {
  at = await startTestOAuthServer()
})
afterAll(() => at[Symbol.asyncDispose]())

const refresh = (client: TestClient, value: string | undefined) =>
  token(at, client, { grant_type: 'refresh_token', refresh_token: value ?? '' })
const revoke = (client: TestClient, value: string | undefined) =>
  call(`${at.publicUrl}/oauth2/revoke`, {
    form: { token: value ?? '', client_id: client.client_id, client_secret: SECRET },
  })
const userinfo = (bearer: string | undefined) =>
  call(`${at.publicUrl}/userinfo`, { headers: { authorization: `Bearer ${bearer}` } })

describe('a code', () => {
  it('is worth tokens once; used again it ends them', async () => {
    const client = await makeClient(at)
    const done = await authorize(at, client)
    const { status, body, headers } = await exchange(at, client, done)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toContain('no-store')
    expect(body).toMatchObject({ token_type: 'bearer', scope: 'openid offline_access read' })
    expect(body['access_token']).toMatch(/^ory_at_/)
    expect(body['refresh_token']).toMatch(/^ory_rt_/)
    expect(await exchange(at, client, done)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await introspect(at, String(body['access_token']))).toEqual({ active: false })
    expect(await introspect(at, String(body['refresh_token']))).toEqual({ active: false })
  })

  it('is refused to another client, redirect URI or verifier', async () => {
    const [client, other] = [await makeClient(at), await makeClient(at)]
    const pkce = makePkce()
    const attempts = [
      () => authorize(at, client).then(done => exchange(at, other, done)),
      () => authorize(at, client).then(done => exchange(at, client, done, { redirect_uri: `${CALLBACK}2` })),
      () => authorize(at, client).then(done => exchange(at, client, done, { code_verifier: pkce.verifier })),
      () => authorize(at, client, { query: pkce.query }).then(done => exchange(at, client, done)),
      () =>
        token(at, client, { grant_type: 'authorization_code', code: 'ory_ac_none', redirect_uri: CALLBACK }),
      () => token(at, client, { grant_type: 'authorization_code', redirect_uri: CALLBACK }),
    ]
    for (const attempt of attempts) {
      expect(await attempt()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    }
  })

  it('of a public client needs its verifier, and a wrong guess burns it', async () => {
    const client = await makeClient(at, { token_endpoint_auth_method: 'none' })
    const pkce = makePkce()
    const done = await authorize(at, client, { query: pkce.query })
    const wrong = await exchange(at, client, done, { code_verifier: makePkce().verifier })
    expect(wrong).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await exchange(at, client, done, { code_verifier: pkce.verifier })).status).toBe(400)

    const second = await authorize(at, client, { query: pkce.query })
    const { status, body } = await exchange(at, client, second, { code_verifier: pkce.verifier })
    expect(status).toBe(200)
    expect((await refresh(client, String(body['refresh_token']))).status).toBe(200)
  })
})

describe('a refresh', () => {
  it('gives new tokens and ends those before it', async () => {
    const client = await makeClient(at)
    const first = await tokensFor(at, client)
    const { status, body } = await refresh(client, first['refresh_token'])
    expect(status).toBe(200)
    expect(body['refresh_token']).not.toBe(first['refresh_token'])
    expect(claimsOf(String(body['id_token']))['sub']).toBe(claimsOf(first['id_token'])['sub'])
    expect(await introspect(at, first['access_token'])).toEqual({ active: false })
    expect(await introspect(at, String(body['access_token']))).toMatchObject({
      active: true,
      ext: { tenant: 'acme' },
    })
  })

  it('with a token that was used before ends everything of the grant', async () => {
    const client = await makeClient(at)
    const first = await tokensFor(at, client)
    const second = (await refresh(client, first['refresh_token'])).body
    const reused = await refresh(client, first['refresh_token'])
    expect(reused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await introspect(at, String(second['access_token']))).toEqual({ active: false })
    expect((await refresh(client, String(second['refresh_token']))).body['error']).toBe('invalid_grant')
  })

  it('with a token of a negative lifespan is never too late', async () => {
    const client = await makeClient(at, { authorization_code_grant_refresh_token_lifespan: '-5s' })
    const { refresh_token } = await tokensFor(at, client)
    expect(await introspect(at, refresh_token)).toMatchObject({ active: true })
    expect((await refresh(client, refresh_token)).status).toBe(200)
  })

  it('is refused to another client, and to one that lost the right', async () => {
    const [client, other] = [await makeClient(at), await makeClient(at)]
    const { refresh_token } = await tokensFor(at, client)
    expect((await refresh(other, refresh_token)).body['error']).toBe('invalid_grant')
    const patch = (path: string, value: unknown) =>
      call(`${at.adminUrl}/admin/clients/${client.client_id}`, {
        method: 'PATCH',
        json: [{ op: 'replace', path, value }],
      })
    await patch('/scope', 'openid offline_access')
    expect((await refresh(client, refresh_token)).body['error']).toBe('invalid_scope')
    await patch('/grant_types', ['authorization_code'])
    expect((await refresh(client, refresh_token)).body['error']).toBe('unauthorized_client')
  })
})

describe('a client', () => {
  const grant = { grant_type: 'client_credentials', scope: 'read' }
  const byBasic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  })
  const ask = (form: Record<string, string>, headers = {}) =>
    call(`${at.publicUrl}/oauth2/token`, { form, headers })

  it('authenticates by the method that it registered and no other', async () => {
    const secret = 'a+b c%/:-secret'
    const basic = await makeClient(at, {
      token_endpoint_auth_method: 'client_secret_basic',
      client_secret: secret,
    })
    const post = await makeClient(at)
    expect((await ask(grant, byBasic(basic.client_id, secret))).status).toBe(200)
    expect((await ask({ ...grant, client_id: post.client_id, client_secret: SECRET })).status).toBe(200)
    const refused = [
      await ask({ ...grant, client_id: basic.client_id, client_secret: secret }),
      await ask(grant, byBasic(post.client_id, SECRET)),
      await ask(grant, byBasic(basic.client_id, 'wrong')),
      await ask({ ...grant, client_id: post.client_id }),
      await ask({ ...grant, client_id: randomUUID(), client_secret: SECRET }),
    ]
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await ask(grant)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  it('may prove itself with a key, each proof once', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', use: 'sig', alg: 'RS256' }
    const client = await makeClient(at, {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [jwk] },
      client_secret: undefined,
    })
    const proof = await new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer(client.client_id)
      .setSubject(client.client_id)
      .setAudience(`${at.publicUrl}/oauth2/token`)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(privateKey)
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    expect((await ask({ ...grant, client_assertion: proof, client_assertion_type })).status).toBe(200)
    expect(
      (await ask({ ...grant, client_assertion: proof, client_assertion_type })).status,
    ).toBeGreaterThanOrEqual(400)
    expect((await ask({ ...grant, client_assertion: `${proof}x`, client_assertion_type })).status).toBe(401)
  })

  it('gets tokens of its own only for what it may ask, and only when it has a secret', async () => {
    const client = await makeClient(at, { audience: ['https://api.example.com'] })
    const own = await token(at, client, { ...grant, audience: 'https://api.example.com/v1' })
    expect(own.body).not.toHaveProperty('refresh_token')
    expect(await introspect(at, String(own.body['access_token']))).toMatchObject({
      sub: client.client_id,
      aud: ['https://api.example.com/v1'],
      scope: 'read',
    })
    const errorFor = async (form: Record<string, string>, fields = {}) =>
      (await token(at, await makeClient(at, fields), { ...grant, ...form })).body['error']
    expect(await errorFor({ scope: 'admin' })).toBe('invalid_scope')
    expect(await errorFor({ audience: 'https://other.example.com' })).toBe('invalid_request')
    expect(await errorFor({}, { token_endpoint_auth_method: 'none' })).toBe('invalid_grant')
    expect(await errorFor({}, { grant_types: ['authorization_code'] })).toBe('unauthorized_client')
    expect(await errorFor({ grant_type: 'telepathy' })).toBe('invalid_request')
    expect(await errorFor({ grant_type: '' })).toBe('invalid_request')
  })
})

describe('an ID token', () => {
  it('is signed by a published key and says who signed in, when and how', async () => {
    const client = await makeClient(at)
    const subject = randomUUID()
    const { id_token = '', access_token = '' } = await tokensFor(at, client, { subject })
    const keys = createRemoteJWKSet(new URL(`${at.publicUrl}/.well-known/jwks.json`))
    const { payload } = await jwtVerify(id_token, keys, { issuer: at.publicUrl, audience: client.client_id })
    expect(payload).toMatchObject({ sub: subject, acr: '1', amr: ['pwd'], email: 'ada@example.com' })
    expect(payload['nonce']).toBe('nonce-of-the-test')
    for (const time of ['iat', 'exp', 'auth_time', 'rat'])
      expect(payload[time], time).toEqual(expect.any(Number))
    const digest = createHash('sha256').update(access_token).digest()
    expect(payload['at_hash']).toBe(digest.subarray(0, 16).toString('base64url'))
  })

  it('cannot be told by the consent what only the server may say', async () => {
    const client = await makeClient(at)
    const forged = {
      sub: 'eve',
      iss: 'https://evil.example',
      aud: 'evil',
      exp: 1,
      nonce: 'forged-nonce',
      sid: 'forged',
    }
    const visit = { subject: 'ada', consent: { session: { id_token: { ...forged, role: 'admin' } } } }
    const claims = claimsOf((await tokensFor(at, client, visit))['id_token'])
    expect(claims).toMatchObject({ sub: 'ada', iss: at.publicUrl, aud: [client.client_id], role: 'admin' })
    for (const [name, value] of Object.entries(forged)) expect(claims[name], name).not.toBe(value)
  })

  it('still verifies after its key was replaced, and new ones come from the new key', async () => {
    const client = await makeClient(at)
    const keys = () => createRemoteJWKSet(new URL(`${at.publicUrl}/.well-known/jwks.json`))
    const kidOf = async (jwt: string | undefined) => (await jwtVerify(jwt ?? '', keys())).protectedHeader.kid
    const old = (await tokensFor(at, client))['id_token']
    const kid = randomUUID()
    const set = `${at.adminUrl}/admin/keys/hydra.openid.id-token`
    await call(set, { method: 'POST', json: { alg: 'ES256', use: 'sig', kid } })
    expect(await kidOf((await tokensFor(at, client))['id_token'])).toBe(kid)
    expect(await kidOf(old)).not.toBe(kid)
    await call(`${set}/${kid}`, { method: 'DELETE' })
  })
})

describe('an access token', () => {
  it('is a JWT where the client wants it, and dead once the client no longer does', async () => {
    const client = await makeClient(at, {
      access_token_strategy: 'jwt',
      audience: ['https://api.example.com'],
    })
    const consent = {
      grant_access_token_audience: ['https://api.example.com'],
      session: { access_token: { tenant: 'acme' } },
    }
    const { access_token = '' } = await tokensFor(at, client, { subject: 'ada', consent })
    const keys = createRemoteJWKSet(new URL(`${at.publicUrl}/.well-known/jwks.json`))
    const { payload } = await jwtVerify(access_token, keys, { issuer: at.publicUrl })
    expect(payload).toMatchObject({
      sub: 'ada',
      client_id: client.client_id,
      aud: ['https://api.example.com'],
      scp: ['openid', 'offline_access', 'read'],
      ext: { tenant: 'acme' },
    })
    expect(await introspect(at, access_token)).toMatchObject({ active: true, token_use: 'access_token' })
    expect((await userinfo(access_token)).body['sub']).toBe('ada')
    expect((await revoke(client, access_token)).status).toBe(200)
    expect(await introspect(at, access_token)).toEqual({ active: false })

    const second = (await tokensFor(at, client))['access_token']
    const json = [{ op: 'replace', path: '/access_token_strategy', value: 'opaque' }]
    await call(`${at.adminUrl}/admin/clients/${client.client_id}`, { method: 'PATCH', json })
    expect(await introspect(at, second)).toEqual({ active: false })
  })

  it('lives as long as the client says for the grant that gave it', async () => {
    const client = await makeClient(at, {
      authorization_code_grant_access_token_lifespan: '300s',
      authorization_code_grant_id_token_lifespan: '200s',
      refresh_token_grant_access_token_lifespan: '100s',
      implicit_grant_access_token_lifespan: '50s',
      client_credentials_grant_access_token_lifespan: '0s',
    })
    const lifeOf = (jwt: unknown) => {
      const { exp, iat } = claimsOf(String(jwt))
      return Number(exp) - Number(iat)
    }
    const { body } = await exchange(at, client, await authorize(at, client))
    expect(Math.abs(Number(body['expires_in']) - 300)).toBeLessThanOrEqual(1)
    expect(Math.abs(lifeOf(body['id_token']) - 200)).toBeLessThanOrEqual(1)
    const again = (await refresh(client, String(body['refresh_token']))).body
    expect(Math.abs(Number(again['expires_in']) - 100)).toBeLessThanOrEqual(1)
    const implicit = await authorize(at, client, { query: { response_type: 'token' } })
    expect(Math.abs(Number(param(implicit.location, 'expires_in')) - 50)).toBeLessThanOrEqual(1)
    const dead = await token(at, client, { grant_type: 'client_credentials', scope: 'read' })
    expect(await introspect(at, String(dead.body['access_token']))).toEqual({ active: false })
  })

  it('shows a pairwise client a subject of its own, and the admin the real one', async () => {
    const hosts = ['http://127.0.0.1:5555/callback', 'http://localhost:5555/callback']
    const seen = await Promise.all(
      hosts.map(async redirect_uri => {
        const client = await makeClient(at, { subject_type: 'pairwise', redirect_uris: [redirect_uri] })
        const done = await authorize(at, client, { subject: 'ada', query: { redirect_uri } })
        const { body } = await exchange(at, client, done, { redirect_uri })
        const access = String(body['access_token'])
        const sub = String(claimsOf(String(body['id_token']))['sub'])
        expect((await userinfo(access)).body['sub']).toBe(sub)
        expect(await introspect(at, access)).toMatchObject({ sub: 'ada', obfuscated_subject: sub })
        return sub
      }),
    )
    expect(seen[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(seen[0]).not.toBe(seen[1])
    const client = await makeClient(at, { subject_type: 'pairwise' })
    const forced = await tokensFor(at, client, { login: { force_subject_identifier: 'chosen' } })
    expect(claimsOf(forced['id_token'])['sub']).toBe('chosen')
  })
})

describe('introspection and userinfo', () => {
  it('know live tokens only, and those only for scopes that they have', async () => {
    const client = await makeClient(at)
    const { access_token, refresh_token, id_token } = await tokensFor(at, client)
    expect(await introspect(at, access_token, { scope: 'read' })).toMatchObject({ active: true })
    expect(await introspect(at, refresh_token)).toMatchObject({ active: true, token_use: 'refresh_token' })
    for (const dead of [id_token, `${access_token}x`, 'garbage', '']) {
      expect(await introspect(at, dead)).toEqual({ active: false })
    }
    expect(await introspect(at, access_token, { scope: 'read admin' })).toEqual({ active: false })
  })

  it('tell who somebody is to access tokens only, signed where the client wants it', async () => {
    const client = await makeClient(at, { userinfo_signed_response_alg: 'RS256' })
    const { access_token, refresh_token, id_token } = await tokensFor(at, client, { subject: 'ada' })
    const { text, headers } = await userinfo(access_token)
    expect(headers.get('content-type')).toContain('application/jwt')
    const keys = createRemoteJWKSet(new URL(`${at.publicUrl}/.well-known/jwks.json`))
    expect((await jwtVerify(text, keys)).payload).toMatchObject({ sub: 'ada', email: 'ada@example.com' })
    for (const wrong of [refresh_token, id_token, 'garbage']) {
      const refused = await userinfo(wrong)
      expect(refused.status).toBe(401)
      expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer error=/)
    }
  })
})

describe('revocation', () => {
  it('ends both tokens of a grant by either, and nothing of another client', async () => {
    const [client, other] = [await makeClient(at), await makeClient(at)]
    for (const which of ['access_token', 'refresh_token']) {
      const tokens = await tokensFor(at, client)
      expect((await revoke(other, tokens[which])).status).toBe(200)
      expect(await introspect(at, tokens['access_token'])).toMatchObject({ active: true })
      expect((await revoke(client, tokens[which])).status).toBe(200)
      expect(await introspect(at, tokens['access_token']), which).toEqual({ active: false })
      expect(await introspect(at, tokens['refresh_token']), which).toEqual({ active: false })
    }
  })

  it('of all access tokens of a client leaves its refresh tokens', async () => {
    const client = await makeClient(at)
    const { access_token, refresh_token } = await tokensFor(at, client)
    await call(`${at.adminUrl}/admin/oauth2/tokens?client_id=${client.client_id}`, { method: 'DELETE' })
    expect(await introspect(at, access_token)).toEqual({ active: false })
    expect((await refresh(client, refresh_token)).status).toBe(200)
  })
})
