// What was called, over public HTTP: metrics as JSON and for Prometheus, billing and the log.

import { describe, expect, inject, it } from 'vitest'
import { Billing } from '../../../src/features/billing/read-billing.ts'
import { LogList } from '../../../src/features/logs/schemas.ts'
import { Metrics } from '../../../src/features/metrics/schemas.ts'
import { makeKey } from '../../support/keys.ts'
import { asAdmin } from '../dashboard/caller.ts'

const { base_url: url } = inject('stack')
const { key, id } = await makeKey('service_role', { rateLimitPerMinute: 100_000 })

async function call(path: string, headers: Record<string, string> = { apikey: key }) {
  const response = await fetch(url + path, { headers })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  }
}

/** Isolates tell of their requests after ten seconds. */
const TOLD = { timeout: 25_000 }

it('shows a request in the log, by its id, its key, its route and its status, and without what was sent', async () => {
  const { headers } = await call('/v1/db/nowhere?select=secret-column')
  const requestId = headers.get('x-request-id') ?? ''
  const find = async (filters: string) => {
    const { body } = await call(`/v1/logs?request_id=${requestId}${filters}`)
    return LogList.strict().parse(body).data
  }
  await expect.poll(() => find(''), TOLD).toHaveLength(1)
  const [entry] = await find(`&source=request&status=404&key_id=${id}&route=GET+/v1/db/:table`)
  expect(entry).toMatchObject({ name: 'GET /v1/db/:table', status: 404, key_id: id, request_id: requestId })
  expect(JSON.stringify(entry)).not.toContain('secret-column')
  expect(await find('&status=4xx&route=/v1/db/:table')).toHaveLength(1)
  expect(await find('&status=5xx')).toEqual([])
  expect(await find('&source=audit')).toEqual([])
})

it('counts answers by route, status and duration', async () => {
  for (let i = 0; i < 3; i++) await call('/v1/modules')
  const routeOf = async () => {
    const { body } = await call('/v1/metrics')
    const { responses } = Metrics.strict().parse(body)
    return responses.by_route.find(({ route }) => route === 'GET /v1/modules')?.requests ?? 0
  }
  await expect.poll(routeOf, TOLD).toBeGreaterThanOrEqual(3)
})

describe('the log', () => {
  it('goes on page by page, each entry once, over all its sources', async () => {
    const maker = await makeKey('service_role')
    const made: (string | null)[] = []
    for (let i = 0; i < 3; i++) {
      const response = await fetch(`${url}/v1/keys`, {
        method: 'POST',
        headers: { apikey: maker.key, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'logged', role: 'anon' }),
      })
      made.push(response.headers.get('x-request-id'))
    }
    const readAll = async () => {
      const ids: string[] = []
      let cursor = ''
      do {
        const { body } = await call(`/v1/logs?key_id=${maker.id}&limit=2${cursor}`)
        ids.push(...body.data.map((entry: { source: string; id: string }) => `${entry.source} ${entry.id}`))
        cursor = body.next_cursor === null ? '' : `&cursor=${encodeURIComponent(body.next_cursor)}`
      } while (cursor !== '')
      return ids
    }
    await expect
      .poll(readAll, TOLD)
      .toEqual(expect.arrayContaining(made.map(requestId => `request ${requestId}`)))
    const ids = await readAll()
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter(each => each.startsWith('audit'))).toHaveLength(3)
    const { body } = await call(`/v1/logs?key_id=${maker.id}`)
    for (const { time } of body.data) expect(time).toMatch(/^[\d-]+T[\d:]+\.\d+Z$/)
  })

  it.each([
    ['status=999', 'query.status'],
    ['source=nothing', 'query.source'],
    ['limit=0', 'query.limit'],
    ['key_id=none', 'query.key_id'],
    ['from=yesterday', 'query.from'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T21:59:59-02:00', 'query.from'],
    ['cursor=abc', 'query.cursor'],
    [`cursor=${btoa('[1e300,"audit","x",0]')}`, 'query.cursor'],
  ])('refuses %s', async (query, name) => {
    const { status, body } = await call(`/v1/logs?${query}`)
    expect(status).toBe(400)
    expect(`${body.error} ${body.detail}`).toContain(name)
  })

  it('takes the time of an entry as a bound, as it is', async () => {
    const [entry] = LogList.parse((await call('/v1/logs?source=audit&limit=1')).body).data
    const { body } = await call(`/v1/logs?source=audit&from=${entry?.time}`)
    expect(LogList.parse(body).data).toContainEqual(entry)
  })

  it('refuses a cursor that belongs to other filters', async () => {
    const { body } = await call('/v1/logs?source=audit&limit=1')
    const cursor = encodeURIComponent(body.next_cursor)
    expect((await call(`/v1/logs?source=audit&limit=1&cursor=${cursor}`)).status).toBe(200)
    expect((await call(`/v1/logs?limit=1&cursor=${cursor}`)).body).toMatchObject({
      code: 'invalid_parameter',
    })
  })
})

describe('metrics', () => {
  it('are text for whoever scrapes, with the key as the password of basic auth', async () => {
    // As Prometheus 3 sends it.
    const accept =
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=1.0.0;q=0.5,*/*;q=0.1'
    const authorization = `Basic ${btoa(`service_role:${key}`)}`
    const { status, headers, text } = await call('/v1/metrics', { accept, authorization })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(text).toMatch(/^pg_database_size_bytes\{datname="\w+"\} \d+$/m)
    // What dashboards for postgres_exporter draw.
    for (const name of [
      'numbackends',
      'xact_commit',
      'tup_fetched',
      'tup_inserted',
      'temp_bytes',
      'conflicts',
    ])
      expect(text).toMatch(new RegExp(`^pg_stat_database_${name}\\{datname="\\w+"\\} \\d+$`, 'm'))
    expect(text).toMatch(
      /^http_request_duration_seconds_bucket\{method="GET",route="[^"]+",le="\+Inf"\} \d+$/m,
    )
  })

  it('refuse basic auth with anything else than a key of the right role', async () => {
    const { key: anonKey } = await makeKey('anon')
    const statusWith = async (password: string) =>
      (await call('/v1/metrics', { authorization: `Basic ${btoa(`service_role:${password}`)}` })).status
    expect(await statusWith(anonKey)).toBe(403)
    expect(await statusWith('svc_sk_guessed')).toBe(401)
    expect(await statusWith('guessed')).toBe(401)
    const elsewhere = { authorization: `Basic ${btoa(`service_role:${key}`)}` }
    expect((await call('/v1/keys', elsewhere)).status).toBe(401)
  })

  it.each([
    ['step=0', 'query.step'],
    ['step=61', 'query.step'],
    ['step=60&from=2020-01-01T00:00:00Z', 'query.step'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'query.from'],
    ['from=soon', 'query.from'],
  ])('refuse %s', async (query, name) => {
    const { status, body } = await call(`/v1/metrics?${query}`)
    expect(status).toBe(400)
    expect(`${body.error} ${body.detail}`).toContain(name)
  })
})

describe('billing', () => {
  it("is of the key's project and no other, and of the oldest one for an administrator", async () => {
    const own = Billing.strict().parse((await call('/v1/billing')).body)
    expect(own.plan).toMatchObject({ id: 'self-hosted', requests_per_month: null })
    expect(own.usage.database_bytes).toBeGreaterThan(1_000_000)
    const oldest = await asAdmin('GET', '/api/billing')
    expect(Billing.strict().parse(oldest.json).project_id).toBe(own.project_id)
    const stranger = crypto.randomUUID()
    expect((await asAdmin('GET', `/api/billing?project_id=${stranger}`)).json.code).toBe('not_found')
    expect((await call(`/v1/billing?project_id=${stranger}`)).body.code).toBe('not_found')
    expect((await call(`/v1/billing?project_id=${own.project_id}`)).status).toBe(200)
  })
})
