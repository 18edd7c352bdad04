import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backoffMs, SendGate } from '../../../listener/backoff.ts'

const BOUNDS = { firstMs: 100, maxMs: 10_000 }

it('doubles up to its bound, and chance takes away at most half', () => {
  expect([1, 2, 3, 8, 1_000].map(failures => backoffMs(failures, BOUNDS, 0))).toEqual([
    50, 100, 200, 5_000, 5_000,
  ])
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (failures, random) => {
        const ceilingMs = Math.min(BOUNDS.maxMs, BOUNDS.firstMs * 2 ** (failures - 1))
        const waitMs = backoffMs(failures, BOUNDS, random)
        expect(waitMs).toBeGreaterThanOrEqual(ceilingMs / 2)
        expect(waitMs).toBeLessThanOrEqual(ceilingMs)
      },
    ),
  )
})

it('waits as long as a server asks, but not for ever', () => {
  expect(backoffMs(1, BOUNDS, 0, 3_000)).toBe(3_000)
  expect(backoffMs(1, BOUNDS, 0, 999_999_000)).toBe(20_000)
})

it('lets one request try after a failure, and all again after a success', () => {
  const gate = new SendGate(BOUNDS)
  expect(gate.places(0, 1, 4)).toBe(3)
  gate.fail(0, 0)
  expect(gate.places(49, 0, 4)).toBe(0)
  expect(gate.places(50, 0, 4)).toBe(1)
  expect(gate.places(50, 1, 4)).toBe(0)
  gate.succeed()
  expect(gate.places(50, 1, 4)).toBe(3)
})
