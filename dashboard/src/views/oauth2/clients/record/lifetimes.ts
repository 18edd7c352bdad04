// Lifetimes as people say them: "90 minutes". Pure; the API takes seconds.

import { numberOf } from '../../../../parts/number-text.ts'

export const UNITS = [
  { value: 'days', seconds: 86_400 },
  { value: 'hours', seconds: 3_600 },
  { value: 'minutes', seconds: 60 },
  { value: 'seconds', seconds: 1 },
] as const
export type Unit = (typeof UNITS)[number]['value']

/** As it is typed; an empty amount leaves it to the server. */
export interface Lifetime {
  amount: string
  unit: Unit
}

/** In the largest unit that says it whole. null: the server's default, to be typed in `usual`. */
export function lifetimeOf(seconds: number | null, usual: Unit): Lifetime {
  if (seconds === null) return { amount: '', unit: usual }
  const unit = UNITS.find(({ seconds: size }) => seconds % size === 0) ?? { value: 'seconds', seconds: 1 }
  return { amount: String(seconds / unit.seconds), unit: unit.value }
}

/** null for an empty amount. What is no number stays as it is: the server refuses it in its own words. */
export function secondsOf({ amount, unit }: Lifetime): number | null {
  const count = numberOf(amount)
  if (typeof count !== 'number') return count
  const size = UNITS.find(({ value }) => value === unit)?.seconds ?? 1
  // 0.1 hours are 360 seconds, and not 359.99999999999994.
  return Math.round(count * size * 1_000) / 1_000
}
