// Writes of relation tuples whose answer is odd or lost: nothing is claimed that was not done, and the next writer does
// not begin while nobody knows. In the real bundle, before a permission server that misbehaves on purpose.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import { connectOwner } from '../support/postgres.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const { session_cookie_user } = inject('stack')
const SERVER = 'http://permissions.test'
const LEASE = `permissions at ${SERVER}/write`

let quoin: TestWorker
let written: (request: Request) => Response | Promise<Response>
let writes: unknown[] = []

beforeAll(async () => {
  quoin = await startTestWorker({
    vars: {
      PERMISSION_READ_URL: `${SERVER}/read`,
      PERMISSION_WRITE_URL: `${SERVER}/write`,
      PERMISSION_ADMIN_TOKEN: 'the-admin-token',
      UPSTREAM_TIMEOUT_MS: '500',
    },
    outbound(request) {
      if (request.url.startsWith(`${SERVER}/read/namespaces`))
        return Response.json({ namespaces: [{ name: 'Elsewhere' }] })
      if (request.url.startsWith(`${SERVER}/read`))
        return Response.json({ relation_tuples: [], next_page_token: '' })
      if (!request.url.startsWith(SERVER)) return undefined
      return answerWrite(request)
    },
  })
})
afterAll(() => quoin?.close())

async function answerWrite(request: Request): Promise<Response> {
  expect(request.headers.get('authorization')).toBe('Bearer the-admin-token')
  writes.push(await request.clone().json())
  return written(request)
}

beforeEach(async () => {
  writes = []
  await using owner = await connectOwner()
  await owner.query('delete from quoin.leases where name = $1', [LEASE])
})

async function write(...tuples: readonly string[]) {
  const response = await quoin.fetch('/api/permsrv/relation-tuples/import', {
    method: 'POST',
    headers: { cookie: session_cookie_user ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({ tuples: tuples.length > 0 ? tuples : [`Project:${randomUUID()}#viewer@alice`] }),
  })
  const json = (await response.json()) as Record<string, unknown>
  await using owner = await connectOwner()
  const { rows } = await owner.query(
    'select outcome, error_code from quoin.audit_logs where request_id = $1',
    [response.headers.get('x-request-id')],
  )
  return { status: response.status, json, audit: rows[0] as unknown }
}

const refusal = (code: number, reason: string) => () =>
  Response.json({ error: { code, status: '', reason, message: 'no' } }, { status: code })

it('takes 204 for done, and sends all tuples in one call', async () => {
  written = () => new Response(null, { status: 204 })
  const tuples = Array.from({ length: 500 }, (_, n) => `Project:${randomUUID()}#viewer@user-${n}`)
  expect(await write(...tuples)).toMatchObject({
    status: 200,
    json: { imported: 500 },
    audit: { outcome: 'succeeded' },
  })
  expect(writes).toEqual([expect.objectContaining({ length: 500 })])
})

it('passes on what the server refuses, in its own words', async () => {
  written = refusal(404, 'Unknown namespace with name "Elsewhere".')
  expect(await write('Elsewhere:a#b@c')).toMatchObject({
    status: 422,
    json: { code: 'unknown_namespace', detail: 'Unknown namespace with name "Elsewhere".' },
    audit: { outcome: 'failed', error_code: 'unknown_namespace' },
  })
  written = refusal(400, 'subject is not allowed to be nil')
  expect(await write()).toMatchObject({ status: 422, json: { code: 'invalid_tuple' } })
})

it.each<[string, () => Response, string]>([
  ['a page with 401', () => new Response('<html>', { status: 401 }), 'upstream_misconfigured'],
  ['a page with 404', () => new Response('<html>', { status: 404 }), 'upstream_invalid_answer'],
  ['its own 500', refusal(500, 'database'), 'upstream_unavailable'],
])('knows that nothing was written after %s, and lets the next one write', async (_what, odd, code) => {
  written = odd
  expect(await write()).toMatchObject({ status: 502, json: { code }, audit: { outcome: 'failed' } })
  written = () => new Response(null, { status: 204 })
  expect(await write()).toMatchObject({ status: 200 })
})

it.each<[string, () => Response | Promise<Response>]>([
  ['no answer', () => new Promise<Response>(() => {})],
  ["a gateway's 504", () => new Response('', { status: 504 })],
  ['a page with 200', () => new Response('<html>')],
])(
  'says after %s that it may have been written, and lets nobody else write meanwhile',
  async (_what, odd) => {
    written = odd
    const { status, json, audit } = await write()
    expect({ status, audit }).toMatchObject({ status: 502, audit: { outcome: 'pending' } })
    expect(json['hint']).toContain('look before you try again')
    await using owner = await connectOwner()
    const leases = await owner.query('select 1 from quoin.leases where ends_at > now() and name = $1', [
      LEASE,
    ])
    expect(leases.rows).toHaveLength(1)
  },
)

it('takes over a lease that has ended', async () => {
  await using owner = await connectOwner()
  const ended = "insert into quoin.leases values ($1, gen_random_uuid(), now() - interval '1 second')"
  await owner.query(ended, [LEASE])
  written = () => new Response(null, { status: 204 })
  expect(await write()).toMatchObject({ status: 200 })
  const left = await owner.query('select 1 from quoin.leases where name = $1', [LEASE])
  expect(left.rows).toEqual([])
})
