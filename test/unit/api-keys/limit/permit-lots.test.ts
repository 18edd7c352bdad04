// Permit lots must never let a key pass its limit: whatever the delays between isolate and limiter, however many
// isolates, whenever one of them or the limiter is evicted.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Admission, LotAsk } from '../../../../src/features/api-keys/limit/admission.ts'
import { KeyGate } from '../../../../src/features/api-keys/limit/key-gate.ts'
import { LotLedger } from '../../../../src/features/api-keys/limit/lot-ledger.ts'
import { PermitHolder } from '../../../../src/features/api-keys/limit/permit-holder.ts'
import { LOT_LIMIT_MIN, SlidingWindow } from '../../../../src/features/api-keys/limit/window.ts'
import { ANY_KEY, busiestSpan, StoredBuckets } from './window-oracle.ts'

const T0 = 1_800_000_000_000
const LIMIT = LOT_LIMIT_MIN

/** The limiter as the object has it: a window, a ledger, and what an eviction leaves. */
class Limiter {
  #journal = new StoredBuckets()
  #window: SlidingWindow
  #ledger = new LotLedger()
  readonly limit: number
  calls = 0
  admittedAlone = 0

  constructor(limit: number) {
    this.limit = limit
    this.#window = new SlidingWindow(limit, this.#journal)
  }

  admit(nowMs: number, ask: LotAsk | undefined): Admission {
    this.calls += 1
    const isAdmitted = this.#window.tryAdmit(nowMs)
    const rateLimit = this.#window.state(nowMs)
    const admission: Admission = isAdmitted
      ? { outcome: 'admitted', key: ANY_KEY, rateLimit }
      : { outcome: 'rate_limited', key: ANY_KEY, rateLimit, retryAfterSeconds: 1, limited: 'key' }
    if (ask === undefined) return admission
    this.#ledger.settle(ask.settled, this.#window, nowMs)
    return this.#ledger.answer(admission, ask.wanted, this.#window, nowMs)
  }

  settle(settled: LotAsk['settled'], nowMs: number): void {
    this.#ledger.settle(settled, this.#window, nowMs)
  }

  evict(): void {
    this.#window = new SlidingWindow(this.limit, this.#journal, this.#journal.all())
    this.#ledger = new LotLedger()
  }

  remaining(nowMs: number): number {
    return this.#window.state(nowMs).remaining
  }
}

/** Bursts that fill the window, lots used at the end of their life, and silence of about a window. */
const step = fc.record({
  isolate: fc.nat(1),
  pauseMs: fc.oneof(
    { weight: 4, arbitrary: fc.nat(5) },
    { weight: 4, arbitrary: fc.integer({ min: 850, max: 1_050 }) },
    { weight: 3, arbitrary: fc.integer({ min: 58_800, max: 60_200 }) },
  ),
  burst: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 100, max: LIMIT })),
  toLimiterMs: fc.oneof({ weight: 4, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(2_000) }),
  backMs: fc.oneof({ weight: 4, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(2_000) }),
  event: fc.constantFrom('none', 'none', 'none', 'none', 'evict limiter', 'evict isolate', 'answer lost'),
})

describe('permit lots', () => {
  it('never admit more than the limit in any 60 seconds', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), steps => {
        const limiter = new Limiter(LIMIT)
        const isolates = [new PermitHolder(), new PermitHolder()]
        const admittedMs: number[] = []
        let nowMs = T0
        for (const { isolate, pauseMs, burst, toLimiterMs, backMs, event } of steps) {
          nowMs += pauseMs
          if (event === 'evict limiter') limiter.evict()
          if (event === 'evict isolate') isolates[isolate] = new PermitHolder()
          const holder = isolates[isolate] ?? new PermitHolder()
          for (let i = 0; i < burst; i++) {
            if (holder.take(nowMs)) {
              admittedMs.push(nowMs)
              continue
            }
            const sentMs = nowMs
            const ask = holder.beginAsk(sentMs)
            if (ask) nowMs += toLimiterMs
            const admission = limiter.admit(nowMs, ask)
            if (admission.outcome === 'admitted') admittedMs.push(nowMs)
            if (ask === undefined || event === 'answer lost') continue
            nowMs += backMs
            holder.endAsk(admission.outcome === 'admitted' ? admission.lot : undefined, sentMs)
          }
        }
        expect(busiestSpan(admittedMs)).toBeLessThanOrEqual(LIMIT)
      }),
      { numRuns: 150 },
    )
  })

  // The lot is used at the very end of its life: it must count for 60 s from there, not from when it was granted.
  it('count until 60 s after the last moment at which they may be used', () => {
    const limiter = new Limiter(LIMIT)
    const holder = new PermitHolder()
    for (let i = 0; i < 300; i++) holder.take(T0)
    const admission = limiter.admit(T0, holder.beginAsk(T0))
    holder.endAsk(admission.outcome === 'admitted' ? admission.lot : undefined, T0)
    const lateMs = T0 + 949
    let used = 1
    while (holder.left > 80 && holder.take(lateMs)) used += 1
    while (limiter.admit(lateMs, undefined).outcome === 'admitted') used += 1
    expect(used).toBeGreaterThan(LIMIT - 100)
    // Only the request of T0 itself, which was none of the lot's, is free again.
    expect(limiter.remaining(T0 + 60_500)).toBe(1)
    expect(holder.take(T0 + 950)).toBe(false)
  })

  it('gives what was not used back, once', () => {
    const window = new SlidingWindow(LIMIT, new StoredBuckets())
    const ledger = new LotLedger()
    const good = (): Admission => ({ outcome: 'admitted', key: ANY_KEY, rateLimit: window.state(T0) })
    const first = ledger.answer(good(), 100, window, T0)
    const lot = first.outcome === 'admitted' ? first.lot : undefined
    expect(lot?.permits).toBe(100)
    expect(window.state(T0).remaining).toBe(LIMIT - 100)
    const settled = [{ id: lot?.id ?? '', unused: 60 }]
    ledger.settle(settled, window, T0)
    expect(window.state(T0).remaining).toBe(LIMIT - 40)
    ledger.settle(settled, window, T0)
    expect(window.state(T0).remaining).toBe(LIMIT - 40)
  })

  // A confused isolate must not be able to make room that it was never given.
  it('takes back no more than it granted, and nothing for a lot it does not know', () => {
    const window = new SlidingWindow(LIMIT, new StoredBuckets())
    const ledger = new LotLedger()
    for (let i = 0; i < 50; i++) window.tryAdmit(T0)
    const good = (): Admission => ({ outcome: 'admitted', key: ANY_KEY, rateLimit: window.state(T0) })
    ledger.settle([{ id: 'x', unused: 50 }], window, T0)
    const first = ledger.answer(good(), 10, window, T0)
    const id = first.outcome === 'admitted' ? (first.lot?.id ?? '') : ''
    ledger.settle([{ id, unused: 9_999 }], window, T0)
    expect(window.state(T0).remaining).toBe(LIMIT - 50)
  })

  it('are not given below the limit that makes them worth it', () => {
    const limiter = new Limiter(LOT_LIMIT_MIN - 1)
    const admission = limiter.admit(T0, { wanted: 100, settled: [] })
    expect(admission).not.toHaveProperty('lot')
    expect(limiter.remaining(T0)).toBe(LOT_LIMIT_MIN - 2)
  })
})

describe('the gate of an isolate', () => {
  function gateOf(limiter: Limiter, clock: { nowMs: number }) {
    const keyLimiter = {
      admit: async (_address: string, ask?: Parameters<Limiter['admit']>[1]) =>
        limiter.admit(clock.nowMs, ask),
      settle: async (settled: LotAsk['settled']) => limiter.settle(settled, clock.nowMs),
    }
    const waits: (() => void)[] = []
    // The gate calls nothing else of a limiter.
    const gate = new KeyGate({ byHash: () => keyLimiter as never }, async () => {
      await new Promise<void>(resolve => waits.push(resolve))
      return clock.nowMs
    })
    const behind: Promise<unknown>[] = []
    return {
      call: () =>
        gate.admit({ keyHash: 'k', address: 'a', nowMs: clock.nowMs, waitUntil: work => behind.push(work) }),
      /** Ends all waiting, at the time that the clock shows. */
      goOn: async () => {
        for (const end of waits) end()
        await Promise.all(behind)
      },
    }
  }

  it('brings back what was left of its permits when the key goes quiet', async () => {
    const [limiter, clock] = [new Limiter(100_000), { nowMs: T0 }]
    const gate = gateOf(limiter, clock)
    for (let i = 0; i < 400; i++) {
      await gate.call()
      if (i % 4 === 0) clock.nowMs += 1
    }
    expect(limiter.remaining(clock.nowMs)).toBeLessThan(100_000 - 400)
    clock.nowMs += 2_000
    await gate.goOn()
    expect(limiter.remaining(clock.nowMs)).toBe(100_000 - 400)
  })

  it('asks the limiter for each request of a key that is not busy', async () => {
    const [limiter, clock] = [new Limiter(LIMIT), { nowMs: T0 }]
    const gate = gateOf(limiter, clock)
    for (let i = 0; i < 20; i++) {
      await gate.call()
      clock.nowMs += 100
    }
    expect(limiter.calls).toBe(20)
  })

  it('asks once for hundreds of requests of a busy key, and shows the caller a falling remainder', async () => {
    const [limiter, clock] = [new Limiter(100_000), { nowMs: T0 }]
    const gate = gateOf(limiter, clock)
    let before = Number.POSITIVE_INFINITY
    for (let i = 0; i < 3_000; i++) {
      const admission = await gate.call()
      if (admission.outcome !== 'admitted') throw new Error('refused')
      expect(admission.rateLimit.remaining).toBeLessThan(before)
      before = admission.rateLimit.remaining
      if (i % 4 === 0) clock.nowMs += 1
    }
    expect(limiter.calls).toBeLessThan(60)
    expect(before).toBe(100_000 - 3_000)
  })

  it('brings back what it holds of a key that is refused', async () => {
    const holder = new PermitHolder()
    holder.endAsk({ id: 'lot', permits: 100 }, T0)
    expect(holder.take(T0)).toBe(true)
    holder.drop()
    expect(holder.take(T0)).toBe(false)
    expect(holder.takeSettled(T0)).toEqual([{ id: 'lot', unused: 99 }])
  })

  it('admits the whole limit and then refuses, although permits were handed out ahead', async () => {
    const [limiter, clock] = [new Limiter(LIMIT), { nowMs: T0 }]
    const gate = gateOf(limiter, clock)
    let admitted = 0
    for (let i = 0; i < LIMIT + 500; i++) {
      if ((await gate.call()).outcome === 'admitted') admitted += 1
      if (i % 10 === 0) clock.nowMs += 1
    }
    expect(admitted).toBe(LIMIT)
  })
})
