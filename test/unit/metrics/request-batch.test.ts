import { describe, expect, it } from 'vitest'
import { quantileMs, RequestTally, SAMPLES_MAX } from '../../../src/features/metrics/request-batch.ts'

const request = (more = {}) => ({
  atMs: 60_000,
  requestId: 'r',
  route: 'GET /v1/keys',
  status: 200,
  durationMs: 3,
  keyId: null,
  isStranger: false,
  ...more,
})

describe('the tally of requests', () => {
  it('adds up by minute, route and status, and begins anew once taken', () => {
    const tally = new RequestTally(Math.random)
    tally.add(request())
    tally.add(request({ durationMs: 5 }))
    tally.add(request({ durationMs: 5.1 }))
    tally.add(request({ durationMs: 99_999, status: 503 }))
    const { counts, samples } = tally.take()
    expect(counts).toMatchObject([
      { minute: 1, status: 200, requests: 3, buckets: [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] },
      { minute: 1, status: 503, requests: 1, buckets: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] },
    ])
    expect(counts[0]?.milliseconds).toBeCloseTo(13.1)
    expect(samples).toHaveLength(4)
    expect(tally.take()).toEqual({ counts: [], samples: [] })
  })

  it('keeps so many samples, and gives those that come late the same chance', () => {
    const { known, stranger } = SAMPLES_MAX
    const tally = new RequestTally(() => 0)
    for (let i = 0; i < known + 50; i++) tally.add(request({ requestId: String(i) }))
    for (let i = 0; i < 10_000; i++) tally.add(request({ isStranger: true }))
    const { counts, samples } = tally.take()
    expect(counts[0]?.requests).toBe(known + 10_050)
    expect(samples).toHaveLength(known + stranger)
    expect(samples[0]?.requestId).toBe(String(known + 49))
  })
})

describe('a quantile', () => {
  it.each([
    [[], 0.5, null],
    [[0, 0], 0.5, null],
    [[10], 0.5, 2.5],
    [[10, 10], 0.5, 5],
    [[10, 10], 0.95, 9.5],
    [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4], 0.5, 10_000],
  ])('of %j at %f is %s ms', (buckets, share, expected) => {
    expect(quantileMs(buckets, share)).toBe(expected)
  })
})
