// The limiter inside the real runtime: the bundle of the Worker, its objects' real storage, a real Postgres behind the
// SQL gateway. What the Worker asks of others passes through this process, so that a test can take the database away.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { nextHousekeepingMs } from '../../src/features/api-keys/limit/limiter-state.ts'
import { generateKey, hashKey } from '../../src/features/api-keys/record/key-format.ts'
import { makeKey } from '../support/keys.ts'
import { connectOwner, type TestClient } from '../support/postgres.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

let db: TestClient
let worker: TestWorker
/** A key for calls that are not what a test is about. */
let operatorKey: string
let isDatabaseDown = false
/** How many questions to the database are under way, and how many were answered. */
let askedOfDatabase = 0
let databaseAnswers = 0

beforeAll(async () => {
  db = await connectOwner()
  worker = await startTestWorker({
    outbound: async request => {
      if (isDatabaseDown) return new Response('taken away by the test', { status: 503 })
      askedOfDatabase += 1
      const answer = await readWhole(request).finally(() => {
        askedOfDatabase -= 1
      })
      databaseAnswers += 1
      return answer
    },
  })
  operatorKey = (await makeKey('service_role', { rateLimitPerMinute: 100_000 })).key
})

afterEach(() => {
  isDatabaseDown = false
})

afterAll(async () => {
  await worker.close()
  await db.end()
})

describe('the limit', () => {
  it('admits exactly 100 of 150 parallel requests with one key', async () => {
    const { key } = await makeKey('service_role')
    const statuses = await Promise.all(Array.from({ length: 150 }, () => statusWith(key)))
    expect(statuses.filter(status => status === 200)).toHaveLength(100)
    expect(statuses.filter(status => status === 429)).toHaveLength(50)
  })

  it('holds across an eviction of the object', async () => {
    const { key } = await makeKey('service_role', { rateLimitPerMinute: 5 })
    for (let i = 0; i < 3; i++) expect(await statusWith(key)).toBe(200)
    await evict(key)
    const answers = [await statusWith(key), await statusWith(key), await statusWith(key)]
    expect(answers).toEqual([200, 200, 429])
  })

  it('never admits more than a limit above 1000 across an eviction, and loses at most a lot', async () => {
    const { key } = await makeKey('service_role', { rateLimitPerMinute: 5_000 })
    for (let i = 0; i < 3; i++) await statusWith(key)
    await evict(key)
    const remaining = Number((await get(key)).headers.get('x-ratelimit-remaining'))
    expect(remaining).toBeLessThanOrEqual(4_996)
    expect(remaining).toBeGreaterThanOrEqual(4_996 - 5)
  })

  it('does not count requests that were refused', async () => {
    const { key } = await makeKey('service_role', { rateLimitPerMinute: 2 })
    for (let i = 0; i < 4; i++) await statusWith(key)
    expect(await storedRequests(key)).toBe(2)
  })
})

// The anon key of a page is shared by all its visitors: one of them must not use up what is there for all.
describe('the limit of one client address', () => {
  const statusFrom = async (key: string, address: string) => {
    const response = await get(key, '/v1/modules', { 'cf-connecting-ip': address })
    await response.arrayBuffer()
    return response.status
  }

  it('stops an address that has made so many requests, and nobody else', async () => {
    const { key } = await makeKey('service_role', { rateLimitPerAddress: 3 })
    const statuses = await Promise.all(Array.from({ length: 10 }, () => statusFrom(key, '192.0.2.1')))
    expect(statuses.filter(status => status === 200)).toHaveLength(3)
    expect(statuses.filter(status => status === 429)).toHaveLength(7)
    expect(await statusFrom(key, '192.0.2.2')).toBe(200)
    expect(await storedRequests(key)).toBe(4)
  })

  it('takes an IPv6 network of 64 bits for one address', async () => {
    const { key } = await makeKey('service_role', { rateLimitPerAddress: 2 })
    for (const last of [1, 2]) expect(await statusFrom(key, `2001:db8:1:2::${last}`)).toBe(200)
    expect(await statusFrom(key, '2001:db8:1:2:ffff::3')).toBe(429)
    expect(await statusFrom(key, '2001:db8:1:3::1')).toBe(200)
  })

  it('believes no header but CF-Connecting-IP', async () => {
    const { key } = await makeKey('service_role', { rateLimitPerAddress: 1 })
    const claimed = (address: string) =>
      get(key, '/v1/modules', {
        'x-forwarded-for': address,
        'x-real-ip': address,
        forwarded: `for=${address}`,
        'true-client-ip': address,
      })
    expect((await claimed('192.0.2.1')).status).toBe(200)
    expect((await claimed('192.0.2.2')).status).toBe(429)
  })

  it('says that it is the address, and shows the limit of which less is left', async () => {
    const { key } = await makeKey('service_role', { rateLimitPerMinute: 9, rateLimitPerAddress: 1 })
    const from = (address: string) => get(key, '/v1/modules', { 'cf-connecting-ip': address })
    const shown = ({ headers }: Response) => [
      headers.get('x-ratelimit-limit'),
      headers.get('x-ratelimit-remaining'),
    ]
    expect(shown(await from('192.0.2.1'))).toEqual(['1', '0'])
    const refused = await from('192.0.2.1')
    expect([refused.status, ...shown(refused)]).toEqual([429, '1', '0'])
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(await refused.json()).toMatchObject({
      code: 'rate_limited',
      error: expect.stringContaining('address'),
      hint: expect.stringContaining('rate_limit_per_address'),
    })
  })

  it('never lets a key pass its own limit', async () => {
    const { key } = await makeKey('service_role', { rateLimitPerMinute: 4, rateLimitPerAddress: 3 })
    const addresses = Array.from({ length: 10 }, (_, last) => `192.0.2.${last}`)
    const statuses = await Promise.all(addresses.map(address => statusFrom(key, address)))
    expect(statuses.filter(status => status === 200)).toHaveLength(4)
  })

  it('holds for a replaced key during its overlap, and for a key that lots are given for', async () => {
    const old = await makeKey('service_role', { rateLimitPerMinute: 100_000, rateLimitPerAddress: 40 })
    const { key } = await rotate(old.id, { overlap_seconds: 600 })
    const keys = Array.from({ length: 100 }, (_, index) => (index % 2 ? old.key : key))
    const statuses = []
    for (const each of keys) statuses.push(await statusFrom(each, '192.0.2.1'))
    expect(statuses.filter(status => status === 200)).toHaveLength(40)
  })
})

describe('a change of a key', () => {
  it('holds within a second in an isolate that has a lot of permits', async () => {
    const { id, key } = await makeKey('service_role', { rateLimitPerMinute: 100_000 })
    for (let i = 0; i < 60; i++) expect(await statusWith(key)).toBe(200)
    expect((await call('PATCH', `/v1/keys/${id}`, { rate_limit_per_minute: 1 })).status).toBe(200)
    await expect.poll(() => statusWith(key), { timeout: 1_500 }).toBe(429)
  })
})

describe('who a key is', () => {
  it('refuses a key that nobody made, and stores nothing for it', async () => {
    const key = generateKey('service_role')
    expect(await statusWith(key)).toBe(401)
    expect(await storedTables(key)).toEqual([])
  })

  it('refuses an expired key by the time alone', async () => {
    const { key } = await makeKey('service_role', { expiresAt: new Date(Date.now() - 1_000).toISOString() })
    expect(await statusWith(key)).toBe(401)
  })

  it('refuses a revoked key at once, and after an eviction without asking the database', async () => {
    const { key, id } = await makeKey('service_role')
    expect(await statusWith(key)).toBe(200)
    expect((await call('DELETE', `/v1/keys/${id}`)).status).toBe(200)
    expect(await statusWith(key)).toBe(401)
    await evict(key)
    isDatabaseDown = true
    expect(await statusWith(key)).toBe(401)
    isDatabaseDown = false
  })

  it('keeps a revocation final, whatever the database says later', async () => {
    const { key, id } = await makeKey('service_role')
    expect((await call('DELETE', `/v1/keys/${id}`)).status).toBe(200)
    await db.query('update quoin.api_keys set revoked_at = null, version = version + 1 where id = $1', [id])
    await evict(key)
    expect(await statusWith(key)).toBe(401)
  })

  it('learns in the background that a key was changed in the database', async () => {
    const { key, id } = await makeKey('service_role')
    expect(await statusWith(key)).toBe(200)
    await db.query('update quoin.api_keys set revoked_at = now(), version = version + 1 where id = $1', [id])
    // An object that was evicted reads its key again with the first request, without making it wait.
    await evict(key)
    expect(await statusWith(key)).toBe(200)
    await expect.poll(() => statusWith(key)).toBe(401)
  })

  it('does not let an older version of the row undo a newer one', async () => {
    const { key, id } = await makeKey('service_role', { rateLimitPerMinute: 50 })
    await db.query('update quoin.api_keys set version = 7 where id = $1', [id])
    expect((await get(key)).headers.get('x-ratelimit-limit')).toBe('50')
    await db.query('update quoin.api_keys set version = 6, rate_limit_per_minute = 60 where id = $1', [id])
    await evict(key)
    const readsBefore = databaseAnswers
    await get(key)
    await expect.poll(() => databaseAnswers).toBeGreaterThan(readsBefore)
    expect((await get(key)).headers.get('x-ratelimit-limit')).toBe('50')
    await db.query('update quoin.api_keys set version = 8 where id = $1', [id])
    await evict(key)
    await expect.poll(async () => (await get(key)).headers.get('x-ratelimit-limit')).toBe('60')
  })

  it('answers project_paused for every key of a paused project, without counting', async () => {
    const project = await db.query(
      "insert into quoin.projects (name, status) values ('paused', 'paused') returning id",
    )
    const { key } = await makeKey('service_role', { projectId: project.rows[0].id })
    const answer = await get(key)
    expect([answer.status, await codeOf(answer)]).toEqual([403, 'project_paused'])
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('100')
  })
})

describe('a database that is down', () => {
  it('does not stop a key that is known, also after an eviction', async () => {
    const { key } = await makeKey('service_role')
    expect(await statusWith(key)).toBe(200)
    isDatabaseDown = true
    expect((await get(key, '/v1/modules')).status).toBe(200)
    await evict(key)
    expect((await get(key, '/v1/modules')).status).toBe(200)
    isDatabaseDown = false
  })

  it('makes a key that is not known yet wait with 503, and lets it in as soon as the database is back', async () => {
    const { key } = await makeKey('service_role')
    isDatabaseDown = true
    const answer = await get(key, '/v1/modules')
    expect([answer.status, await codeOf(answer)]).toEqual([503, 'admission_unavailable'])
    expect(answer.headers.get('retry-after')).toBe('1')
    isDatabaseDown = false
    expect((await get(key, '/v1/modules')).status).toBe(200)
  })
})

describe('rotation', () => {
  it('ends the old key at once and gives the new one no second allowance', async () => {
    const old = await makeKey('service_role', { rateLimitPerMinute: 10 })
    for (let i = 0; i < 7; i++) await statusWith(old.key)
    const rotated = await rotate(old.id, {})
    expect(await statusWith(old.key)).toBe(401)
    const statuses = await Promise.all(Array.from({ length: 6 }, () => statusWith(rotated.key)))
    expect(statuses.filter(status => status === 200)).toHaveLength(3)
  })

  it('counts both keys in one window during an overlap, also after an eviction of both', async () => {
    const old = await makeKey('service_role', { rateLimitPerMinute: 10 })
    for (let i = 0; i < 4; i++) await statusWith(old.key)
    const rotated = await rotate(old.id, { overlap_seconds: 600 })
    expect([await statusWith(old.key), await statusWith(rotated.key)]).toEqual([200, 200])
    await evict(old.key)
    await evict(rotated.key)
    const keys = Array.from({ length: 12 }, (_, index) => (index % 2 ? old.key : rotated.key))
    const statuses = await Promise.all(keys.map(key => statusWith(key)))
    expect(statuses.filter(status => status === 200)).toHaveLength(4)
  })

  it('ends an earlier overlap when the key is rotated again', async () => {
    const first = await makeKey('service_role')
    const second = await rotate(first.id, { overlap_seconds: 600 })
    const third = await rotate(first.id, { overlap_seconds: 600 })
    const statuses = [await statusWith(first.key), await statusWith(second.key), await statusWith(third.key)]
    expect(statuses).toEqual([401, 200, 200])
  })

  it('lets one of two rotations at the same time through', async () => {
    const { id } = await makeKey('service_role')
    const answers = await Promise.all([1, 2, 3].map(() => call('POST', `/v1/keys/${id}/rotate`)))
    const statuses = answers.map(answer => answer.status)
    expect(statuses.filter(status => status === 200).length).toBeGreaterThanOrEqual(1)
    const row = await db.query('select version from quoin.api_keys where id = $1', [id])
    // Every rotation that was let through has its own version; the others were told.
    expect(Number(row.rows[0].version) - 1).toBe(statuses.filter(status => status === 200).length)
    expect(statuses.every(status => status === 200 || status === 409)).toBe(true)
  })

  it('changes nothing when the database is down', async () => {
    const { id, key } = await makeKey('service_role')
    await statusWith(key)
    await statusWith(operatorKey)
    isDatabaseDown = true
    expect((await call('POST', `/v1/keys/${id}/rotate`)).status).toBe(503)
    isDatabaseDown = false
    expect(await statusWith(key)).toBe(200)
  })

  it('hands the window over on first use when the new limiter could not be told', async () => {
    const old = await makeKey('service_role', { rateLimitPerMinute: 10 })
    for (let i = 0; i < 7; i++) await statusWith(old.key)
    // What a rotation writes, without the call that follows it.
    const key = generateKey('service_role')
    await db.query(
      'update quoin.api_keys set previous_key_hash = key_hash, key_hash = $2, version = version + 1 where id = $1',
      [old.id, await hashKey(key)],
    )
    const statuses = await Promise.all(Array.from({ length: 6 }, () => statusWith(key)))
    expect(statuses.filter(status => status === 200)).toHaveLength(3)
    expect(await statusWith(old.key)).toBe(401)
  })

  it('revokes the replaced key together with its successor', async () => {
    const old = await makeKey('service_role')
    const rotated = await rotate(old.id, { overlap_seconds: 600 })
    expect((await call('DELETE', `/v1/keys/${old.id}`)).status).toBe(200)
    expect([await statusWith(old.key), await statusWith(rotated.key)]).toEqual([401, 401])
  })
})

describe('guessing', () => {
  // An application that was not told of a revocation must not lock out what is beside it at its address.
  it('lets good keys in beside a revoked one in use, which asks no more often than an unknown one', async () => {
    const { key: revoked, id } = await makeKey('service_role')
    const { key: good } = await makeKey('service_role')
    expect((await call('DELETE', `/v1/keys/${id}`)).status).toBe(200)
    const from = async (sent: string, address: string) =>
      (await get(sent, '/v1/modules', { 'cf-connecting-ip': address })).status
    const statusesOf = async (sent: string, address: string) => {
      const statuses = []
      for (let i = 0; i < 25; i++) statuses.push(await from(sent, address))
      return statuses
    }
    // Whoever has a text cannot tell by these whether it was a key.
    const expected = [...Array(21).fill(401), ...Array(4).fill(429)]
    expect(await statusesOf(revoked, '192.0.2.78')).toEqual(expected)
    expect(await from(good, '192.0.2.78')).toBe(200)
    expect(await statusesOf(generateKey('anon'), '192.0.2.79')).toEqual(expected)
  })

  // Stops an attacker from making one object and one query for every guess.
  it('blocks an address after 20 unknown keys, but no key that is known to be good', async () => {
    const { key } = await makeKey('service_role')
    const headers = { 'cf-connecting-ip': '192.0.2.77' }
    const from = async (sent: string) => (await get(sent, '/v1/modules', headers)).status
    expect(await from(key)).toBe(200)
    const statuses = []
    for (let i = 0; i < 25; i++) statuses.push(await from(generateKey('anon')))
    expect(statuses.filter(status => status === 401)).toHaveLength(21)
    expect(statuses.at(-1)).toBe(429)
    expect(await from(key)).toBe(200)
  })
})

/** The answer with its body read: one that is still on its way needs this process as well. */
async function readWhole(request: Request): Promise<Response> {
  const answer = await fetch(request)
  return new Response(await answer.arrayBuffer(), {
    status: answer.status,
    headers: { 'content-type': answer.headers.get('content-type') ?? '' },
  })
}

function get(key: string, path = '/v1/modules', headers: Record<string, string> = {}) {
  return worker.fetch(path, { headers: { apikey: key, ...headers } })
}

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { code: string }).code
}

async function statusWith(key: string): Promise<number> {
  const response = await get(key)
  await response.arrayBuffer()
  return response.status
}

function call(method: string, path: string, body?: unknown) {
  return worker.fetch(path, {
    method,
    headers: { apikey: operatorKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

async function rotate(id: string, body: object): Promise<{ id: string; key: string }> {
  const response = await call('POST', `/v1/keys/${id}/rotate`, body)
  expect(response.status).toBe(200)
  return (await response.json()) as { id: string; key: string }
}

/**
 * Miniflare stops this process until the object is idle, for a second as a rule. What the object asks of the database
 * goes through this very process, so neither would ever go on: nothing may be under way, and no alarm near.
 */
async function evict(key: string): Promise<void> {
  const hash = await hashKey(key)
  await expect.poll(() => isQuiet(hash)).toBe(true)
  await worker.worker.evictDurableObject('ApiKeyLimiter', { name: hash })
}

/** The call to the Worker lets in what the Worker has asked before, also while this process was stopped. */
async function isQuiet(hash: string): Promise<boolean> {
  await (await worker.fetch('/healthz')).arrayBuffer()
  const nowMs = Date.now()
  const hasNoAlarmNear = nextHousekeepingMs(hash, nowMs - 1_000) === nextHousekeepingMs(hash, nowMs + 3_000)
  return askedOfDatabase === 0 && hasNoAlarmNear
}

async function storageOf(key: string) {
  return worker.worker.getDurableObjectStorage('ApiKeyLimiter', { name: await hashKey(key) })
}

async function storedRequests(key: string): Promise<number> {
  const [row] = await (await storageOf(key)).exec('select sum(count) as total from window_buckets')
  return Number(row?.total)
}

/** The tables of the object, without the one in which Miniflare notes its name. */
async function storedTables(key: string): Promise<unknown[]> {
  const rows = await (await storageOf(key)).exec('select name from sqlite_master')
  return rows.map(row => row.name).filter(name => name !== '__miniflare_do_name')
}
