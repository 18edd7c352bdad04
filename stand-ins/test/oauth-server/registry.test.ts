// The admin API of clients on the Hydra wire: what a client is when hardly anything was said of it, what is refused,
// and how lists, replacements and lifespans answer. Patches: oauth-server-patch.test.ts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestOAuthServer, type TestOAuthServer } from '../../../test/support/oauth-server.ts'
import { ask, linkTo, NOT_FOUND, ownName, textOf } from './caller.ts'

let server: TestOAuthServer
let clients: string
beforeAll(async () => {
  server = await startTestOAuthServer()
  clients = `${server.adminUrl}/admin/clients`
})
afterAll(() => server[Symbol.asyncDispose]())

const create = (json: unknown) => ask('POST', clients, { json })
const createdId = async (json: unknown) => textOf((await create(json)).body, 'client_id')
const read = (id: string) => ask('GET', `${clients}/${encodeURIComponent(id)}`)

describe('creating a client', () => {
  it('fills in the defaults and answers null for lists that were not given', async () => {
    const { status, headers, body } = await create({})
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`/admin/clients/${textOf(body, 'client_id')}`)
    expect(body).toMatchObject({
      client_name: '',
      redirect_uris: null,
      grant_types: null,
      response_types: null,
      contacts: null,
      audience: [],
      allowed_cors_origins: [],
      scope: 'offline_access offline openid',
      subject_type: 'public',
      token_endpoint_auth_method: 'client_secret_basic',
      userinfo_signed_response_alg: 'none',
      jwks: {},
      metadata: {},
      skip_consent: false,
      skip_logout_consent: null,
      client_secret_expires_at: 0,
      refresh_token_grant_id_token_lifespan: null,
    })
    expect(body).not.toHaveProperty('request_uris')
    expect(body).not.toHaveProperty('access_token_strategy')
  })

  it('gives lists instead of null, and no secret, once the client is read back', async () => {
    const { body } = await read(await createdId({ client_secret: 'a-secret-of-this-test' }))
    expect(body).toMatchObject({ redirect_uris: [], grant_types: [], response_types: [], contacts: [] })
    for (const hidden of ['client_secret', 'registration_access_token', 'registration_client_uri'])
      expect(body).not.toHaveProperty(hidden)
  })

  it('makes a secret of 26 characters unless the client chose one, and shows none of a public client', async () => {
    expect(textOf((await create({})).body, 'client_secret')).toHaveLength(26)
    expect((await create({ client_secret: 'chosen-secret' })).body).toMatchObject({
      client_secret: 'chosen-secret',
    })
    const spa = await create({ token_endpoint_auth_method: 'none', client_secret: 'chosen-secret' })
    expect(spa.status).toBe(201)
    expect(spa.body).not.toHaveProperty('client_secret')
  })

  it('takes a chosen id, whatever is in it, but only once', async () => {
    const id = ownName('sla/sh and ?=&%')
    expect(await create({ client_id: id })).toMatchObject({ status: 201, body: { client_id: id } })
    expect(await read(id)).toMatchObject({ status: 200, body: { client_id: id } })
    expect(await create({ client_id: id })).toMatchObject({
      status: 409,
      body: {
        error: 'Unable to insert or update resource because a resource with that value exists already',
        error_description: '',
      },
    })
  })

  it('refuses bodies that are no client', async () => {
    const bodies = ['', '{', '[]', '"x"', '{"redirect_uris":"x"}', '{"skip_consent":"true"}', '{"scope":1}']
    for (const raw of bodies) {
      expect(await ask('POST', clients, { raw }), raw).toMatchObject({
        status: 400,
        body: { error: 'The request was malformed or contained invalid parameters' },
      })
    }
  })
})

describe('what a client may say', () => {
  const refused = (json: unknown, error: string) =>
    create(json).then(reply =>
      expect(reply, JSON.stringify(json)).toMatchObject({ status: 400, body: { error } }),
    )
  const accepted = (json: unknown, shown: unknown = json) =>
    create(json).then(reply =>
      expect(reply, JSON.stringify(json)).toMatchObject({ status: 201, body: shown }),
    )

  it('takes relative and custom redirect URIs, duplicates too, but no fragment and nothing unreadable', async () => {
    await accepted({ redirect_uris: ['/cb', 'com.example.app:/cb', 'urn:x:y', 'https://a.example/cb'] })
    await accepted({ redirect_uris: ['https://a.example/cb', 'https://a.example/cb'] })
    for (const uri of ['https://a.example/cb#', 'cb', '', 'http://[::1', 'http://a b/', 'http://a:port/'])
      await refused({ redirect_uris: ['https://a.example/fine', uri] }, 'invalid_redirect_uri')
  })

  it('wants http or https for its pages', async () => {
    for (const name of ['logo_uri', 'tos_uri', 'policy_uri', 'client_uri']) {
      await accepted({ [name]: 'https://a.example/page' })
      for (const uri of ['javascript:alert(1)', 'page.html', '/page', 'ftp://a.example'])
        await refused({ [name]: uri }, 'invalid_client_metadata')
    }
  })

  it('wants a logout page where a redirect URI is: same scheme, host and port', async () => {
    const redirect_uris = ['https://a.example/cb', 'app://open']
    await accepted({ redirect_uris, post_logout_redirect_uris: ['https://a.example/bye', 'app://open/bye'] })
    for (const uri of ['http://a.example/', 'https://b.example/', 'bye'])
      await refused({ redirect_uris, post_logout_redirect_uris: [uri] }, 'invalid_client_metadata')
  })

  it('takes origins without a path, and drops the slash that some write', async () => {
    await accepted(
      { allowed_cors_origins: ['https://a.example/', 'HTTPS://b.example', 'http://localhost:3000'] },
      { allowed_cors_origins: ['https://a.example', 'https://b.example', 'http://localhost:3000'] },
    )
    for (const origin of [
      '*',
      'a.example',
      'https://a.example/x',
      'https://a.example/?x',
      'https://u:p@a.example',
      'ws://a',
    ])
      await refused({ allowed_cors_origins: [origin] }, 'invalid_client_metadata')
  })

  it('wants keys of a client that signs, in one of two places, and keys that are some', async () => {
    const method = { token_endpoint_auth_method: 'private_key_jwt' }
    const rsa = { kty: 'RSA', n: 'sXch', e: 'AQAB', kid: 'k' }
    await accepted({ ...method, jwks: { keys: [{ ...rsa, ext: true }] } }, { jwks: { keys: [rsa] } })
    await accepted({ ...method, jwks_uri: 'https://a.example/jwks' })
    await refused(method, 'invalid_client_metadata')
    await refused({ ...method, jwks: {} }, 'invalid_client_metadata')
    await refused({ jwks: { keys: [rsa] }, jwks_uri: 'https://a.example/jwks' }, 'invalid_client_metadata')
    await refused({ jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }, 'invalid_client_metadata')
    await refused(
      { jwks: { keys: [{ kty: 'RSA' }] } },
      'The request was malformed or contained invalid parameters',
    )
  })

  it('takes unknown grants and authentication methods, not unknown strategies, subjects or algorithms', async () => {
    await accepted({ grant_types: ['telepathy'], token_endpoint_auth_method: 'magic' })
    await accepted({ access_token_strategy: 'JWT' }, { access_token_strategy: 'jwt' })
    await accepted({ subject_type: 'pairwise', access_token_strategy: 'opaque' })
    await refused({ access_token_strategy: 'paseto' }, 'invalid_client_metadata')
    await refused({ subject_type: 'Pairwise' }, 'invalid_client_metadata')
    await refused({ subject_type: 'pairwise', access_token_strategy: 'jwt' }, 'invalid_client_metadata')
    await refused({ userinfo_signed_response_alg: 'ES256' }, 'invalid_client_metadata')
    await refused({ client_secret: '12345' }, 'invalid_client_metadata')
  })

  it('takes any JSON for metadata, null too', async () => {
    for (const metadata of [{ nested: { n: [1] } }, ['x'], 'text', 17, null]) {
      await accepted({ metadata })
      expect((await read(await createdId({ metadata }))).body).toMatchObject({ metadata })
    }
  })

  it('takes durations, and refuses what is none', async () => {
    const field = 'refresh_token_grant_access_token_lifespan'
    await accepted({ [field]: '3600s' }, { [field]: '1h0m0s' })
    await accepted({ [field]: null })
    for (const given of ['soon', 3600])
      await refused({ [field]: given }, 'The request was malformed or contained invalid parameters')
  })
})

describe('reading clients', () => {
  it('answers 404 in its own words', async () => {
    for (const method of ['GET', 'DELETE'])
      expect(await ask(method, `${clients}/nobody`)).toMatchObject({ status: 404, body: NOT_FOUND })
  })

  it('lists by owner and name, page by page in the order of ids, with relative links', async () => {
    const owner = ownName('owner')
    const ids = ['a', 'b', 'c'].map(label => ownName(label))
    for (const client_id of ids) await create({ client_id, owner, client_name: `name of ${client_id}` })
    const idsOf = (body: unknown) => (body as unknown[]).map(client => textOf(client, 'client_id'))

    const first = await ask('GET', `${clients}?owner=${owner}&page_size=2`)
    expect(idsOf(first.body)).toEqual(ids.slice(0, 2))
    const next = linkTo(first, 'next')
    expect(next).toMatch(/^\/admin\/clients\?owner=[^&]+&page_size=2&page_token=[^&]+$/)
    const second = await ask('GET', `${server.adminUrl}${next}`)
    expect(idsOf(second.body)).toEqual(ids.slice(2))
    expect(linkTo(second, 'next')).toBeUndefined()
    expect(linkTo(second, 'first')).toBeDefined()

    const named = await ask(
      'GET',
      `${clients}?owner=${owner}&client_name=${encodeURIComponent(`name of ${ids[1]}`)}`,
    )
    expect(idsOf(named.body)).toEqual([ids[1]])
    expect((await ask('GET', `${clients}?owner=${ownName('nobody')}`)).body).toEqual([])
  })

  it('refuses a page token that it did not make', async () => {
    expect((await ask('GET', `${clients}?page_token=${'A'.repeat(80)}`)).status).toBe(400)
  })
})

describe('replacing a client', () => {
  it('resets what is left out, keeps the id and shows the secret only when it is given', async () => {
    const id = await createdId({
      metadata: { a: 1 },
      audience: ['x'],
      skip_consent: true,
      implicit_grant_id_token_lifespan: '5m',
    })
    const put = await ask('PUT', `${clients}/${id}`, { json: { client_id: 'another', client_name: 'new' } })
    expect(put).toMatchObject({
      status: 200,
      body: { client_id: id, client_name: 'new', redirect_uris: null },
    })
    expect(put.body).not.toHaveProperty('client_secret')
    expect((await read(id)).body).toMatchObject({
      metadata: {},
      audience: [],
      skip_consent: false,
      implicit_grant_id_token_lifespan: null,
      redirect_uris: [],
    })
    const withSecret = await ask('PUT', `${clients}/${id}`, { json: { client_secret: 'another-secret' } })
    expect(withSecret.body).toMatchObject({ client_secret: 'another-secret' })
  })

  it('is gone after it was deleted', async () => {
    const id = await createdId({})
    expect(await ask('DELETE', `${clients}/${id}`)).toMatchObject({ status: 204, text: '' })
    expect((await read(id)).status).toBe(404)
    expect((await ask('DELETE', `${clients}/${id}`)).status).toBe(404)
  })
})

describe('the lifespans of a client', () => {
  it('are all replaced at once, and nothing else is', async () => {
    const id = await createdId({ client_name: 'stays', redirect_uris: ['/cb'] })
    const put = (json: unknown) => ask('PUT', `${clients}/${id}/lifespans`, { json })
    expect(
      (await put({ authorization_code_grant_access_token_lifespan: '10m', client_name: 'x' })).body,
    ).toMatchObject({
      authorization_code_grant_access_token_lifespan: '10m0s',
      client_name: 'stays',
      redirect_uris: ['/cb'],
    })
    expect((await put({ device_authorization_grant_id_token_lifespan: '90s' })).body).toMatchObject({
      authorization_code_grant_access_token_lifespan: null,
      device_authorization_grant_id_token_lifespan: '1m30s',
    })
    for (const json of [{ implicit_grant_id_token_lifespan: 'x' }, []])
      expect((await put(json)).status).toBe(400)
  })
})
