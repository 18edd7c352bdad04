// What GET /v1/gateway/health says with all parts there, with one that hangs, and with a needed one away: in the real
// bundle, since what requests share is workerd's affair.

import { expect, inject, it } from 'vitest'
import { INGEST_SECRET } from '../support/webhooks.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const { service_role_key, sql_gateway_url, oauth_admin_url, permission_write_url } = inject('stack')

interface Part {
  name: string
  state: string
  latency_ms: number | null
  needed: boolean
  reason: string | null
}

async function askHealth(quoin: TestWorker, signal?: AbortSignal) {
  const init = { headers: { apikey: service_role_key }, ...(signal && { signal }) }
  const response = await quoin.fetch('/v1/gateway/health', init)
  const health = (await response.json()) as { status: string; parts: Part[] }
  return { code: response.status, ...health }
}

const partOf = ({ parts }: { parts: Part[] }, name: string) => parts.find(part => part.name === name)

it('with all parts there it is 200, each with the time that it took', async () => {
  await using quoin = await startTestWorker({ vars: { INGEST_SECRET } })
  const health = await askHealth(quoin)
  expect(health.code).toBe(200)
  const toldByDatabase = ['listener', 'row_changes']
  for (const { name, state, latency_ms, reason } of health.parts) {
    // What the database tells of these is what other tests do to it meanwhile.
    if (toldByDatabase.includes(name)) expect(latency_ms).toBeNull()
    else expect([name, state, reason, typeof latency_ms]).toEqual([name, 'up', null, 'number'])
  }
  const needed = health.parts.filter(part => part.needed).map(({ name }) => name)
  expect(needed).toEqual(['database', 'callers_data', 'sql_gateway'])
})

it('what is not set up is off, and takes nothing from being ok', async () => {
  const names = ['OAUTH_PUBLIC_URL', 'OAUTH_ADMIN_URL', 'IDENTITY_PUBLIC_URL', 'IDENTITY_ADMIN_URL']
  const more = ['PERMISSION_READ_URL', 'PERMISSION_WRITE_URL', 'INGEST_SECRET']
  await using quoin = await startTestWorker({
    vars: Object.fromEntries([...names, ...more].map(name => [name, ''])),
  })
  const health = await askHealth(quoin)
  expect(health).toMatchObject({ code: 200, status: 'ok' })
  // The store of files is bound to every Worker, needed or not.
  for (const { name, needed, state, reason } of health.parts)
    expect([name, state, reason]).toEqual([name, needed || name === 'storage' ? 'up' : 'off', null])
})

it('a part that hangs is down, and not needed it is 200; callers at once make one run', async () => {
  let asked = 0
  await using quoin = await startTestWorker({
    outbound: request => {
      if (!request.url.startsWith(oauth_admin_url ?? '')) return undefined
      asked += 1
      return new Promise<Response>(() => {})
    },
  })
  const both = await Promise.all([askHealth(quoin), askHealth(quoin)])
  for (const health of both) {
    expect(health).toMatchObject({ code: 200, status: 'degraded' })
    expect(partOf(health, 'oauth_admin')).toMatchObject({
      state: 'down',
      latency_ms: null,
      needed: false,
      reason: expect.stringContaining('OAUTH_ADMIN_URL'),
    })
    expect(partOf(health, 'oauth_public')).toMatchObject({ state: 'up', reason: null })
  }
  expect(both[1]).toEqual(both[0])
  expect(asked).toBe(1)
})

it('a caller who goes away keeps no other from an answer', async () => {
  let isFirst = true
  const begun = Promise.withResolvers<void>()
  await using quoin = await startTestWorker({
    outbound: request => {
      if (!isFirst || !request.url.startsWith(permission_write_url ?? '')) return undefined
      isFirst = false
      begun.resolve()
      return new Promise<Response>(() => {})
    },
  })
  const leaving = new AbortController()
  const gone = askHealth(quoin, leaving.signal).catch(err => err)
  await begun.promise
  leaving.abort()
  expect(await askHealth(quoin)).toMatchObject({ code: 200 })
  expect(await gone).toBeInstanceOf(DOMException)
})

it('with a needed part away it is 503 with the same body, and says what to look at', async () => {
  let isHung = false
  await using quoin = await startTestWorker({
    vars: { INGEST_SECRET },
    outbound: request =>
      isHung && request.url.startsWith(sql_gateway_url ?? '') ? new Promise<Response>(() => {}) : undefined,
  })
  // The key is known from here on.
  expect((await quoin.fetch('/v1/modules', { headers: { apikey: service_role_key } })).status).toBe(200)
  isHung = true
  const health = await askHealth(quoin)
  expect(health).toMatchObject({ code: 503, status: 'unavailable' })
  for (const name of ['database', 'callers_data', 'sql_gateway'])
    expect(partOf(health, name)).toMatchObject({
      state: 'down',
      latency_ms: null,
      reason: expect.any(String),
    })
  expect(partOf(health, 'listener')).toMatchObject({ state: 'unknown', reason: null })
  expect(partOf(health, 'queue')).toMatchObject({ state: 'up' })
  expect(JSON.stringify(health)).not.toContain(sql_gateway_url)
})
