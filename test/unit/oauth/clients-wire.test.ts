// The client calls against every odd answer that the OAuth2 server, a gateway or something else may give. See the
// contracts of the Hydra wire, sections 1 and 2.2. Also what goes out on the wire.

import { describe, expect, it } from 'vitest'
import type { Upstream, UpstreamAnswer } from '../../../src/clients/http.ts'
import {
  deleteClient,
  getClient,
  listClientPage,
  patchClient,
  processClient,
  processClientPage,
  processCreatedClient,
  processDeletedClient,
} from '../../../src/clients/oauth-server/clients.ts'

const server: Upstream = {
  name: 'oauth_server',
  baseUrl: 'http://oauth.example',
  variable: 'OAUTH_ADMIN_URL',
  fetch: () => Promise.reject(new Error('no call was expected')),
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): UpstreamAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const json = typeof body === 'string' ? undefined : body
  return { status, headers: new Headers(headers), text, json }
}

/** As the server writes a client right after it was made: null for lists that were not given. */
const AFTER_WRITE = {
  client_id: 'c1',
  client_name: 'Shop',
  redirect_uris: null,
  grant_types: null,
  response_types: null,
  audience: [],
  contacts: null,
  owner: '',
  jwks: {},
  metadata: {},
  skip_consent: false,
  skip_logout_consent: null,
  registration_access_token: 'ory_at_secret',
  authorization_code_grant_access_token_lifespan: '1h0m0s',
  client_credentials_grant_access_token_lifespan: null,
}
const NOT_FOUND = { error: 'Unable to locate the resource', error_description: '' }
const HTML = '<html><body>404</body></html>'
const METADATA_PREAMBLE =
  'The value of one of the Client Metadata fields is invalid and the server has rejected this request. Note that an ' +
  "Authorization Server MAY choose to substitute a valid value for any requested parameter of a Client's Metadata."

describe('a client in an answer', () => {
  it('has empty lists for null, empty texts for what is left out, and no registration token', () => {
    const client = processClient(server, answer(200, AFTER_WRITE))
    expect(client).toMatchObject({
      client_id: 'c1',
      redirect_uris: [],
      grant_types: [],
      response_types: [],
      contacts: [],
      post_logout_redirect_uris: [],
      sector_identifier_uri: '',
      access_token_strategy: '',
      authorization_code_grant_access_token_lifespan: '1h0m0s',
      client_credentials_grant_access_token_lifespan: null,
      device_authorization_grant_access_token_lifespan: null,
    })
    expect(JSON.stringify(client)).not.toContain('ory_at_secret')
  })

  it('is none for a 404 in the words of the server', () => {
    expect(processClient(server, answer(404, NOT_FOUND))).toBeUndefined()
    expect(processDeletedClient(server, answer(404, NOT_FOUND))).toBe(false)
  })

  it.each([
    ['an HTML page', 404, HTML],
    ['the 404 of an unknown path', 404, '404 page not found\n'],
    ['an HTML page with 200', 200, HTML],
    ['a client without id', 200, { client_name: 'x' }],
    ['a list where one client belongs', 200, [AFTER_WRITE]],
    ['an answer to something else', 202, AFTER_WRITE],
    ['a redirect', 302, ''],
  ])('is not taken from %s', (_, status, body) => {
    const expected = expect.objectContaining({ code: 'upstream_invalid_answer' })
    expect(() => processClient(server, answer(status, body))).toThrow(expected)
    expect(() => processCreatedClient(server, answer(status, body))).toThrow(expected)
    expect(() => processClientPage(server, answer(status, status === 200 ? { data: [] } : body))).toThrow(
      expected,
    )
  })

  it.each([401, 403])('is not taken from a gateway that refuses us with %i', status => {
    const refused = answer(status, { error: 'request_unauthorized', error_description: '' })
    for (const process of [processClient, processCreatedClient, processClientPage, processDeletedClient])
      expect(() => process(server, refused)).toThrow(
        expect.objectContaining({ code: 'upstream_misconfigured' }),
      )
  })

  it.each([
    ['a patch that the server cannot read', 500, { error: 'error', error_description: 'unrecognizable' }],
    ['a gateway without a server', 502, HTML],
  ])('is not taken from %s', (_, status, body) => {
    for (const process of [processClient, processCreatedClient, processClientPage, processDeletedClient])
      expect(() => process(server, answer(status, body))).toThrow(
        expect.objectContaining({ code: 'upstream_unavailable' }),
      )
  })
})

describe('a refusal', () => {
  it.each([
    [
      'a redirect URI',
      'invalid_redirect_uri',
      'The value of one or more redirect_uris is invalid. Redirect URIs must not contain fragments (#).',
      'Redirect URIs must not contain fragments (#).',
    ],
    [
      'a field',
      'invalid_client_metadata',
      `${METADATA_PREAMBLE} Fields jwks and jwks_uri can not both be set, you must choose one.`,
      'Fields jwks and jwks_uri can not both be set, you must choose one.',
    ],
    ['a sector identifier', 'invalid_client_metadata', METADATA_PREAMBLE, 'invalid_client_metadata'],
  ])('of %s is told in the words of the server', (_, error, error_description, detail) => {
    const refusal = answer(400, { error, error_description })
    for (const process of [processClient, processCreatedClient])
      expect(() => process(server, refusal)).toThrow(
        expect.objectContaining({
          code: 'oauth_client_refused',
          detail,
          hint: expect.stringContaining('sector_identifier_uri'),
        }),
      )
  })

  it('of an id that is taken is a conflict', () => {
    const taken = answer(409, { error: 'Unable to insert or update resource', error_description: '' })
    expect(() => processCreatedClient(server, taken)).toThrow(expect.objectContaining({ code: 'conflict' }))
  })

  it('of a page token is about the token', () => {
    const expired = answer(400, { error: 'Bad Request', error_description: 'page token expired' })
    expect(() => processClientPage(server, expired)).toThrow(
      expect.objectContaining({
        code: 'invalid_parameter',
        message: expect.stringContaining('query.page_token'),
      }),
    )
  })
})

describe('a page', () => {
  it('goes on at the relative next link, and ends without one', () => {
    const link =
      '</admin/clients?page_size=2&page_token=first>; rel="first",' +
      '</admin/clients?page_size=2&page_token=a%2Bb%3D>; rel="next"'
    const page = processClientPage(server, answer(200, [AFTER_WRITE], { link }))
    expect(page.items).toHaveLength(1)
    expect(page.nextPageToken).toBe('a+b=')
    const last = processClientPage(server, answer(200, [], { link: link.split(',')[0] ?? '' }))
    expect(last).toMatchObject({ items: [], nextPageToken: undefined })
  })
})

/** A server that gives this answer and notes what it was asked. */
function recording(status: number, body?: unknown) {
  const calls: { method: string | undefined; url: string; body: unknown }[] = []
  const fetchCall: typeof fetch = async (url, init) => {
    const text = init?.body
    calls.push({
      method: init?.method,
      url: String(url),
      body: typeof text === 'string' ? JSON.parse(text) : undefined,
    })
    return new Response(body === undefined ? null : JSON.stringify(body), { status })
  }
  return { upstream: { ...server, fetch: fetchCall }, calls }
}

describe('on the wire', () => {
  it('a change is one patch of replace operations on fields at the root', async () => {
    const { upstream, calls } = recording(200, AFTER_WRITE)
    await patchClient(upstream, 'c 1/2', { client_name: 'New', audience: [] })
    expect(calls).toEqual([
      {
        method: 'PATCH',
        url: 'http://oauth.example/admin/clients/c%201%2F2',
        body: [
          { op: 'replace', path: '/client_name', value: 'New' },
          { op: 'replace', path: '/audience', value: [] },
        ],
      },
    ])
  })

  // Other tools make clients with the server itself, which takes nearly any id.
  it('a client has the id that the server gave it, beyond ASCII too', async () => {
    const { upstream, calls } = recording(200, { ...AFTER_WRITE, client_id: 'größe ✓' })
    expect(await getClient(upstream, 'größe ✓')).toMatchObject({ client_id: 'größe ✓' })
    expect(calls[0]?.url).toBe(`http://oauth.example/admin/clients/${encodeURIComponent('größe ✓')}`)
  })

  it('a deletion is a 204 without body', async () => {
    const { upstream, calls } = recording(204)
    expect(await deleteClient(upstream, 'c1')).toBe(true)
    expect(calls.map(call => `${call.method} ${call.url}`)).toEqual([
      'DELETE http://oauth.example/admin/clients/c1',
    ])
  })

  it('a list names its owner and size', async () => {
    const { upstream, calls } = recording(200, [])
    await listClientPage(upstream, { pageSize: 500, owner: 'team & co' })
    expect(calls[0]?.url).toBe('http://oauth.example/admin/clients?page_size=500&owner=team+%26+co')
  })

  // `..` would be taken out of the address and call another endpoint: DELETE /admin/clients/../keys is not about
  // clients.
  it.each(['.', '..', '', '\ud800', 'a\nb', 'x'.repeat(256)])(
    'nothing is sent for %j, which no client can have',
    async id => {
      expect(await getClient(server, id)).toBeUndefined()
      expect(await patchClient(server, id, { client_name: 'x' })).toBeUndefined()
      expect(await deleteClient(server, id)).toBe(false)
    },
  )
})
