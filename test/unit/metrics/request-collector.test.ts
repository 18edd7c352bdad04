import { expect, it, vi } from 'vitest'
import type { RequestBatch } from '../../../src/features/metrics/request-batch.ts'
import { RequestCollector } from '../../../src/features/metrics/request-collector.ts'

function makeScene() {
  const told: number[] = []
  const waits: (() => void)[] = []
  const behind: Promise<unknown>[] = []
  const collector = new RequestCollector({
    requestMetrics: () => ({
      add: async ({ counts }: RequestBatch) => {
        told.push(counts.reduce((sum, { requests }) => sum + requests, 0))
      },
    }),
    timeAfter: () => new Promise<void>(resolve => waits.push(resolve)),
  })
  const add = (atMs: number) =>
    collector.add(
      {
        atMs,
        requestId: 'r',
        route: 'GET /v1/keys',
        status: 200,
        durationMs: 1,
        keyId: null,
        isStranger: false,
      },
      work => behind.push(work),
    )
  return { told, waits, behind, add }
}

it('tells once of all that came while one request waited to tell', async () => {
  const { told, waits, behind, add } = makeScene()
  for (const atMs of [1_000, 2_000, 10_999]) add(atMs)
  expect(behind).toHaveLength(1)
  waits[0]?.()
  await Promise.all(behind)
  expect(told).toEqual([3])
  add(11_000)
  expect(behind).toHaveLength(2)
})

it('goes on telling when the request that was to tell is gone', async () => {
  const { told, waits, behind, add } = makeScene()
  add(1_000)
  add(20_000)
  expect(behind).toHaveLength(2)
  waits[1]?.()
  await behind[1]
  expect(told).toEqual([2])
})

it('says what was lost where the object does not answer, and goes on', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const behind: Promise<unknown>[] = []
  const collector = new RequestCollector({
    requestMetrics: () => ({ add: () => Promise.reject(new Error('gone')) }),
    timeAfter: async () => {},
  })
  const request = {
    atMs: 1,
    requestId: 'r',
    route: 'r',
    status: 200,
    durationMs: 1,
    keyId: null,
    isStranger: false,
  }
  collector.add(request, work => behind.push(work))
  await Promise.all(behind)
  expect(warned.mock.calls[0]?.[0]).toContain('the metrics of 1 routes were lost')
})
