// The limiter's housekeeping, run inside workerd: alarms are set off by the test, nothing waits for a minute.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ApiKeyLimiter } from '../../durable-objects/api-key-limiter.ts'
import { PlatformDatabase } from '../../src/db/database.ts'
import { SqlWire } from '../../src/db/sql-wire.ts'
import type { Env } from '../../src/deps.ts'
import { nextHousekeepingMs } from '../../src/features/api-keys/limit/limiter-state.ts'
import { describeKey, generateKey, hashKey } from '../../src/features/api-keys/record/key-format.ts'
import type { KeyRow } from '../../src/features/api-keys/record/key-row.ts'
import { findKeyById, insertKey, rotateKeyRow } from '../../src/features/api-keys/record/key-store.ts'
import { eventually } from './eventually.ts'

interface TestEnv extends Omit<Env, 'API_KEY_LIMITER'> {
  API_KEY_LIMITER: DurableObjectNamespace<ApiKeyLimiter>
  DATABASE_URL: string
  SQL_GATEWAY_URL: string
}

const { API_KEY_LIMITER, DATABASE_URL, SQL_GATEWAY_URL } = env as TestEnv
const platform = new PlatformDatabase(
  new SqlWire(
    { connectionString: DATABASE_URL, gatewayUrl: SQL_GATEWAY_URL },
    // Sets no timers: those that a test sees are its object's.
    { deadline: (_, work) => work },
  ),
)
const MINUTE_MS = 60_000
const ADDRESS = '192.0.2.1'

beforeEach(() => {
  // Only the clock: timers and promises of the runtime go on as they are.
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('notes in the database when the key was last used, by alarm and not by request', async () => {
  const { row, limiter } = await makeKey()
  const usedAt = new Date()
  await limiter.admit(ADDRESS)
  expect((await readRow(row.id)).last_used_at).toBeNull()
  expect(await runDurableObjectAlarm(limiter)).toBe(true)
  const { last_used_at: lastUsedAt } = await readRow(row.id)
  expect(Math.abs(Date.parse(lastUsedAt ?? '') - usedAt.getTime())).toBeLessThan(1_000)
})

// workerd keeps each cleared timer for as long as the object lives.
it('clears no timer when it reads its key and notes its use', async () => {
  const { row, limiter } = await makeKey()
  const clear = vi.spyOn(globalThis, 'clearTimeout')
  await limiter.admit(ADDRESS)
  await runDurableObjectAlarm(limiter)
  expect((await readRow(row.id)).last_used_at).not.toBeNull()
  expect(clear).not.toHaveBeenCalled()
})

it('sets its alarm within a minute, and not further off when the object is evicted and woken', async () => {
  const { row, limiter } = await makeKey()
  // As far from the alarm as can be: the clock stands still, but the runtime's own may pass a time that is near.
  vi.setSystemTime(nextHousekeepingMs(row.key_hash, Date.now()))
  await limiter.admit(ADDRESS)
  const alarmAt = await alarmOf(limiter)
  expect(alarmAt - Date.now()).toBeLessThanOrEqual(MINUTE_MS)
  await evictDurableObject(limiter)
  await limiter.admit(ADDRESS)
  expect(await alarmOf(limiter)).toBe(alarmAt)
})

it('notes the last use also when the object was evicted before its alarm', async () => {
  const { row, limiter } = await makeKey()
  await limiter.admit(ADDRESS)
  await evictDurableObject(limiter)
  await runDurableObjectAlarm(limiter)
  expect((await readRow(row.id)).last_used_at).not.toBeNull()
})

it('clears the window once it is over, and then has no alarm', async () => {
  const { limiter } = await makeKey()
  await limiter.admit(ADDRESS)
  await runDurableObjectAlarm(limiter)
  expect(await storedBuckets(limiter)).toBe(1)
  vi.setSystemTime(Date.now() + 2 * MINUTE_MS)
  expect(await runDurableObjectAlarm(limiter)).toBe(true)
  expect(await storedBuckets(limiter)).toBe(0)
  expect(await runDurableObjectAlarm(limiter)).toBe(false)
})

it('tries again at the next minute when the database is down, and lets the window go all the same', async () => {
  const { row, limiter } = await makeKey()
  await limiter.admit(ADDRESS)
  vi.setSystemTime(Date.now() + 2 * MINUTE_MS)
  const cut = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('taken away by the test'))
  const silenced = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(await runDurableObjectAlarm(limiter)).toBe(true)
  expect(silenced).toHaveBeenCalledOnce()
  cut.mockRestore()
  silenced.mockRestore()
  expect(await storedBuckets(limiter)).toBe(0)
  expect((await readRow(row.id)).last_used_at).toBeNull()
  expect(await runDurableObjectAlarm(limiter)).toBe(true)
  expect((await readRow(row.id)).last_used_at).not.toBeNull()
})

it('reads a known key again before a minute is over, behind the request and not in front of it', async () => {
  const { row, limiter } = await makeKey()
  await limiter.admit(ADDRESS)
  await setLimit(row.id, 3)
  vi.setSystemTime(Date.now() + 40_000)
  expect(await limitSeenBy(limiter)).toBe(100)
  vi.setSystemTime(Date.now() + 6_000)
  expect(await limitSeenBy(limiter)).toBe(100)
  await eventually(async () => expect(await limitSeenBy(limiter)).toBe(3))
})

it('lets nobody in by what was known over a minute ago, though it was evicted meanwhile', async () => {
  const { row, limiter } = await makeKey()
  await limiter.admit(ADDRESS)
  await setLimit(row.id, 3)
  await evictDurableObject(limiter)
  vi.setSystemTime(Date.now() + MINUTE_MS + 1_000)
  expect(await limitSeenBy(limiter)).toBe(3)
})

it('goes on with what is known while the database is down', async () => {
  const { limiter } = await makeKey()
  await limiter.admit(ADDRESS)
  vi.setSystemTime(Date.now() + 2 * MINUTE_MS)
  const cut = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('taken away by the test'))
  const silenced = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(await limitSeenBy(limiter)).toBe(100)
  cut.mockRestore()
  silenced.mockRestore()
})

it('remembers an unknown key for a minute without asking again, and keeps nothing of it', async () => {
  const limiter = API_KEY_LIMITER.getByName(await hashKey(generateKey('anon')))
  expect(await limiter.admit(ADDRESS)).toEqual({ outcome: 'unknown' })
  const asked = vi.spyOn(globalThis, 'fetch')
  expect(await limiter.admit(ADDRESS)).toEqual({ outcome: 'unknown' })
  expect(asked).not.toHaveBeenCalled()
  vi.setSystemTime(Date.now() + MINUTE_MS + 1_000)
  await limiter.admit(ADDRESS)
  expect(asked).toHaveBeenCalledOnce()
  asked.mockRestore()
  expect(await alarmOf(limiter)).toBe(0)
})

it('forgets everything of a replaced key once its overlap is over', async () => {
  const old = await makeKey()
  await old.limiter.admit(ADDRESS)
  const successor = await rotateWithOverlap(old.row, 2 * MINUTE_MS)
  await successor.limiter.learn(successor.row)
  expect((await old.limiter.admit(ADDRESS)).outcome).toBe('admitted')
  vi.setSystemTime(Date.now() + 2 * MINUTE_MS + 1_000)
  expect(await old.limiter.admit(ADDRESS)).toEqual({ outcome: 'refused' })
  expect(await runDurableObjectAlarm(old.limiter)).toBe(true)
  expect(await tablesOf(old.limiter)).toEqual([])
})

// The replaced key counts in its successor's window: a lot out of its own would be a second allowance.
it('gives no permit lots for a replaced key during its overlap', async () => {
  const ask = { wanted: 100, settled: [] }
  const old = await makeKey(100_000)
  expect(await old.limiter.admit(ADDRESS, ask)).toMatchObject({ outcome: 'admitted', lot: { permits: 100 } })
  const successor = await rotateWithOverlap(old.row, 2 * MINUTE_MS)
  await successor.limiter.learn(successor.row)
  const admission = await old.limiter.admit(ADDRESS, ask)
  expect(admission.outcome).toBe('admitted')
  expect(admission).not.toHaveProperty('lot')
  expect(await successor.limiter.admit(ADDRESS, ask)).toMatchObject({ lot: { permits: 100 } })
})

describe('usage', () => {
  it('is what was let in, by the minute, over evictions and to the request', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => makeKey(5_999)))
    const started = startOfMinute()
    vi.setSystemTime(started + 1_000)
    for (let round = 0; round < 2; round++) {
      await Promise.all(
        keys.map(async ({ limiter }, i) => {
          await admit(limiter, 10 * (round + 1) + i)
          await evictDurableObject(limiter)
          await admit(limiter, 3)
        }),
      )
      vi.setSystemTime(Date.now() + MINUTE_MS)
    }
    vi.setSystemTime(Date.now() + 10_000)
    await Promise.all(keys.map(({ limiter }) => runDurableObjectAlarm(limiter)))
    for (const [i, { row }] of keys.entries()) {
      expect(await usageOf(row.id)).toEqual({
        [minuteText(started)]: 13 + i,
        [minuteText(started + MINUTE_MS)]: 23 + i,
      })
    }
  })

  it('is told once, and again where the answer was lost, without counting twice', async () => {
    const { row, limiter } = await makeKey()
    const started = startOfMinute()
    vi.setSystemTime(started)
    await admit(limiter, 7)
    vi.setSystemTime(started + 2 * MINUTE_MS)
    const { fetch } = globalThis
    const lost = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...args) => {
      await fetch(...args)
      throw new TypeError('the answer was lost')
    })
    const silenced = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    await runDurableObjectAlarm(limiter)
    lost.mockRestore()
    silenced.mockRestore()
    expect(await usageOf(row.id)).toEqual({ [minuteText(started)]: 7 })
    expect(await runDurableObjectAlarm(limiter)).toBe(true)
    expect(await usageOf(row.id)).toEqual({ [minuteText(started)]: 7 })
    expect(await runDurableObjectAlarm(limiter)).toBe(false)
  })

  it('counts what a rotated key used once, although its successor takes the window over', async () => {
    const old = await makeKey()
    const started = startOfMinute()
    vi.setSystemTime(started + 1_000)
    await admit(old.limiter, 5)
    const successor = await rotateWithOverlap(old.row, 30_000)
    await successor.limiter.learn(successor.row)
    await admit(old.limiter, 2)
    await admit(successor.limiter, 4)
    vi.setSystemTime(started + 2 * MINUTE_MS)
    await runDurableObjectAlarm(old.limiter)
    await runDurableObjectAlarm(successor.limiter)
    expect(await usageOf(old.row.id)).toEqual({ [minuteText(started)]: 11 })
    expect(await tablesOf(old.limiter)).toEqual([])
  })

  it('is told of a key that the database no longer knows under its hash', async () => {
    const old = await makeKey()
    const started = startOfMinute()
    vi.setSystemTime(started + 1_000)
    await admit(old.limiter, 6)
    // Nobody tells the old limiter: it finds out when it reads its row again.
    await rotateWithOverlap(old.row, -10 * MINUTE_MS)
    vi.setSystemTime(started + 2 * MINUTE_MS)
    await old.limiter.admit(ADDRESS)
    await eventually(async () => expect(await old.limiter.admit(ADDRESS)).toEqual({ outcome: 'unknown' }))
    await runDurableObjectAlarm(old.limiter)
    const usage = await usageOf(old.row.id)
    expect(usage[minuteText(started)]).toBe(6)
    const [{ total } = { total: 0 }] = await platform.query<{ total: number }>(
      'select total from quoin.usage_totals where key_id = $1::uuid',
      [old.row.id],
    )
    expect(total).toBe(6)
    expect(await tablesOf(old.limiter)).toEqual([])
  })

  it('counts what comes in the minute in which the key was forgotten', async () => {
    const { row, limiter } = await makeKey()
    const started = startOfMinute()
    vi.setSystemTime(started + 1_000)
    await admit(limiter, 6)
    await rotateWithOverlap(row, -10 * MINUTE_MS)
    vi.setSystemTime(started + 2 * MINUTE_MS)
    let admitted = 6
    await eventually(async () => {
      const { outcome } = await limiter.admit(ADDRESS)
      if (outcome === 'admitted') admitted += 1
      expect(outcome).toBe('unknown')
    })
    await limiter.learn(row)
    await admit(limiter, 3)
    vi.setSystemTime(started + 5 * MINUTE_MS)
    await runDurableObjectAlarm(limiter)
    const usage = Object.values(await usageOf(row.id))
    expect(usage.reduce((sum, requests) => sum + requests, 0)).toBe(admitted + 3)
  })

  it('counts a quiet key of a high limit to the request, though it is evicted', async () => {
    const { row, limiter } = await makeKey(1_000_000)
    const started = startOfMinute()
    vi.setSystemTime(started + 1_000)
    for (let i = 0; i < 3; i++) {
      await admit(limiter, 1)
      vi.setSystemTime(Date.now() + 200)
      await evictDurableObject(limiter)
    }
    vi.setSystemTime(started + 2 * MINUTE_MS)
    await runDurableObjectAlarm(limiter)
    expect(await usageOf(row.id)).toEqual({ [minuteText(started)]: 3 })
  })

  it('counts what came after the clock was set back over an eviction', async () => {
    const { row, limiter } = await makeKey()
    const started = startOfMinute()
    vi.setSystemTime(started + 1_000)
    await admit(limiter, 5)
    vi.setSystemTime(started + MINUTE_MS + 6_000)
    await runDurableObjectAlarm(limiter)
    await evictDurableObject(limiter)
    vi.setSystemTime(started + MINUTE_MS - 5_000)
    await admit(limiter, 3)
    vi.setSystemTime(started + 3 * MINUTE_MS)
    await runDurableObjectAlarm(limiter)
    expect(Object.values(await usageOf(row.id)).reduce((sum, n) => sum + n, 0)).toBe(8)
  })

  it('counts of a high limit what was used, once the lots have come back', async () => {
    const { row, limiter } = await makeKey(100_000)
    const started = startOfMinute()
    vi.setSystemTime(started + 1_000)
    const admission = await limiter.admit(ADDRESS, { wanted: 100, settled: [] })
    if (admission.outcome !== 'admitted' || admission.lot === undefined) throw new Error('no lot')
    await limiter.settle([{ id: admission.lot.id, unused: 60 }])
    vi.setSystemTime(started + 2 * MINUTE_MS)
    await runDurableObjectAlarm(limiter)
    expect(await usageOf(row.id)).toEqual({ [minuteText(started)]: 41 })
  })
})

type Limiter = ReturnType<typeof API_KEY_LIMITER.getByName>

async function admit(limiter: Limiter, times: number): Promise<void> {
  const admissions = await Promise.all(Array.from({ length: times }, () => limiter.admit(ADDRESS)))
  for (const { outcome } of admissions) expect(outcome).toBe('admitted')
}

/** Of the minute that comes: no alarm of the runtime's own goes off meanwhile. */
function startOfMinute(): number {
  return Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS
}

const minuteText = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 16)

/** Requests by the minute, of the key under all its hashes. */
async function usageOf(id: string): Promise<Record<string, number>> {
  const rows = await platform.query<{ minute: string; requests: number }>(
    `select u.hour + make_interval(mins => place::int - 1) as minute, sum(r.requests) as requests
      from quoin.usage u cross join unnest(u.requests) with ordinality r(requests, place)
      where u.key_id = $1::uuid and r.requests > 0 group by 1`,
    [id],
  )
  return Object.fromEntries(rows.map(({ minute, requests }) => [minuteText(Date.parse(minute)), requests]))
}

function tablesOf(limiter: Limiter): Promise<unknown[]> {
  return runInDurableObject(limiter, (_, state) => [
    ...state.storage.sql.exec(
      "select name from sqlite_master where name like '%bucket%' or name like 'used%'",
    ),
  ])
}

async function makeKey(rateLimitPerMinute: number | null = null): Promise<{ row: KeyRow; limiter: Limiter }> {
  const key = generateKey('anon')
  const row = await insertKey(platform, {
    projectId: null,
    name: 'housekeeping',
    role: 'anon',
    ...describeKey(key),
    keyHash: await hashKey(key),
    rateLimitPerMinute,
    rateLimitPerAddress: null,
    expiresAt: null,
  })
  if (row === undefined) throw new Error('the stack has no project')
  return { row, limiter: API_KEY_LIMITER.getByName(row.key_hash) }
}

async function rotateWithOverlap(old: KeyRow, overlapMs: number): Promise<{ row: KeyRow; limiter: Limiter }> {
  const key = generateKey('anon')
  const row = await rotateKeyRow(platform, {
    id: old.id,
    version: old.version,
    keyHash: await hashKey(key),
    lastFour: describeKey(key).lastFour,
    previousExpiresAt: new Date(Date.now() + overlapMs).toISOString(),
  })
  if (row === undefined) throw new Error('somebody else has changed the key')
  return { row, limiter: API_KEY_LIMITER.getByName(row.key_hash) }
}

async function setLimit(id: string, limit: number): Promise<void> {
  await platform.query(
    'update quoin.api_keys set rate_limit_per_minute = $2::int, version = version + 1 where id = $1::uuid returning id',
    [id, String(limit)],
  )
}

async function readRow(id: string): Promise<KeyRow> {
  const row = await findKeyById(platform, id, 'every_project')
  if (row === undefined) throw new Error('the key is gone')
  return row
}

/** 0 without an alarm. */
function alarmOf(limiter: Limiter): Promise<number> {
  return runInDurableObject(limiter, async (_, state) => (await state.storage.getAlarm()) ?? 0)
}

function storedBuckets(limiter: Limiter): Promise<number> {
  return runInDurableObject(limiter, (_, state) => {
    return Number(state.storage.sql.exec('select count(*) as n from window_buckets').one().n)
  })
}

async function limitSeenBy(limiter: Limiter): Promise<number | undefined> {
  const admission = await limiter.admit(ADDRESS)
  return 'rateLimit' in admission ? admission.rateLimit.limit : undefined
}
