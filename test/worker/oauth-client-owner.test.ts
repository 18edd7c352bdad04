// A deployment that names an owner for its clients, in the real bundle: clients of other owners at the same OAuth2
// server are not there, whichever way one asks. And what callers are told when that server is not itself.

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const { service_role_key, session_cookie_user, oauth_admin_url } = inject('stack')
const OWNER = `owner ${crypto.randomUUID()} & co`
const MACHINE = { grant_types: ['client_credentials'], scope: 'read' }

let quoin: TestWorker
/** In place of the OAuth2 server's admin API, for the requests of one test. */
let oddServer: ((request: Request) => Response | Promise<Response>) | undefined
const made: string[] = []

beforeAll(async () => {
  quoin = await startTestWorker({
    vars: { OAUTH_CLIENT_OWNER: OWNER },
    outbound: request => (request.url.startsWith(oauth_admin_url ?? '-') ? oddServer?.(request) : undefined),
  })
})

afterAll(async () => {
  oddServer = undefined
  for (const id of made) await fetch(`${oauth_admin_url}/admin/clients/${id}`, { method: 'DELETE' })
  await quoin?.close()
})

async function call(method: string, path: string, body?: unknown) {
  const response = await quoin.fetch(path, {
    method,
    headers: {
      apikey: service_role_key,
      cookie: session_cookie_user ?? '',
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
}

/** A client made past Quoin, at the OAuth2 server itself. */
async function makeForeignClient(): Promise<string> {
  const response = await fetch(`${oauth_admin_url}/admin/clients`, {
    method: 'POST',
    body: JSON.stringify({ ...MACHINE, owner: 'somebody else' }),
  })
  const { client_id } = (await response.json()) as { client_id: string }
  made.push(client_id)
  return client_id
}

const requestsOn = (id: string): [method: string, path: string, body?: object][] => [
  ['GET', `/api/oauthsrv/clients/${id}`],
  ['PUT', `/api/oauthsrv/clients/${id}`, { client_name: 'taken' }],
  ['PATCH', `/api/oauthsrv/clients/${id}/token-config`, { access_token_ttl: 60 }],
  ['POST', `/api/oauthsrv/clients/${id}/secret`],
  ['DELETE', `/api/oauthsrv/clients/${id}`],
  ['DELETE', `/v1/oauth2/clients/${id}`],
]

describe('OAUTH_CLIENT_OWNER', () => {
  it('is written at creation, and lists hold only clients that have it', async () => {
    await makeForeignClient()
    const own: string[] = []
    for (const path of ['/api/oauthsrv/clients', '/v1/oauth2/clients']) {
      const { status, json } = await call('POST', path, MACHINE)
      expect([status, json.owner]).toEqual([201, OWNER])
      own.push(json.client_id)
    }
    made.push(...own)
    for (const path of ['/api/oauthsrv/clients', '/v1/oauth2/clients', '/v1/oauth2/clients?page_size=500']) {
      const { json } = await call('GET', path)
      expect(json.map((client: { client_id: string }) => client.client_id).sort()).toEqual([...own].sort())
    }
  })

  it('makes a client of another owner one that does not exist, and leaves it alone', async () => {
    const id = await makeForeignClient()
    const stored = async () => (await fetch(`${oauth_admin_url}/admin/clients/${id}`)).json()
    const before = await stored()
    for (const [method, path, body] of requestsOn(id)) {
      const { status, json } = await call(method, path, body)
      expect([method, path, status, json.code]).toEqual([method, path, 404, 'not_found'])
    }
    expect(await stored()).toEqual(before)
  })

  it('cannot be given away', async () => {
    const { json: client } = await call('POST', '/api/oauthsrv/clients', MACHINE)
    made.push(client.client_id)
    for (const owner of ['somebody else', null, '']) {
      const answer = await call('PUT', `/api/oauthsrv/clients/${client.client_id}`, { owner })
      expect([answer.status, answer.json.code]).toEqual([400, 'validation_failed'])
    }
    const same = await call('PUT', `/api/oauthsrv/clients/${client.client_id}`, { owner: OWNER })
    expect(same.status).toBe(200)
  })
})

describe('an OAuth2 server that is not itself', () => {
  it.each<[string, () => Response, number, string]>([
    ['answers with a page', () => new Response('<html>', { status: 200 }), 502, 'upstream_invalid_answer'],
    ['has a page for 404', () => new Response('<html>', { status: 404 }), 502, 'upstream_invalid_answer'],
    [
      'wants credentials',
      () => Response.json({ error: 'no' }, { status: 401 }),
      502,
      'upstream_misconfigured',
    ],
    ['forbids', () => new Response('no', { status: 403 }), 502, 'upstream_misconfigured'],
    ['fails', () => Response.json({ error: 'error' }, { status: 500 }), 502, 'upstream_unavailable'],
    ['is being restarted', () => new Response('<html>', { status: 503 }), 502, 'upstream_unavailable'],
  ])('that %s is named, and is never the fault of the caller', async (_, answer, status, code) => {
    oddServer = answer
    try {
      const requests = [...requestsOn('some-client'), ['GET', '/v1/oauth2/clients'] as const]
      for (const [method, path, body] of requests) {
        const { status: actual, json } = await call(method, path, body)
        expect([method, path, actual, json.code, json.detail]).toEqual([
          method,
          path,
          status,
          code,
          'oauth_server',
        ])
      }
    } finally {
      oddServer = undefined
    }
  })
})
