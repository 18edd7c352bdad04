// What fits into any second.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rateCounter } from '../../../src/features/realtime/topics/rates.ts'

test('no window has more than the limit, and nothing that fits is refused', () => {
  const step = fc.record({ waitMs: fc.integer({ min: 0, max: 400 }), amount: fc.integer({ min: 1, max: 3 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      let now = 1_000
      const counter = rateCounter(5, 1_000, () => now)
      const taken: { at: number; amount: number }[] = []
      for (const { waitMs, amount } of steps) {
        now += waitMs
        const inWindow = taken.filter(one => one.at > now - 1_000).reduce((sum, one) => sum + one.amount, 0)
        expect(counter.take('a', amount)).toBe(inWindow + amount <= 5)
        if (inWindow + amount <= 5) taken.push({ at: now, amount })
      }
    }),
  )
})

test('names do not take from each other, before and after they were forgotten', () => {
  let now = 0
  const counter = rateCounter(1, 1_000, () => now)
  expect([counter.take('a'), counter.take('a'), counter.take('b')]).toEqual([true, false, true])
  now = 999
  expect(counter.take('a')).toBe(false)
  now = 1_000
  expect([counter.take('a'), counter.take('a'), counter.take('b')]).toEqual([true, false, true])
})

test('what is as old as the window counts no more, when nothing was forgotten either', () => {
  let now = 0
  const counter = rateCounter(1, 1_000, () => now)
  const at = (time: number, name: string) => {
    now = time
    return counter.take(name)
  }
  expect([at(600, 'a'), at(1_600, 'b'), at(1_900, 'c')]).toEqual([true, true, true])
  expect([at(2_599, 'b'), at(2_600, 'b'), at(2_899, 'c'), at(2_900, 'c')]).toEqual([false, true, false, true])
})
