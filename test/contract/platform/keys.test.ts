// /v1/keys over HTTP: what each endpoint answers, its headers, and what bad input gets. What the limiter does with the
// keys is in test/worker/api-key-limiter.test.ts; which credentials each route takes is in the test of the route table.

import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { generateKey, parseKey } from '../../../src/features/api-keys/record/key-format.ts'
import { ApiKey, ApiKeyList, ApiKeyWithSecret } from '../../../src/features/api-keys/record/schemas.ts'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'

const { base_url: baseUrl } = inject('stack')
let operator: { id: string; key: string; projectId: string; keyHash: string }

beforeAll(async () => {
  operator = await makeKey('service_role', { rateLimitPerMinute: 100_000 })
})

interface Answer {
  status: number
  headers: Headers
  json: Record<string, unknown>
}

async function call(method: string, path: string, body?: unknown, key = operator.key): Promise<Answer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { apikey: key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as Record<string, unknown>,
  }
}

async function createKey(body: object = {}): Promise<ApiKeyWithSecret> {
  const answer = await call('POST', '/v1/keys', { name: 'contract', role: 'anon', ...body })
  expect(answer.status).toBe(201)
  return ApiKeyWithSecret.parse(answer.json)
}

describe('POST /v1/keys', () => {
  it('answers 201 with the whole record and the key, which works at once with its role', async () => {
    const answer = await call('POST', '/v1/keys', { name: ' deploy ', role: 'service_role' })
    expect(answer.status).toBe(201)
    const { key, ...record } = ApiKeyWithSecret.strict().parse(answer.json)
    expect(parseKey(key)).toEqual({ role: 'service_role' })
    expect(record).toMatchObject({
      project_id: operator.projectId,
      name: 'deploy',
      role: 'service_role',
      prefix: 'svc_sk_',
      last_four: key.slice(-4),
      rate_limit_per_minute: null,
      rate_limit_per_address: null,
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    })
    expect(record.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect((await call('GET', '/v1/keys', undefined, key)).status).toBe(200)
  })

  it('keeps nothing of the key but its hash', async () => {
    const { id, key } = await createKey()
    await using db = await connectOwner()
    const { rows } = await db.query('select k::text as row from quoin.api_keys k where id = $1', [id])
    expect(rows[0].row).not.toContain(key.slice(7, 50))
  })

  it('takes a limit and an end of its own, and the headers show the limit', async () => {
    const created = await createKey({
      role: 'service_role',
      rate_limit_per_minute: 7,
      expires_at: '2999-01-01T02:00:00+02:00',
    })
    expect(created).toMatchObject({ rate_limit_per_minute: 7, expires_at: '2999-01-01T00:00:00.000Z' })
    const { headers } = await call('GET', '/v1/keys', undefined, created.key)
    expect(headers.get('x-ratelimit-limit')).toBe('7')
    expect(headers.get('x-ratelimit-remaining')).toBe('6')
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(0)
    expect(Number(headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(60)
    expect(headers.get('ratelimit-policy')).toBe('"default";q=7;w=60')
    expect(headers.get('ratelimit')).toMatch(/^"default";r=6;t=\d+$/)
    expect(headers.get('x-request-id')).toMatch(/./)
  })

  it('gives 429 with Retry-After, and says so in the body, once the limit is used up', async () => {
    const { key } = await createKey({ role: 'service_role', rate_limit_per_minute: 1 })
    expect((await call('GET', '/v1/keys', undefined, key)).status).toBe(200)
    const refused = await call('GET', '/v1/keys', undefined, key)
    expect([refused.status, refused.json.code]).toEqual([429, 'rate_limited'])
    expect(refused.json.hint).toContain('PATCH /v1/keys/:id')
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })

  it.each([
    ['no body', undefined, 'validation_failed'],
    ['broken JSON', '{"name":', 'invalid_body'],
    ['an array', '[]', 'validation_failed'],
    ['no name', { role: 'anon' }, 'validation_failed'],
    ['an empty name', { name: '  ', role: 'anon' }, 'validation_failed'],
    ['a name of 101 characters', { name: 'x'.repeat(101), role: 'anon' }, 'validation_failed'],
    ['a name with a line break', { name: 'a\nb', role: 'anon' }, 'validation_failed'],
    ['a name with NUL', { name: 'a\0b', role: 'anon' }, 'validation_failed'],
    ['a name that is no text', { name: 7, role: 'anon' }, 'validation_failed'],
    ['no role', { name: 'a' }, 'validation_failed'],
    ['the role of the login', { name: 'a', role: 'authenticator' }, 'validation_failed'],
    ['a field that does not exist', { name: 'a', role: 'anon', key_hash: 'x' }, 'validation_failed'],
    ['a project id that is no UUID', { name: 'a', role: 'anon', project_id: '1' }, 'validation_failed'],
    ['an unknown project', { name: 'a', role: 'anon', project_id: randomUUID() }, 'validation_failed'],
    ['a limit of 0', { name: 'a', role: 'anon', rate_limit_per_minute: 0 }, 'validation_failed'],
    ['a limit of 0 per address', { name: 'a', role: 'anon', rate_limit_per_address: 0 }, 'validation_failed'],
    ['a limit with a fraction', { name: 'a', role: 'anon', rate_limit_per_minute: 1.5 }, 'validation_failed'],
    [
      'a limit above the most',
      { name: 'a', role: 'anon', rate_limit_per_minute: 100_000_001 },
      'validation_failed',
    ],
    [
      'an end that is over',
      { name: 'a', role: 'anon', expires_at: '2020-01-01T00:00:00Z' },
      'validation_failed',
    ],
    [
      'an end in a year that no list could show again',
      { name: 'a', role: 'anon', expires_at: '9999-12-31T23:59:59.999999999Z' },
      'validation_failed',
    ],
    ['an end that is no time', { name: 'a', role: 'anon', expires_at: 'tomorrow' }, 'validation_failed'],
    [
      'an end without a zone',
      { name: 'a', role: 'anon', expires_at: '2999-01-01T00:00:00' },
      'validation_failed',
    ],
  ])('refuses %s with 400 and makes no key', async (what, body, code) => {
    // A project of the test's own, so that other tests' keys are not counted.
    await using db = await connectOwner()
    const project = await db.query('insert into quoin.projects (name) values ($1) returning id', [what])
    const { key } = await makeKey('service_role', { projectId: project.rows[0].id })
    const answer = await call('POST', '/v1/keys', body, key)
    expect([answer.status, answer.json.code]).toEqual([400, code])
    const { rows } = await db.query('select count(*)::int as n from quoin.api_keys where project_id = $1', [
      project.rows[0].id,
    ])
    expect(rows[0].n).toBe(1)
  })
})

describe('GET /v1/keys', () => {
  it('lists records newest first, without secrets or hashes', async () => {
    const { id, key } = await createKey({ name: 'newest' })
    const answer = await call('GET', '/v1/keys?limit=1000')
    const { data } = ApiKeyList.parse(answer.json)
    for (const record of answer.json.data as object[]) ApiKey.strict().parse(record)
    expect(data.findIndex(record => record.id === id)).toBeGreaterThanOrEqual(0)
    const times = data.map(record => record.created_at)
    expect(times).toEqual([...times].sort().reverse())
    expect(JSON.stringify(answer.json)).not.toContain(key)
  })

  it('gives every key exactly once over pages of one, and ends with next_cursor null', async () => {
    await using db = await connectOwner()
    const project = await db.query("insert into quoin.projects (name) values ('pages') returning id")
    const projectId: string = project.rows[0].id
    // Made in one statement, so that they share one time and only the id orders them.
    const made = await db.query(
      `insert into quoin.api_keys (project_id, name, role, prefix, last_four, key_hash)
       select $1::uuid, 'page', 'anon', 'svc_pk_', 'abcd', md5($1::text || n) || md5(n || $1::text)
       from generate_series(1, 5) n
       returning id`,
      [projectId],
    )
    expect(made.rowCount).toBe(5)
    const own = await makeKey('service_role', { projectId })
    const seen: string[] = []
    let path: string | null = `/v1/keys?project_id=${projectId}&limit=1`
    while (path !== null) {
      const { data, next_cursor: cursor } = ApiKeyList.parse(
        (await call('GET', path, undefined, own.key)).json,
      )
      seen.push(...data.map(record => record.id))
      path = cursor && `/v1/keys?project_id=${projectId}&limit=1&cursor=${encodeURIComponent(cursor)}`
    }
    expect([...seen].sort()).toEqual([own.id, ...made.rows.map(row => row.id)].sort())
  })

  it.each([
    'limit=0',
    'limit=1001',
    'limit=abc',
    'limit=-1',
    'limit=1.5',
    'limit=1e2',
    'limit=1&limit=2',
    'foo=1',
    'cursor=abc',
    `cursor=${btoa('["now()","x"]')}`,
    `cursor=${btoa('{}')}`,
    'project_id=1',
  ])('refuses %s with 400', async query => {
    expect((await call('GET', `/v1/keys?${query}`)).status).toBe(400)
  })
})

describe('PATCH /v1/keys/:id', () => {
  it('changes what was sent, leaves the rest, and answers the record', async () => {
    const { key: _, ...record } = await createKey({ rate_limit_per_minute: 50, rate_limit_per_address: 10 })
    const changes = [
      { name: 'renamed' },
      { rate_limit_per_minute: 70 },
      { rate_limit_per_minute: null, rate_limit_per_address: null },
      { expires_at: '2999-01-01T00:00:00.000Z' },
      { expires_at: null },
    ]
    let expected: object = record
    for (const change of changes) {
      expected = { ...expected, ...change }
      const answer = await call('PATCH', `/v1/keys/${record.id}`, change)
      expect([answer.status, ApiKey.strict().parse(answer.json)]).toEqual([200, expected])
    }
  })

  it('holds for the next request, in a window that goes on', async () => {
    const { id, key } = await createKey({ role: 'service_role', rate_limit_per_minute: 5 })
    await call('GET', '/v1/keys', undefined, key)
    await call('PATCH', `/v1/keys/${id}`, { rate_limit_per_minute: 8 })
    const { headers } = await call('GET', '/v1/keys', undefined, key)
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['8', '6'])
    await call('PATCH', `/v1/keys/${id}`, { rate_limit_per_minute: 2 })
    expect((await call('GET', '/v1/keys', undefined, key)).status).toBe(429)
  })

  it('lets a key that has expired in again', async () => {
    const { id, key } = await makeKey('service_role', { expiresAt: '2020-01-01T00:00:00Z' })
    expect((await call('GET', '/v1/keys', undefined, key)).status).toBe(401)
    expect((await call('PATCH', `/v1/keys/${id}`, { expires_at: null })).status).toBe(200)
    expect((await call('GET', '/v1/keys', undefined, key)).status).toBe(200)
  })

  it('lets one of two changes at the same time through, or both in turn', async () => {
    const { id } = await createKey()
    const limits = [11, 12, 13]
    const answers = await Promise.all(
      limits.map(limit => call('PATCH', `/v1/keys/${id}`, { rate_limit_per_minute: limit })),
    )
    const made = answers.filter(({ status }) => status === 200)
    expect(made.length).toBeGreaterThanOrEqual(1)
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
  })

  it('writes the state before and after into the audit log', async () => {
    const { id } = await createKey({ rate_limit_per_minute: 5 })
    await call('PATCH', `/v1/keys/${id}`, { rate_limit_per_minute: 6 })
    const { json } = await call('GET', `/v1/audit-logs?action=keys.update&target_id=${id}`)
    expect(json['data']).toMatchObject([
      {
        outcome: 'succeeded',
        before: { rate_limit_per_minute: 5 },
        after: { rate_limit_per_minute: 6 },
      },
    ])
  })

  it('refuses a revoked key with 409', async () => {
    const { id } = await createKey()
    await call('DELETE', `/v1/keys/${id}`)
    const answer = await call('PATCH', `/v1/keys/${id}`, { name: 'back' })
    expect([answer.status, answer.json.code]).toEqual([409, 'conflict'])
  })

  it.each([
    ['no body', undefined],
    ['no field', {}],
    ['no name', { name: null }],
    ['another role', { role: 'service_role' }],
    ['another project', { project_id: randomUUID() }],
    ['a limit of 0', { rate_limit_per_minute: 0 }],
    ['a limit that is text', { rate_limit_per_address: '60' }],
    ['an end that is over', { expires_at: '2020-01-01T00:00:00Z' }],
    ['an array', []],
  ])('refuses %s with 400 and leaves the key as it was', async (_, body) => {
    const { id, key: __, ...record } = await createKey()
    const answer = await call('PATCH', `/v1/keys/${id}`, body)
    expect([answer.status, answer.json.code]).toEqual([400, 'validation_failed'])
    const { json } = await call('GET', '/v1/keys?limit=1000')
    const listed = ApiKeyList.parse(json).data.find(each => each.id === id)
    expect(listed).toEqual({ id, ...record })
  })
})

describe('DELETE /v1/keys/:id', () => {
  it('answers the record with its end, refuses the key at once, and says the same when repeated', async () => {
    const { id, key } = await createKey({ role: 'service_role' })
    const first = await call('DELETE', `/v1/keys/${id}`)
    expect(first.status).toBe(200)
    expect(ApiKey.strict().parse(first.json).revoked_at).not.toBeNull()
    expect((await call('GET', '/v1/keys', undefined, key)).status).toBe(401)
    expect((await call('DELETE', `/v1/keys/${id}`)).json).toEqual(first.json)
  })

  it('lets a key revoke itself', async () => {
    const { id, key } = await createKey({ role: 'service_role' })
    expect((await call('DELETE', `/v1/keys/${id}`, undefined, key)).status).toBe(200)
    expect((await call('DELETE', `/v1/keys/${id}`, undefined, key)).status).toBe(401)
  })
})

describe('POST /v1/keys/:id/rotate', () => {
  it.each([
    ['without a body', undefined],
    ['with an empty object', {}],
    ['with overlap 0', { overlap_seconds: 0 }],
  ])('%s answers the same record with a new key and ends the old one at once', async (_, body) => {
    const {
      key,
      last_four: _old,
      ...record
    } = await createKey({ role: 'service_role', rate_limit_per_minute: 50 })
    const answer = await call('POST', `/v1/keys/${record.id}/rotate`, body)
    expect(answer.status).toBe(200)
    const { key: newKey, last_four: lastFour, ...rotated } = ApiKeyWithSecret.strict().parse(answer.json)
    expect(rotated).toEqual(record)
    expect(lastFour).toBe(newKey.slice(-4))
    expect(newKey).not.toBe(key)
    expect((await call('GET', '/v1/keys', undefined, key)).status).toBe(401)
    expect((await call('GET', '/v1/keys', undefined, newKey)).status).toBe(200)
  })

  it('keeps the old key alive during an overlap, in the same window', async () => {
    const { id, key } = await createKey({ role: 'service_role', rate_limit_per_minute: 5 })
    await call('GET', '/v1/keys', undefined, key)
    const { key: newKey } = ApiKeyWithSecret.parse(
      (await call('POST', `/v1/keys/${id}/rotate`, { overlap_seconds: 604_800 })).json,
    )
    expect((await call('GET', '/v1/keys', undefined, key)).headers.get('x-ratelimit-remaining')).toBe('3')
    expect((await call('GET', '/v1/keys', undefined, newKey)).headers.get('x-ratelimit-remaining')).toBe('2')
  })

  it('lets a key rotate itself', async () => {
    const { id, key } = await createKey({ role: 'service_role' })
    const answer = await call('POST', `/v1/keys/${id}/rotate`, undefined, key)
    const { key: newKey } = ApiKeyWithSecret.parse(answer.json)
    expect((await call('GET', '/v1/keys', undefined, newKey)).status).toBe(200)
  })

  it('refuses a revoked key and an expired key with 409', async () => {
    const revoked = await createKey()
    await call('DELETE', `/v1/keys/${revoked.id}`)
    const expired = await makeKey('anon', { expiresAt: '2020-01-01T00:00:00Z' })
    for (const id of [revoked.id, expired.id]) {
      const answer = await call('POST', `/v1/keys/${id}/rotate`)
      expect([answer.status, answer.json.code]).toEqual([409, 'conflict'])
    }
  })

  it.each([
    ['a negative overlap', { overlap_seconds: -1 }],
    ['an overlap above seven days', { overlap_seconds: 604_801 }],
    ['an overlap with a fraction', { overlap_seconds: 0.5 }],
    ['an overlap that is text', { overlap_seconds: '60' }],
    ['a field that does not exist', { overlap: 60 }],
    ['an array', []],
  ])('refuses %s with 400 and leaves the key as it was', async (_, body) => {
    const { id, key } = await createKey({ role: 'service_role' })
    const answer = await call('POST', `/v1/keys/${id}/rotate`, body)
    expect([answer.status, answer.json.code]).toEqual([400, 'validation_failed'])
    expect((await call('GET', '/v1/keys', undefined, key)).status).toBe(200)
  })
})

describe.each([
  ['PATCH', '', { name: 'a' }],
  ['DELETE', '', undefined],
  ['POST', '/rotate', undefined],
])('%s /v1/keys/:id%s', (method, suffix, body) => {
  it('answers 404 for an id that no key has', async () => {
    const answer = await call(method, `/v1/keys/${randomUUID()}${suffix}`, body)
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found'])
  })

  it.each(['1', 'not-a-uuid', '%00', "'%20or%20true--", generateKey('anon')])(
    'answers 400 for %s in place of the id',
    async id => {
      const answer = await call(method, `/v1/keys/${id}${suffix}`, body)
      expect([answer.status, answer.json.code]).toEqual([400, 'invalid_parameter'])
    },
  )
})
