import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SlidingWindow } from '../../../../src/features/api-keys/limit/window.ts'
import { busiestSpan, StoredBuckets } from './window-oracle.ts'

const T0 = 1_800_000_000_000

/** The obvious way: every admitted time in a list. A reading t stands for any moment up to t + 1. */
class NaiveLog {
  readonly times: number[] = []

  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  tryAdmit(nowMs: number): boolean {
    if (this.times.filter(time => nowMs < time + 60_001).length >= this.#limit) return false
    this.times.push(nowMs)
    return true
  }
}

/** Pauses between requests: bursts, the edges of the window, and long silence. */
const pauseMs = fc.oneof(
  { weight: 6, arbitrary: fc.nat(3) },
  { weight: 3, arbitrary: fc.nat(2_000) },
  { weight: 1, arbitrary: fc.integer({ min: 59_890, max: 60_110 }) },
  { weight: 2, arbitrary: fc.constantFrom(59_999, 60_000, 60_001) },
  { weight: 1, arbitrary: fc.nat(200_000) },
)
const step = fc.record({
  pauseMs,
  burst: fc.integer({ min: 1, max: 5 }),
  isEvicted: fc.boolean(),
  clockErrorMs: fc.constantFrom(0, 0, 0, 0, -5, -30_000),
})

describe('up to a limit of 1000', () => {
  it('admits exactly what a list of all admitted times would admit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.array(pauseMs, { maxLength: 150 }), (limit, pauses) => {
        const window = new SlidingWindow(limit, new StoredBuckets())
        const naive = new NaiveLog(limit)
        let nowMs = T0
        for (const pause of pauses) {
          nowMs += pause
          expect(window.tryAdmit(nowMs)).toBe(naive.tryAdmit(nowMs))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('admits exactly the same across evictions: every request is journaled by itself', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 80 }), (limit, steps) => {
        const journal = new StoredBuckets()
        let window = new SlidingWindow(limit, journal)
        const naive = new NaiveLog(limit)
        let nowMs = T0
        for (const { pauseMs: pause, isEvicted } of steps) {
          nowMs += pause
          if (isEvicted) window = new SlidingWindow(limit, journal, journal.all())
          expect(window.tryAdmit(nowMs)).toBe(naive.tryAdmit(nowMs))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('admits exactly 100 of 150 requests at one moment, and one more 60.001 seconds later', () => {
    const window = new SlidingWindow(100, new StoredBuckets())
    const answers = Array.from({ length: 150 }, () => window.tryAdmit(T0))
    expect(answers.filter(Boolean)).toHaveLength(100)
    expect(window.tryAdmit(T0 + 60_000)).toBe(false)
    expect(window.tryAdmit(T0 + 60_001)).toBe(true)
  })
})

describe('above 1000', () => {
  const limits = fc.integer({ min: 1_001, max: 5_000 })
  const bursts = fc.record({ pauseMs, burst: fc.integer({ min: 1, max: 900 }), isEvicted: fc.boolean() })

  it('never has more than the limit in any 60 seconds, evictions included', () => {
    fc.assert(
      fc.property(limits, fc.array(bursts, { maxLength: 40 }), (limit, steps) => {
        const journal = new StoredBuckets()
        let window = new SlidingWindow(limit, journal)
        const admitted: number[] = []
        let nowMs = T0
        for (const { pauseMs: pause, burst, isEvicted } of steps) {
          nowMs += pause
          if (isEvicted) window = new SlidingWindow(limit, journal, journal.all())
          for (let i = 0; i < burst; i++) if (window.tryAdmit(nowMs)) admitted.push(nowMs)
        }
        expect(busiestSpan(admitted)).toBeLessThanOrEqual(limit)
      }),
      { numRuns: 60 },
    )
  })

  it('admits the whole limit, and frees at most 100 ms late', () => {
    fc.assert(
      fc.property(limits, fc.nat(99), (limit, offsetMs) => {
        const window = new SlidingWindow(limit, new StoredBuckets())
        const startMs = T0 + offsetMs
        for (let i = 0; i < limit; i++) expect(window.tryAdmit(startMs)).toBe(true)
        expect(window.tryAdmit(startMs + 60_000)).toBe(false)
        expect(window.tryAdmit(startMs + 60_100)).toBe(true)
      }),
      { numRuns: 20 },
    )
  })

  it('loses at most one lot at an eviction, also when many buckets were opened', () => {
    const limit = 600_000
    const journal = new StoredBuckets()
    const window = new SlidingWindow(limit, journal)
    let admitted = 0
    for (let bucket = 0; bucket < 300; bucket++) {
      for (let i = 0; i <= bucket; i++) if (window.tryAdmit(T0 + bucket * 100)) admitted += 1
    }
    expect(journal.total()).toBeGreaterThanOrEqual(admitted)
    expect(journal.total() - admitted).toBeLessThan(limit / 1_000)
  })

  it('writes to its journal once for many requests, where they are many', () => {
    const journal = new StoredBuckets()
    const window = new SlidingWindow(1_000_000, journal)
    for (let i = 0; i < 50_000; i++) window.tryAdmit(T0)
    expect(journal.writes).toBeLessThan(120)
    expect(window.isAhead()).toBe(true)
  })

  it('writes what was admitted where they are few, and everywhere once it is settled', () => {
    const journal = new StoredBuckets()
    const window = new SlidingWindow(1_000_000, journal)
    const journaled = () => journal.all().reduce((sum, { count }) => sum + count, 0)
    for (let i = 0; i < 7; i++) window.tryAdmit(T0)
    expect(journaled()).toBe(7)
    for (let i = 0; i < 100; i++) window.tryAdmit(T0)
    expect(journaled()).toBeGreaterThan(107)
    window.settle(T0 + 1_000)
    expect(journaled()).toBe(107)
  })

  it('counts nothing before the time that it is told, though the clock was set back', () => {
    const journal = new StoredBuckets()
    new SlidingWindow(10, journal, [], T0).tryAdmit(T0 - 10_000)
    expect(journal.all()[0]?.endMs).toBeGreaterThan(T0)
  })

  it('keeps a bounded number of buckets at any rate', () => {
    const window = new SlidingWindow(100_000_000, new StoredBuckets())
    for (let nowMs = T0; nowMs < T0 + 180_000; nowMs += 7) window.tryAdmit(nowMs)
    expect(window.liveBuckets(T0 + 180_000).length).toBeLessThanOrEqual(602)
  })
})

describe('whatever happens', () => {
  it('never has more than the limit by the latest time seen, however the clock is set back', () => {
    fc.assert(
      fc.property(fc.constantFrom(1, 3, 7, 1_500), fc.array(step, { maxLength: 60 }), (limit, steps) => {
        const window = new SlidingWindow(limit, new StoredBuckets())
        const admitted: number[] = []
        let rightMs = T0
        let latestMs = 0
        for (const { pauseMs: pause, burst, clockErrorMs } of steps) {
          rightMs += pause
          latestMs = Math.max(latestMs, rightMs + clockErrorMs)
          const count = limit > 1_000 ? burst * 400 : burst
          for (let i = 0; i < count; i++) if (window.tryAdmit(rightMs + clockErrorMs)) admitted.push(latestMs)
        }
        expect(busiestSpan(admitted)).toBeLessThanOrEqual(limit)
      }),
      { numRuns: 100 },
    )
  })

  it('does not count a refused request', () => {
    const window = new SlidingWindow(1, new StoredBuckets())
    expect(window.tryAdmit(T0)).toBe(true)
    for (let i = 1; i < 60; i++) expect(window.tryAdmit(T0 + i * 1_000)).toBe(false)
    expect(window.tryAdmit(T0 + 60_001)).toBe(true)
  })

  it('counts a request from the latest time seen when the clock is set back', () => {
    const window = new SlidingWindow(1, new StoredBuckets())
    window.state(T0)
    expect(window.tryAdmit(T0 - 30_000)).toBe(true)
    expect(window.tryAdmit(T0 + 60_000)).toBe(false)
    expect(window.tryAdmit(T0 + 60_001)).toBe(true)
  })

  it('counts a request from the newest stored bucket when the clock is set back over an eviction', () => {
    const journal = new StoredBuckets()
    new SlidingWindow(2, journal).tryAdmit(T0)
    new SlidingWindow(2, journal, journal.all()).tryAdmit(T0 - 30_000)
    const window = new SlidingWindow(2, journal, journal.all())
    expect(window.tryAdmit(T0 + 60_000)).toBe(false)
    expect(window.tryAdmit(T0 + 60_001)).toBe(true)
  })

  it('keeps counting what was admitted when the limit is changed, in both directions across 1000', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ limit: fc.constantFrom(5, 50, 1_000, 1_001, 3_000), pauseMs, burst: fc.nat(40) }),
          { maxLength: 40 },
        ),
        steps => {
          const window = new SlidingWindow(5, new StoredBuckets())
          const admitted: number[] = []
          let nowMs = T0
          for (const { limit, pauseMs: pause, burst } of steps) {
            nowMs += pause
            window.setLimit(limit)
            for (let i = 0; i < burst; i++) {
              if (!window.tryAdmit(nowMs)) continue
              admitted.push(nowMs)
              expect(admitted.filter(time => nowMs - time <= 60_000).length).toBeLessThanOrEqual(limit)
            }
          }
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('a window that is taken over', () => {
  it('counts together with its own: a rotation gives no second allowance', () => {
    const before = new SlidingWindow(10, new StoredBuckets())
    for (let i = 0; i < 7; i++) before.tryAdmit(T0 + i)
    const journal = new StoredBuckets()
    const after = new SlidingWindow(10, journal)
    after.tryAdmit(T0 + 3)
    after.adopt(before.liveBuckets(T0 + 10), T0 + 10)
    const answers = Array.from({ length: 5 }, () => after.tryAdmit(T0 + 10))
    expect(answers).toEqual([true, true, false, false, false])
    expect(journal.total()).toBe(10)
    expect(after.tryAdmit(T0 + 60_001)).toBe(true)
  })
})

describe('state', () => {
  it('says what is left and when the window is empty, while something is left', () => {
    const window = new SlidingWindow(3, new StoredBuckets())
    expect(window.state(T0)).toEqual({ limit: 3, remaining: 3, resetSeconds: 0 })
    window.tryAdmit(T0)
    window.tryAdmit(T0 + 5_000)
    expect(window.state(T0 + 5_000)).toEqual({ limit: 3, remaining: 1, resetSeconds: 60 })
  })

  it('says when one more is allowed, when nothing is left', () => {
    const window = new SlidingWindow(2, new StoredBuckets())
    window.tryAdmit(T0)
    window.tryAdmit(T0 + 5_000)
    const { resetSeconds, ...state } = window.state(T0 + 20_500)
    expect(state).toEqual({ limit: 2, remaining: 0 })
    expect(resetSeconds).toBe(40)
    expect(window.tryAdmit(T0 + 20_500 + resetSeconds * 1_000)).toBe(true)
  })

  it('names a time at which a request is admitted indeed, also after the limit was lowered', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2_000), { minLength: 5, maxLength: 30 }),
        fc.integer({ min: 1, max: 5 }),
        (pauses, lowered) => {
          const window = new SlidingWindow(1_000, new StoredBuckets())
          let nowMs = T0
          for (const pause of pauses) {
            nowMs += pause
            window.tryAdmit(nowMs)
          }
          window.setLimit(lowered)
          const { remaining, resetSeconds } = window.state(nowMs)
          expect(remaining).toBe(0)
          expect(window.tryAdmit(nowMs + (resetSeconds - 1) * 1_000 - 1)).toBe(false)
          expect(window.tryAdmit(nowMs + resetSeconds * 1_000 + 1)).toBe(true)
        },
      ),
    )
  })
})
