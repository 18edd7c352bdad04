// What bad input to the client administration gets: an error with a stable code and the place of the mistake, and
// nothing changed. Every check of every field is in test/unit/oauth/clients-fields.test.ts.

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Answer, call, clients, deleteMadeClients, makeClient, storedClient } from './caller.ts'

const { service_role_key, oauth_admin_url } = inject('stack')
const CALLBACK = 'https://app.example.com/callback'
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'

afterAll(deleteMadeClients)

const BAD_FIELDS: [string, Record<string, unknown>, string][] = [
  ['a relative redirect URI', { redirect_uris: [CALLBACK, '/cb'] }, 'body.redirect_uris.1'],
  ['a duplicate redirect URI', { redirect_uris: [CALLBACK, CALLBACK] }, 'body.redirect_uris.1'],
  ['a fragment', { redirect_uris: [`${CALLBACK}#x`] }, 'body.redirect_uris.0'],
  ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'body.redirect_uris.0'],
  ['plain http beyond this machine', { redirect_uris: ['http://app.example.com/'] }, 'body.redirect_uris.0'],
  ['no list', { redirect_uris: CALLBACK }, 'body.redirect_uris'],
  ['an unknown grant type', { grant_types: ['telepathy'] }, 'body.grant_types.0'],
  ['an unknown response type', { response_types: ['cookie'] }, 'body.response_types.0'],
  ['an unknown auth method', { token_endpoint_auth_method: 'telepathy' }, 'body.token_endpoint_auth_method'],
  ['an unknown subject type', { subject_type: 'secret' }, 'body.subject_type'],
  ['a scope with a quote', { scope: 'read "write"' }, 'body.scope'],
  ['an empty scope', { scope: '' }, 'body.scope'],
  ['a sector without https', { sector_identifier_uri: 'http://example.com/s' }, 'body.sector_identifier_uri'],
  ['metadata beyond 4 KiB', { metadata: { text: 'x'.repeat(4096) } }, 'body.metadata'],
  ['skip_consent that is no boolean', { metadata: { skip_consent: 1 } }, 'body.metadata.skip_consent'],
  ['an unknown field', { client_secret: 'chosen-by-the-caller' }, 'body'],
]

const BAD_TOKEN_CONFIG: [string, Record<string, unknown>, string][] = [
  ['a lifetime of zero', { access_token_ttl: 0 }, 'body.access_token_ttl'],
  ['a negative lifetime', { refresh_token_ttl: -5 }, 'body.refresh_token_ttl'],
  ['a lifetime beyond ten years', { id_token_ttl: 315_360_001 }, 'body.id_token_ttl'],
  ['a lifetime with a fraction', { access_token_ttl: 1.5 }, 'body.access_token_ttl'],
  ['a lifetime as text', { access_token_ttl: '3600s' }, 'body.access_token_ttl'],
  ['an unknown strategy', { access_token_strategy: 'paseto' }, 'body.access_token_strategy'],
  ['a relative logout address', { backchannel_logout_uri: '/logout' }, 'body.backchannel_logout_uri'],
  ['a logout address with a fragment', { frontchannel_logout_uri: `${CALLBACK}#x` }, 'body.frontchannel'],
]

function expectMistake(answer: Answer, place: string): void {
  expect(answer.status).toBe(400)
  expect(answer.json).toEqual({
    error: expect.stringContaining(place),
    code: 'validation_failed',
    detail: answer.json['detail'],
    hint: expect.any(String),
    request_id: expect.any(String),
  })
}

describe('a creation', () => {
  it.each([...BAD_FIELDS, ...BAD_TOKEN_CONFIG])(
    'with %s is 400 and names the place',
    async (_, fields, place) => {
      expectMistake(await clients('POST', '', { redirect_uris: [CALLBACK], ...fields }), place)
    },
  )

  it.each<[string, Record<string, unknown>, string]>([
    [
      'code for a machine',
      { grant_types: ['client_credentials'], response_types: ['code'] },
      'response_types.0',
    ],
    ['token without implicit', { response_types: ['token'] }, 'response_types.0'],
    ['refresh_token alone', { grant_types: ['refresh_token'] }, 'grant_types.0'],
    ['no redirect URI', { redirect_uris: [] }, 'redirect_uris'],
    [
      'a machine without a secret',
      { grant_types: ['client_credentials'], token_endpoint_auth_method: 'none' },
      'token_endpoint_auth_method',
    ],
    [
      'pairwise over several redirect URIs',
      { subject_type: 'pairwise', redirect_uris: [CALLBACK, `${CALLBACK}2`] },
      'sector_identifier_uri',
    ],
    [
      'a pairwise device',
      { subject_type: 'pairwise', grant_types: [DEVICE_CODE], redirect_uris: [] },
      'sector_identifier_uri',
    ],
  ])('of a pair that cannot work is 400: %s', async (_, fields, place) => {
    expectMistake(await clients('POST', '', { redirect_uris: [CALLBACK], ...fields }), place)
  })

  it('of pairwise subjects with JWT access tokens is 422, with the reason', async () => {
    const answer = await clients('POST', '', {
      redirect_uris: [CALLBACK],
      subject_type: 'pairwise',
      access_token_strategy: 'jwt',
    })
    expect(answer.status).toBe(422)
    expect(answer.json).toMatchObject({
      code: 'unsupported_combination',
      error: expect.stringContaining('subject'),
    })
  })

  it('is held to the same with a key', async () => {
    const answer = await call(
      'POST',
      '/v1/oauth2/clients',
      { redirect_uris: ['/cb'] },
      { apikey: service_role_key },
    )
    expectMistake(answer, 'body.redirect_uris.0')
  })
})

describe('a change', () => {
  let id: string
  let stored: unknown
  beforeAll(async () => {
    const fields = {
      grant_types: ['authorization_code'],
      redirect_uris: [CALLBACK],
      subject_type: 'pairwise',
    }
    id = (await makeClient(fields)).id
    stored = (await storedClient(id)).json
  })

  it.each([...BAD_FIELDS, ...BAD_TOKEN_CONFIG])(
    'with %s is 400, and nothing is changed',
    async (_, fields, place) => {
      expectMistake(await clients('PUT', `/${id}`, { client_name: 'changed', ...fields }), place)
      expect((await storedClient(id)).json).toEqual(stored)
    },
  )

  it.each(BAD_TOKEN_CONFIG)('of the token configuration with %s is 400', async (_, fields, place) => {
    expectMistake(await clients('PATCH', `/${id}/token-config`, fields), place)
    expect((await storedClient(id)).json).toEqual(stored)
  })

  it('is held to the record that comes out of it', async () => {
    expectMistake(await clients('PUT', `/${id}`, { grant_types: ['client_credentials'] }), 'response_types.0')
    expectMistake(await clients('PUT', `/${id}`, { redirect_uris: [] }), 'body.redirect_uris')
    const jwt = { access_token_strategy: 'jwt' }
    for (const answer of [
      await clients('PATCH', `/${id}/token-config`, jwt),
      await clients('PUT', `/${id}`, jwt),
    ])
      expect([answer.status, answer.json['code']]).toEqual([422, 'unsupported_combination'])
    expect((await storedClient(id)).json).toEqual(stored)
  })

  it('of nothing, or of what the token configuration is not, is 400', async () => {
    expectMistake(await clients('PUT', `/${id}`, {}), 'body')
    expectMistake(await clients('PATCH', `/${id}/token-config`, {}), 'body')
    expectMistake(await clients('PATCH', `/${id}/token-config`, { scope: 'openid' }), 'body')
  })
})

describe('a client that does not exist', () => {
  const ids = [
    'nobody',
    crypto.randomUUID(),
    '%2e%2e%2fkeys',
    '..%2f..%2fkeys',
    'a%0ab',
    'x'.repeat(300),
    '%C3%A9',
  ]

  it.each(ids)('is 404 not_found everywhere: %s', async id => {
    for (const [method, path, body] of [
      ['GET', ''],
      ['PUT', '', { client_name: 'x' }],
      ['DELETE', ''],
      ['POST', '/secret'],
      ['PATCH', '/token-config', { access_token_ttl: 60 }],
    ] as const) {
      const answer = await clients(method, `/${id}${path}`, body)
      expect([method, answer.status, answer.json['code']]).toEqual([method, 404, 'not_found'])
    }
    const byKey = await call('DELETE', `/v1/oauth2/clients/${id}`, undefined, { apikey: service_role_key })
    expect([byKey.status, byKey.json['code']]).toEqual([404, 'not_found'])
  })
})

it('a client that another tool has made is served by the id that it has there', async () => {
  const id = `größe ✓ ${crypto.randomUUID()}`
  const made = await fetch(`${oauth_admin_url}/admin/clients`, {
    method: 'POST',
    body: JSON.stringify({ client_id: id, grant_types: ['client_credentials'] }),
  })
  expect(made.status).toBe(201)
  const path = `/${encodeURIComponent(id)}`
  expect(await clients('GET', path)).toMatchObject({ status: 200, json: { client_id: id } })
  expect(await clients('PUT', path, { client_name: 'Served' })).toMatchObject({
    status: 200,
    json: { client_id: id, client_name: 'Served' },
  })
  expect((await clients('DELETE', path)).status).toBe(204)
  expect((await clients('GET', path)).status).toBe(404)
})

describe('a list', () => {
  // The server ends the connection at a short token that it did not make, so none of these may reach it.
  it.each([
    'page_token=AAAA',
    `page_token=${'%20'.repeat(40)}`,
    'page_token=',
    'page_size=0',
    'page_size=501',
    'page_size=abc',
    'page_size=-1',
    'cursor=x',
    'page_size=1&page_size=2',
  ])('with %s is 400', async query => {
    const answer = await clients('GET', `?${query}`)
    expect([answer.status, answer.json['code']]).toEqual([400, 'validation_failed'])
  })

  it('with a token that only looks like one is 400', async () => {
    const answer = await clients('GET', `?page_size=2&page_token=${'A1b2'.repeat(20)}`)
    expect([answer.status, answer.json['code']]).toEqual([400, 'invalid_parameter'])
  })
})
