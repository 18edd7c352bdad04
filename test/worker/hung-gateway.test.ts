// What says how the platform does, while the SQL gateway takes requests and never answers: in the real bundle.

import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { makeKey } from '../support/keys.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const { service_role_key, session_cookie_admin, sql_gateway_url } = inject('stack')
const GATEWAY = sql_gateway_url ?? ''

let isHung = false
let release: (response: Response) => void
const never = new Promise<Response>(resolve => {
  release = resolve
})
let quoin: TestWorker

beforeAll(async () => {
  quoin = await startTestWorker({
    outbound: request => (isHung && request.url.startsWith(GATEWAY) ? never : undefined),
  })
  // The key is known from here on.
  expect(await ask('/v1/status')).toMatchObject({ database: { state: 'up' } })
  isHung = true
})

afterAll(async () => {
  release(new Response('', { status: 503 }))
  await quoin?.close()
})

async function ask(path: string): Promise<unknown> {
  const headers = { apikey: service_role_key, cookie: session_cookie_admin ?? '' }
  const response = await quoin.fetch(path, { headers })
  expect(response.status).toBe(200)
  return await response.json()
}

it('the status page does not wait for what hangs, and says that it does', async () => {
  expect(await ask('/v1/status')).toMatchObject({
    status: 'degraded',
    database: { state: 'down', latency_ms: null },
    webhooks: { oldest_waiting_seconds: null },
    problems: [expect.stringContaining('does not answer within 2 s')],
  })
})

// As long as a whole trip to the database may take, 16 s, it held each request with a key that nobody knows.
it('a key that is not known yet is told soon that it cannot be checked', { timeout: 12_000 }, async () => {
  const { key } = await makeKey('anon')
  const response = await quoin.fetch('/v1/db/todos', { headers: { apikey: key } })
  expect([response.status, await response.json()]).toMatchObject([503, { code: 'admission_unavailable' }])
})

it('what asks no database answers as ever', async () => {
  expect(await ask('/healthz')).toEqual({ status: 'ok' })
  expect(await ask('/v1/modules')).toMatchObject({ data: expect.any(Array) })
  expect(await ask('/api/oauthsrv/health')).toMatchObject({ status: 'ok' })
  expect(await ask('/api/oauthsrv/bridge/status')).toMatchObject({ bridge_ready: true })
})
