// Attempts of a webhook as bars: by the smallest unit that reaches back to the oldest.

import { expect, it } from 'vitest'
import { barsOf } from '../../../dashboard/src/views/webhooks/delivery-bars.ts'

const now = new Date('2026-11-23T12:34:56Z')
const MINUTES = 60_000

const attempt = (minutesAgo: number, error: 'timeout' | null = null) => ({
  created_at: new Date(now.getTime() - minutesAgo * MINUTES).toISOString(),
  error,
})

it.each([
  [29, 'minute'],
  [40, 'hour'],
  [29 * 60, 'hour'],
  [32 * 60, 'day'],
  [30 * 1_440, 'day'],
])('an oldest attempt of %i minutes ago has its bar, by the %s', (minutes, unit) => {
  const found = barsOf([attempt(0), attempt(minutes, 'timeout')], now)
  expect(found.unit).toBe(unit)
  expect(found.bars.reduce((sum, { failed }) => sum + failed, 0)).toBe(1)
  expect(found.bars.at(-1)).toMatchObject({ delivered: 1, failed: 0 })
})

it('counts what a faster clock has written into the last bar', () => {
  expect(barsOf([attempt(-3), attempt(1)], now).bars.slice(-2)).toMatchObject([
    { delivered: 1 },
    { delivered: 1 },
  ])
})
