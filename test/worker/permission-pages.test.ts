// A permission server whose pages never end, or whose page tokens make no sense: every answer has an end, and says what
// it lacks. In the real bundle.

import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const { session_cookie_user } = inject('stack')
const SERVER = 'http://endless.test'
const CALLS_MAX = 1_000

let quoin: TestWorker
let calls = 0
let nextPageToken = ''

beforeAll(async () => {
  quoin = await startTestWorker({
    vars: { PERMISSION_READ_URL: SERVER, PERMISSION_WRITE_URL: `${SERVER}/write` },
    outbound(request) {
      if (!request.url.startsWith(SERVER)) return undefined
      calls += 1
      if (request.url.endsWith('/namespaces')) return Response.json({ namespaces: [{ name: 'Project' }] })
      if (request.url.includes('/check')) return Response.json({ allowed: false })
      if (request.url.includes('/write')) return new Response(null, { status: 204 })
      const tuple = { namespace: 'Project', object: 'other', relation: 'viewer', subject_id: 'somebody' }
      return Response.json({ relation_tuples: [tuple], next_page_token: nextPageToken })
    },
  })
})
afterAll(() => quoin?.close())
beforeEach(() => {
  calls = 0
  nextPageToken = 'x'.repeat(764)
})

async function ask(method: string, path: string, body?: unknown) {
  const response = await quoin.fetch(`/api/permsrv${path}`, {
    method,
    headers: { cookie: session_cookie_user ?? '', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

const TUPLE = 'Project:apollo#viewer@alice'

it.each<[string, string, unknown, object]>([
  ['POST', '/relation-tuples/import', { tuples: [TUPLE] }, { imported: 1 }],
  ['PUT', '/tuples', TUPLE, { created: true }],
  ['POST', '/relation-tuples/batch-delete', { tuples: [TUPLE] }, { deleted: 0 }],
  ['GET', '/tuples', undefined, { data: [{ object: 'other' }] }],
  ['GET', '/subject-tuples/somebody', undefined, { complete: false, truncated_by: 'calls' }],
  [
    'GET',
    '/namespaces',
    undefined,
    { data: expect.arrayContaining([expect.objectContaining({ counted_all: false })]) },
  ],
  [
    'POST',
    '/who-can-access',
    { namespace: 'Project', object: 'a' },
    { complete: false, truncated_by: 'calls' },
  ],
  ['POST', '/explain', TUPLE, { allowed: false, reason: 'limit', truncated_by: 'calls' }],
])('%s %s ends where the pages do not', async (method, path, body, expected) => {
  const { status, json } = await ask(method, path, body)
  expect(status).toBeLessThan(300)
  expect(json).toMatchObject(expected)
  expect(calls).toBeLessThan(CALLS_MAX)
})

it('500 tuples of different objects and subjects are bounded too', async () => {
  const tuples = Array.from({ length: 500 }, (_, n) => `Project:p${n % 250}#viewer@user-${n % 251}`)
  expect(await ask('POST', '/relation-tuples/import', { tuples })).toMatchObject({ status: 200 })
  expect(calls).toBeLessThan(CALLS_MAX)
})

it.each(['中'.repeat(50), 'x'.repeat(4_097), 'with space'])(
  'a page token that no server makes is no answer (%#)',
  async token => {
    nextPageToken = token
    expect(await ask('GET', '/tuples')).toMatchObject({
      status: 502,
      json: { code: 'upstream_invalid_answer' },
    })
  },
)
