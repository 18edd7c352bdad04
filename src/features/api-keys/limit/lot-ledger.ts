// The limiter's side of permit lots: a busy isolate gets some permits at once and need not ask for each request.
// All of a lot counts from the moment it is granted until 60 s after it ended, so the limit holds
// whatever the isolate does; what it did not use is given back once. Pure: no clock, no storage. After an eviction the
// lots are forgotten and stay counted.

import type { Admission, LotAsk } from './admission.ts'
import { type Bucket, LOT_LIMIT_MIN, type SlidingWindow } from './window.ts'

/** How long an isolate may use a lot; a revocation is at most so late there. */
export const LOT_LIFETIME_MS = 1_000
/** Largest lot. */
export const LOT_PERMITS_MAX = 500
/** A lot takes at most this part of what is left, so that isolates near the limit do not starve each other. */
const REMAINING_SHARE = 1 / 4
/** Lots that are remembered for settling; an older one stays counted until it expires. */
const OPEN_LOTS_MAX = 1_000

/** What was granted and not settled yet. */
export class LotLedger {
  readonly #open = new Map<string, Bucket>()

  /** Adds a lot of at most `wanted` permits to an `admitted` answer, where the limit leaves room for one. */
  answer(admission: Admission, wanted: number, window: SlidingWindow, nowMs: number): Admission {
    if (admission.outcome !== 'admitted' || admission.rateLimit.limit < LOT_LIMIT_MIN) return admission
    const { remaining } = window.state(nowMs)
    const permits = Math.min(wanted, LOT_PERMITS_MAX, Math.floor(remaining * REMAINING_SHARE))
    if (permits < 1) return admission
    const granted = window.admitAhead(nowMs, permits, LOT_LIFETIME_MS)
    const id = crypto.randomUUID()
    this.#remember(id, granted)
    return { ...admission, rateLimit: window.state(nowMs), lot: { id, permits: granted.count } }
  }

  /** Gives back what was left of lots that are over. */
  settle(settled: LotAsk['settled'], window: SlidingWindow, nowMs: number): void {
    for (const { id, unused } of settled) this.#settle(id, unused, window, nowMs)
  }

  #settle(id: string, unused: number, window: SlidingWindow, nowMs: number): void {
    const granted = this.#open.get(id)
    if (granted === undefined) return
    this.#open.delete(id)
    const count = Math.min(Math.max(0, Math.trunc(unused)), granted.count)
    if (count > 0) window.giveBack({ endMs: granted.endMs, count }, nowMs)
  }

  #remember(id: string, granted: Bucket): void {
    if (this.#open.size >= OPEN_LOTS_MAX) {
      const oldest = this.#open.keys().next()
      if (!oldest.done) this.#open.delete(oldest.value)
    }
    this.#open.set(id, granted)
  }
}
