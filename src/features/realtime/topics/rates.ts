// How often something may happen within any stretch of time, by name. Pure: the clock is given.

export interface RateCounter {
  /** Counts `amount` for `name` where it fits; false: it does not, and nothing is counted. */
  take(name: string, amount?: number): boolean
}

interface Taken {
  readonly atMs: number
  amount: number
}

/**
 * At most `limit` in any `windowMs` milliseconds. `nowMs` answers milliseconds of any epoch. It keeps one entry for
 * each millisecond in which something was taken, and forgets names that were quiet for a window.
 */
export function rateCounter(limit: number, windowMs: number, nowMs: () => number): RateCounter {
  const takenBy = new Map<string, Taken[]>()
  let sweptAtMs = Number.NEGATIVE_INFINITY

  function sweep(now: number): void {
    sweptAtMs = now
    for (const [name, taken] of takenBy) {
      if ((taken.at(-1)?.atMs ?? 0) <= now - windowMs) takenBy.delete(name)
    }
  }

  return {
    take(name, amount = 1) {
      const now = nowMs()
      if (now - sweptAtMs >= windowMs) sweep(now)
      const recent = (takenBy.get(name) ?? []).filter(one => one.atMs > now - windowMs)
      const count = recent.reduce((sum, one) => sum + one.amount, 0)
      if (count + amount > limit) return false
      const last = recent.at(-1)
      if (last?.atMs === now) last.amount += amount
      else recent.push({ atMs: now, amount })
      takenBy.set(name, recent)
      return true
    },
  }
}
