// What the object of request metrics keeps and forgets, run inside workerd.

import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { RequestMetrics } from '../../durable-objects/request-metrics.ts'
import { type FinishedRequest, RequestTally } from '../../src/features/metrics/request-batch.ts'

interface TestEnv {
  REQUEST_METRICS: DurableObjectNamespace<RequestMetrics>
}

const { REQUEST_METRICS } = env as TestEnv
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** At a full hour that is to come: the clock only goes on. */
const T0 = Date.UTC(2040, 0, 31, 12)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => {
  vi.useRealTimers()
})

it('adds up what isolates tell, by the minute and by the hour, and for ever', async () => {
  const metrics = REQUEST_METRICS.getByName(crypto.randomUUID())
  await tell(metrics, [{ atMs: T0 }, { atMs: T0 + 59_999, durationMs: 30 }, { atMs: T0 + 60_000 }])
  await tell(metrics, [{ atMs: T0 + 10 }, { atMs: T0, status: 503 }, { atMs: T0 + HOUR_MS }])
  const steps = async (stepSeconds: number) => {
    const read = await metrics.readSpan({ from: T0 / 1_000, to: T0 / 1_000 + 3_600, stepSeconds })
    return read.steps.map(count => [count.time - T0 / 1_000, count.class, count.requests])
  }
  expect(await steps(60)).toEqual([
    [0, 2, 3],
    [0, 5, 1],
    [60, 2, 1],
  ])
  expect(await steps(3_600)).toEqual([
    [0, 2, 4],
    [0, 5, 1],
  ])
  const totals = await metrics.readTotals()
  expect(totals.map(({ status, requests }) => [status, requests])).toEqual([
    [200, 5],
    [503, 1],
  ])
  expect(totals[0]).toMatchObject({ milliseconds: 34, buckets: [4, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0] })
})

it('forgets minutes after two days and samples after seven, but neither hours nor totals', async () => {
  const metrics = REQUEST_METRICS.getByName(crypto.randomUUID())
  await tell(metrics, [{ atMs: T0 }])
  await tell(metrics, [{ atMs: T0 + 8 * DAY_MS }])
  const read = async (stepSeconds: number) =>
    (await metrics.readSpan({ from: T0 / 1_000, to: T0 / 1_000 + 3_600, stepSeconds })).routes.length
  expect([await read(60), await read(3_600)]).toEqual([0, 1])
  expect(await metrics.readSamples({ limit: 10 })).toHaveLength(1)
  expect((await metrics.readTotals())[0]?.requests).toBe(2)
})

it('finds samples by each filter, newest first', async () => {
  const metrics = REQUEST_METRICS.getByName(crypto.randomUUID())
  await tell(metrics, [
    { atMs: T0, requestId: 'a' },
    { atMs: T0 + 1, requestId: 'b', route: 'POST /v1/keys', keyId: 'k' },
    { atMs: T0 + 1, requestId: 'c', status: 503 },
  ])
  const find = async (query: Omit<Parameters<typeof metrics.readSamples>[0], 'limit'>) =>
    (await metrics.readSamples({ ...query, limit: 10 })).map(({ requestId }) => requestId).join('')
  expect(await find({})).toBe('cba')
  expect(await find({ requestId: 'b' })).toBe('b')
  expect(await find({ route: '/v1/keys' })).toBe('cba')
  expect(await find({ route: 'POST /v1/keys' })).toBe('b')
  expect(await find({ keyId: 'k' })).toBe('b')
  expect(await find({ statusMin: 500, statusMax: 599 })).toBe('c')
  expect(await find({ fromMs: T0 + 1 })).toBe('cb')
  expect(await find({ toMs: T0 + 1 })).toBe('a')
  expect(await find({ before: { atMs: T0 + 1, requestId: 'c' } })).toBe('ba')
})

async function tell(
  metrics: Pick<RequestMetrics, 'add'>,
  requests: Partial<FinishedRequest>[],
): Promise<void> {
  const tally = new RequestTally(Math.random)
  for (const request of requests) {
    vi.setSystemTime(Math.max(Date.now(), request.atMs ?? 0))
    const requestId = crypto.randomUUID()
    tally.add({
      atMs: T0,
      requestId,
      route: 'GET /v1/keys',
      status: 200,
      durationMs: 1,
      keyId: null,
      isStranger: false,
      ...request,
    })
  }
  await metrics.add(tally.take())
}
