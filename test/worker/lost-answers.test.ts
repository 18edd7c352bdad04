// An OAuth2 server that does what it is told, and whose answers get lost: whoever asked must not be told that nothing
// was done, and finds in the audit log what to look for. The real bundle in front of the stack's own server.

import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { connectOwner } from '../support/postgres.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const { oauth_admin_url, session_cookie_admin, service_role_key } = inject('stack')
const SET = `lost-${crypto.randomUUID()}`
const HINT = 'It may have been done all the same: look before you try again.'

let quoin: TestWorker
/** What becomes of the answer to a write that the server has performed; undefined: it arrives. */
let lose: (() => Promise<Response>) | undefined
/** Ends the requests that were left hanging. */
let release = () => {}

beforeAll(async () => {
  quoin = await startTestWorker({
    vars: { UPSTREAM_TIMEOUT_MS: '2000' },
    outbound(request) {
      const isWrite = request.method !== 'GET' && request.url.startsWith(oauth_admin_url ?? '-')
      return isWrite && lose !== undefined ? performAndLose(request, lose) : undefined
    },
  })
})
afterAll(async () => {
  release()
  lose = undefined
  await quoin?.close()
})

async function performAndLose(request: Request, then: () => Promise<Response>): Promise<Response> {
  const { status } = await fetch(request)
  expect(status).toBeLessThan(300)
  return await then()
}

const neverArrives = () =>
  new Promise<Response>(resolve => {
    const before = release
    release = () => {
      before()
      resolve(new Response(''))
    }
  })
/** A gateway between the two was quicker to give up. */
const isLost = async () => new Response('<html>', { status: 504 })

async function call(method: string, path: string, body?: unknown) {
  const response = await quoin.fetch(path, {
    method,
    headers: {
      apikey: service_role_key,
      cookie: session_cookie_admin ?? '',
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: text === '' ? {} : JSON.parse(text) }
}

async function auditRowOf(requestId: string) {
  await using owner = await connectOwner()
  const { rows } = await owner.query(
    `select target_id, outcome, error_code, completed_at, after from quoin.audit_logs where request_id = $1`,
    [requestId],
  )
  expect(rows).toHaveLength(1)
  return rows[0]
}

const clientAtServer = (id: string) => fetch(`${oauth_admin_url}/admin/clients/${id}`)

it.each<[string, () => Promise<Response>]>([
  ['never arrives', neverArrives],
  ['is lost by a gateway', isLost],
])('a client is made and the answer %s', async (_, how) => {
  lose = how
  const { status, headers, json } = await call('POST', '/api/oauthsrv/clients', {
    grant_types: ['client_credentials'],
  })
  lose = undefined
  expect([status, json.code, json.hint]).toEqual([502, 'upstream_unavailable', HINT])
  expect(headers.get('retry-after')).toBeNull()
  const row = await auditRowOf(json.request_id)
  expect(row).toMatchObject({
    outcome: 'pending',
    error_code: 'upstream_unavailable',
    completed_at: null,
    after: null,
  })
  expect((await clientAtServer(row.target_id)).status).toBe(200)
  expect((await call('DELETE', `/api/oauthsrv/clients/${row.target_id}`)).status).toBe(204)
})

it('a client is deleted, and looking tells so', async () => {
  const made = await call('POST', '/v1/oauth2/clients', { grant_types: ['client_credentials'] })
  lose = isLost
  const { json } = await call('DELETE', `/v1/oauth2/clients/${made.json.client_id}`)
  lose = undefined
  expect([json.code, json.hint]).toEqual(['upstream_unavailable', HINT])
  expect(await auditRowOf(json.request_id)).toMatchObject({
    outcome: 'pending',
    target_id: made.json.client_id,
  })
  expect((await call('GET', `/api/oauthsrv/clients/${made.json.client_id}`)).status).toBe(404)
})

it('a signing key is made, and the list shows it with its date', async () => {
  lose = isLost
  const { status, json } = await call('POST', '/api/oauthsrv/keys', { set_id: SET, algorithm: 'ES256' })
  lose = undefined
  expect([status, json.code, json.hint]).toEqual([502, 'upstream_unavailable', HINT])
  const row = await auditRowOf(json.request_id)
  expect(row.outcome).toBe('pending')
  const list = await call('GET', `/api/oauthsrv/keys/${SET}`)
  expect(list.json).toMatchObject([{ kid: row.target_id.split('/')[1], created_at: expect.any(String) }])
  await call('DELETE', row.target_id.replace(/^/, '/api/oauthsrv/keys/'))
})
