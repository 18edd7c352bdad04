// How often each client address did something lately. In memory, bounded, no clock: a guard, not an exact limit.

import { BoundedMap } from '../../../lib/bounded-map.ts'
import type { RateLimitState } from './admission.ts'
import { networkOf } from './network.ts'
import { WINDOW_MS } from './window.ts'

/** Addresses remembered at once; the one whose minute began first is forgotten first. */
const ADDRESSES_MAX = 10_000

interface Count {
  windowEndMs: number
  count: number
}

/** Counts by client network, in windows of a minute that begin with the first event. */
export class AddressCounts {
  readonly #counts = new BoundedMap<string, Count>(ADDRESSES_MAX)

  /** Events of the address within its running minute. */
  countOf(address: string, nowMs: number): number {
    return this.#runningOf(networkOf(address), nowMs)?.count ?? 0
  }

  /** Counts one event. */
  add(address: string, nowMs: number): void {
    const network = networkOf(address)
    const running = this.#runningOf(network, nowMs)
    if (running !== undefined) {
      running.count += 1
      return
    }
    // Taken out first, so that the map's order is the order in which windows began.
    this.#counts.delete(network)
    this.#counts.set(network, { windowEndMs: nowMs + WINDOW_MS, count: 1 })
  }

  /** What is left of `limit` for the address, as response headers show it. */
  state(address: string, limit: number, nowMs: number): RateLimitState {
    const running = this.#runningOf(networkOf(address), nowMs)
    const leftMs = running === undefined ? 0 : running.windowEndMs - nowMs
    const remaining = Math.max(0, limit - (running?.count ?? 0))
    return { limit, remaining, resetSeconds: Math.ceil(leftMs / 1_000) }
  }

  #runningOf(network: string, nowMs: number): Count | undefined {
    const count = this.#counts.get(network)
    return count !== undefined && nowMs < count.windowEndMs ? count : undefined
  }
}
