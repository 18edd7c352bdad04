// Dynamic client registration at the public port, on the Hydra wire.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestOAuthServer, type TestOAuthServer } from '../../../test/support/oauth-server.ts'
import { ask, member, ownName, textOf } from './caller.ts'

let server: TestOAuthServer
let register: string
beforeAll(async () => {
  server = await startTestOAuthServer()
  register = `${server.publicUrl}/oauth2/register`
})
afterAll(() => server[Symbol.asyncDispose]())

const UNAUTHORIZED = {
  status: 401,
  body: {
    error: 'The request could not be authorized',
    error_description: 'The requested OAuth 2.0 client does not exist or you provided incorrect credentials.',
  },
}

/** A client that registered by itself: where it manages itself, and with which token. */
async function registered(json: unknown = { redirect_uris: ['https://a.example/cb'] }) {
  const { body } = await ask('POST', register, { json })
  const id = textOf(body, 'client_id')
  return { id, url: `${register}/${id}`, token: textOf(body, 'registration_access_token') }
}

describe('registering', () => {
  it('gives an id, a secret, and where to manage the client with which token', async () => {
    const { status, headers, body } = await ask('POST', register, {
      json: { client_id: 'chosen', client_name: 'mine', redirect_uris: ['https://a.example/cb'] },
    })
    const id = textOf(body, 'client_id')
    expect(status).toBe(201)
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('location')).toBe(`admin/clients/${id}`)
    expect(body).toMatchObject({
      client_name: 'mine',
      client_secret: expect.any(String),
      registration_access_token: expect.stringMatching(/^ory_at_/),
      registration_client_uri: `${register}/${id}`,
      metadata: {},
    })
    expect(await ask('GET', `${server.adminUrl}/admin/clients/${id}`)).toMatchObject({
      status: 200,
      body: { client_name: 'mine' },
    })
  })

  it.for([
    [{ client_secret: 'a-secret-of-my-own' }, 'The request was malformed or contained invalid parameters'],
    [{ access_token_strategy: 'jwt' }, 'The request was malformed or contained invalid parameters'],
    [{ metadata: {} }, 'invalid_client_metadata'],
    [{ metadata: null }, 'invalid_client_metadata'],
    [{ skip_consent: true }, 'invalid_request'],
    [{ skip_logout_consent: true }, 'invalid_request'],
    [{ redirect_uris: ['a#b'] }, 'invalid_redirect_uri'],
    [[], 'The request was malformed or contained invalid parameters'],
  ] as const)('refuses %j', async ([json, error]) => {
    expect(await ask('POST', register, { json })).toMatchObject({ status: 400, body: { error } })
  })
})

describe('managing a client that registered', () => {
  it('is read with its token, and without what only administrators may set', async () => {
    const { id, url, token } = await registered()
    const { status, body } = await ask('GET', url, { bearer: token })
    expect(status).toBe(200)
    expect(body).toMatchObject({ client_id: id, redirect_uris: ['https://a.example/cb'] })
    for (const hidden of ['metadata', 'client_secret', 'registration_access_token'])
      expect(body).not.toHaveProperty(hidden)
    expect((await ask('GET', url, { bearer: token.replace('ory_at_', '') })).status).toBe(200)
    expect((await ask('GET', `${url}?access_token=${token}`)).status).toBe(200)
  })

  it('answers one 401 to no token, a wrong one, another client’s, and for a client that is not there', async () => {
    const mine = await registered()
    const other = await registered()
    const basic = { authorization: `Basic ${mine.token}` }
    expect(await ask('GET', mine.url)).toMatchObject(UNAUTHORIZED)
    expect(await ask('GET', mine.url, { headers: basic })).toMatchObject(UNAUTHORIZED)
    for (const bearer of ['', 'wrong', other.token])
      for (const method of ['GET', 'PUT', 'DELETE'])
        expect(await ask(method, mine.url, { bearer }), method).toMatchObject(UNAUTHORIZED)
    expect(await ask('GET', `${register}/${ownName('x')}`, { bearer: mine.token })).toMatchObject(
      UNAUTHORIZED,
    )
  })

  it('gets a new token with every change, and keeps its id', async () => {
    const { id, url, token } = await registered()
    const put = await ask('PUT', url, {
      bearer: token,
      json: { client_id: 'another', client_name: 'renamed' },
    })
    expect(put).toMatchObject({
      status: 200,
      body: { client_id: id, client_name: 'renamed', redirect_uris: null },
    })
    expect(put.body).not.toHaveProperty('client_secret')
    expect(await ask('GET', url, { bearer: token })).toMatchObject(UNAUTHORIZED)
    const renewed = textOf(put.body, 'registration_access_token')
    expect((await ask('GET', url, { bearer: renewed })).status).toBe(200)
  })

  it('may not say in a change what it may not say when it registers, and keeps its token then', async () => {
    const { url, token } = await registered()
    const put = (json: unknown) => ask('PUT', url, { bearer: token, json })
    expect(await put({ client_secret: 'a-secret-of-my-own' })).toMatchObject({
      status: 403,
      body: { error: 'The requested action was forbidden' },
    })
    for (const json of [{ metadata: {} }, { skip_consent: true }, { access_token_strategy: 'jwt' }])
      expect((await put(json)).status).toBe(400)
    expect((await ask('PUT', url, { bearer: token, raw: '{' })).status).toBe(400)
    expect((await ask('GET', url, { bearer: token })).status).toBe(200)
  })

  it('deletes itself', async () => {
    const { id, url, token } = await registered()
    expect(await ask('DELETE', url, { bearer: token })).toMatchObject({ status: 204, text: '' })
    expect(await ask('GET', url, { bearer: token })).toMatchObject(UNAUTHORIZED)
    expect((await ask('GET', `${server.adminUrl}/admin/clients/${id}`)).status).toBe(404)
  })
})

describe('a client that an administrator touches', () => {
  it('can be managed with the token of its creation until its record is replaced or patched', async () => {
    const admin = `${server.adminUrl}/admin/clients`
    const made = await ask('POST', admin, { json: { metadata: { a: 1 } } })
    const id = textOf(made.body, 'client_id')
    const bearer = textOf(made.body, 'registration_access_token')
    expect((await ask('GET', `${register}/${id}`, { bearer })).status).toBe(200)
    await ask('PUT', `${admin}/${id}/lifespans`, { json: {} })
    expect((await ask('GET', `${register}/${id}`, { bearer })).status).toBe(200)
    expect(member((await ask('PATCH', `${admin}/${id}`, { json: [] })).body, 'client_id')).toBe(id)
    expect(await ask('GET', `${register}/${id}`, { bearer })).toMatchObject(UNAUTHORIZED)
  })
})
