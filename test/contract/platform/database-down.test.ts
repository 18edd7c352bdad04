// What a caller sees while the database is away or refuses the Worker's login: 503, a time to come back, and nothing of
// where the database is; and that calls succeed again without a restart.

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../../local/ports.ts'
import { type Gateway, startGateway } from '../../../sql-gateway/server.ts'
import { startTestWorker, type TestWorker } from '../../support/worker.ts'

const stack = inject('stack')
const CALLS: [path: string, body: object | undefined][] = [
  ['/v1/db/no_table_of_this_name', undefined],
  ['/v1/sql', { sql: 'select 1' }],
  ['/v1/sql/transaction', { statements: [{ sql: 'select 1' }] }],
]

/** Paths, hosts, ports, role names, and the words in which Postgres speaks of them. */
const INTERNAL =
  /\/tmp|PGSQL|127\.0\.0\.1|localhost|\b\d{4,5}\b|authenticator|quoin_owner|postgres|password|ECONN|gateway/i

function call(quoin: TestWorker, path: string, body: object | undefined): Promise<Response> {
  const headers = { apikey: stack.service_role_key, 'content-type': 'application/json' }
  return quoin.fetch(
    path,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  )
}

async function expectUnavailable(response: Response, code: string): Promise<void> {
  const text = await response.text()
  expect(response.status, text).toBe(503)
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  const { request_id, ...said } = JSON.parse(text)
  expect(said.code).toBe(code)
  expect(JSON.stringify(said)).not.toMatch(INTERNAL)
  expect(request_id).toEqual(expect.any(String))
}

describe('when nothing listens where the database was', () => {
  test('every call is 503 without a word of where it was, and succeeds as soon as it is back', async () => {
    const port = await freePort()
    await using quoin = await startTestWorker({ vars: { SQL_GATEWAY_URL: `http://127.0.0.1:${port}` } })
    // Even the key cannot be checked.
    for (const [path, body] of CALLS)
      await expectUnavailable(await call(quoin, path, body), 'admission_unavailable')

    const gateway = await startGateway({ databaseUrls: [stack.database_url, stack.data_database_url], port })
    try {
      await expect
        .poll(async () => (await call(quoin, '/v1/sql', { sql: 'select 1 as one' })).status, {
          timeout: 10_000,
        })
        .toBe(200)
      await gateway.close()
      // The key is known by now: it is the data that is missing.
      await expectUnavailable(await call(quoin, '/v1/db/no_table', undefined), 'database_unavailable')
      // Whether it was away before it got the call, or after, the runtime does not tell.
      const lost = await call(quoin, '/v1/sql', { sql: 'select 1' })
      expect([lost.status, lost.headers.get('retry-after')]).toEqual([503, null])
      const { request_id: _, ...said } = (await lost.json()) as Record<string, unknown>
      expect(said).toMatchObject({
        code: 'database_unavailable',
        detail: expect.stringContaining('may have been'),
      })
      expect(JSON.stringify(said)).not.toMatch(INTERNAL)
    } finally {
      await gateway.close()
    }
  })
})

describe('when the login of callers is refused', () => {
  const wrongUrl = new URL(stack.data_database_url)
  wrongUrl.password = 'not-the-password'
  let gateway: Gateway

  beforeAll(async () => {
    gateway = await startGateway({ databaseUrls: [stack.database_url, wrongUrl.href] })
  })

  afterAll(() => gateway.close())

  test.each([
    ['by Postgres', () => gateway.url],
    ['by the gateway', () => stack.sql_gateway_url ?? ''],
  ])('it is a fault of the service and not of the caller: 503, not 403 (%s)', async (_whom, url) => {
    await using quoin = await startTestWorker({
      vars: { SQL_GATEWAY_URL: url(), DATA_DATABASE_URL: wrongUrl.href },
    })
    for (const [path, body] of CALLS)
      await expectUnavailable(await call(quoin, path, body), 'database_unavailable')
    expect(await (await call(quoin, '/v1/status', undefined)).json()).toMatchObject({
      status: 'degraded',
      database: { state: 'up', data_state: 'down' },
      problems: expect.arrayContaining([expect.stringMatching(/^DATA_DATABASE_URL: its login is refused/)]),
    })
  })
})
