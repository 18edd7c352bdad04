/**
 * Owns how long to wait after failures in a row: doubling, bounded, and jittered, so that many who failed together do
 * not come back together. Pure: chance is given.
 */

export interface BackoffBounds {
  readonly firstMs: number
  readonly maxMs: number
}

/**
 * The wait after `failures` (1 or more) failures in a row: between half and all of the doubled delay. `random` is in
 * [0, 1). A server that asked for a pause (`askedMs`) gets at least that, up to `maxMs` times two.
 */
export function backoffMs(failures: number, bounds: BackoffBounds, random: number, askedMs = 0): number {
  const doublings = Math.min(failures - 1, 30)
  const ceilingMs = Math.min(bounds.maxMs, bounds.firstMs * 2 ** doublings)
  const ownMs = ceilingMs / 2 + (ceilingMs / 2) * random
  return Math.max(ownMs, Math.min(askedMs, 2 * bounds.maxMs))
}

/** Whether requests may go out now; after a failure one at a time, until one succeeds. */
export class SendGate {
  readonly #bounds: BackoffBounds
  #failures = 0
  /** When the next request may go, on the clock of `fail`'s `nowMs`. */
  opensAtMs = 0

  constructor(bounds: BackoffBounds) {
    this.#bounds = bounds
  }

  get isFailing(): boolean {
    return this.#failures > 0
  }

  succeed(): void {
    this.#failures = 0
    this.opensAtMs = 0
  }

  fail(nowMs: number, random: number, askedMs?: number): void {
    this.#failures += 1
    this.opensAtMs = nowMs + backoffMs(this.#failures, this.#bounds, random, askedMs)
  }

  /** How many requests may start now when `underWay` have not ended yet. */
  places(nowMs: number, underWay: number, requestsMax: number): number {
    if (nowMs < this.opensAtMs) return 0
    return Math.max(0, (this.isFailing ? 1 : requestsMax) - underWay)
  }
}
