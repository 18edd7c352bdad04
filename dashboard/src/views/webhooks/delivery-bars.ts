// Attempts to deliver, counted by the minute, hour or day. Pure.

import type { Schema } from '../../api/schema.ts'

export interface Bar {
  /** Where it begins. */
  at: Date
  delivered: number
  failed: number
}

export interface Bars {
  unit: 'minute' | 'hour' | 'day'
  bars: Bar[]
}

const MINUTE_MS = 60_000
const UNITS = [
  ['minute', MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['day', 1_440 * MINUTE_MS],
] as const
/** The log has 30 days, and begins in the middle of one. */
const BARS = 31

/**
 * Up to `now`, by the smallest unit that reaches back to the oldest. `entries` are newest first, as in the log. Hours
 * and days are those of the viewer's zone.
 */
export function barsOf(
  entries: readonly Pick<Schema<'Delivery'>, 'created_at' | 'error'>[],
  now: Date,
): Bars {
  const zone = now.getTimezoneOffset() * MINUTE_MS
  const indexOf = (at: number, length: number) => Math.floor((at - zone) / length)
  const firstOf = (length: number) => indexOf(now.getTime(), length) - BARS + 1
  const oldest = Date.parse(entries.at(-1)?.created_at ?? '')
  const [unit, length] = UNITS.find(([, each]) => indexOf(oldest, each) >= firstOf(each)) ?? UNITS[2]
  const first = firstOf(length)
  const bars = Array.from({ length: BARS }, (_, i): Bar => {
    return { at: new Date((first + i) * length + zone), delivered: 0, failed: 0 }
  })
  for (const { created_at: at, error } of entries) {
    // The clocks of server and viewer differ: what is after `now` belongs to the last bar.
    const bar = bars[Math.min(indexOf(Date.parse(at), length) - first, BARS - 1)]
    if (bar !== undefined) bar[error === null ? 'delivered' : 'failed']++
  }
  return { unit, bars }
}
