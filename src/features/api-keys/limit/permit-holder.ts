// The isolate's side of permit lots: when to ask for one, and which permit a request may use. One key in one isolate.
// Pure: no clock, no I/O. A lot is over `HOLD_MS` after its request was SENT, which is before the limiter granted it.

import type { LotAsk, PermitLot } from './admission.ts'
import { LOT_LIFETIME_MS, LOT_PERMITS_MAX } from './lot-ledger.ts'

/** Shorter than the lot's life: between two I/O events the runtime's clock stands still, so a reading may be old. */
export const HOLD_MS = LOT_LIFETIME_MS - 50
/** Demand is counted over slices of this length; a lot is meant for about one of them. */
const SLICE_MS = 250
/** Below this many requests a slice (24 a second) asking for each is cheaper than lots that go back unused. */
const BUSY_PER_SLICE = 6
/** With less than this part of a lot left, the next request asks for another one, while others use up what is left. */
const LOW_SHARE = 1 / 4

interface HeldLot {
  id: string
  granted: number
  left: number
  endsAtMs: number
}

/** The lots of one key. */
export class PermitHolder {
  #lots: HeldLot[] = []
  #settled: LotAsk['settled'] = []
  #sliceStartMs = 0
  #sliceCount = 0
  #sliceBefore = 0
  #askPendingUntilMs = 0

  /** Uses a permit; false when the limiter has to be asked: there is none left, or it is time to fetch more. */
  take(nowMs: number): boolean {
    this.#countDemand(nowMs)
    this.#dropEnded(nowMs)
    const [lot] = this.#lots
    if (lot === undefined || this.#shouldFetch(lot, nowMs)) return false
    lot.left -= 1
    if (lot.left === 0) this.#settle(lot)
    return true
  }

  /** Permits that are left here, for the headers. */
  get left(): number {
    return this.#lots.reduce((sum, lot) => sum + lot.left, 0)
  }

  /**
   * What to send along with a request to be admitted; undefined when the key is not busy here, or a lot is on its
   * way.
   */
  beginAsk(nowMs: number): LotAsk | undefined {
    const demand = Math.max(this.#sliceBefore, this.#sliceCount)
    if (demand < BUSY_PER_SLICE || nowMs < this.#askPendingUntilMs) return undefined
    // An asker that never comes back (its caller hung up) must not keep others from asking.
    this.#askPendingUntilMs = nowMs + HOLD_MS
    const settled = this.#settled
    this.#settled = []
    return { wanted: Math.min(demand, LOT_PERMITS_MAX), settled }
  }

  /** Takes in the answer to `beginAsk` at `askedAtMs`; a lot that comes too late is settled unused. */
  endAsk(lot: PermitLot | undefined, askedAtMs: number): void {
    this.#askPendingUntilMs = 0
    if (lot === undefined) return
    this.#lots.push({ id: lot.id, granted: lot.permits, left: lot.permits, endsAtMs: askedAtMs + HOLD_MS })
  }

  /** What was left of lots that are over, to be told without a request; each lot is named once. */
  takeSettled(nowMs: number): LotAsk['settled'] {
    this.#dropEnded(nowMs)
    const settled = this.#settled.filter(({ unused }) => unused > 0)
    this.#settled = []
    return settled
  }

  /** Uses no permit any more: the key is not what it was. */
  drop(): void {
    for (const lot of this.#lots) this.#settle(lot)
    this.#askPendingUntilMs = 0
  }

  #shouldFetch(lot: HeldLot, nowMs: number): boolean {
    const isLow = this.#lots.length === 1 && lot.left < lot.granted * LOW_SHARE
    return isLow && nowMs >= this.#askPendingUntilMs
  }

  #countDemand(nowMs: number): void {
    const passedMs = nowMs - this.#sliceStartMs
    if (passedMs >= SLICE_MS || passedMs < 0) {
      this.#sliceBefore = passedMs < 2 * SLICE_MS && passedMs >= 0 ? this.#sliceCount : 0
      this.#sliceStartMs = nowMs
      this.#sliceCount = 0
    }
    this.#sliceCount += 1
  }

  #dropEnded(nowMs: number): void {
    for (const lot of this.#lots) if (nowMs >= lot.endsAtMs) this.#settle(lot)
  }

  #settle(lot: HeldLot): void {
    this.#settled.push({ id: lot.id, unused: lot.left })
    this.#lots = this.#lots.filter(held => held !== lot)
  }
}
