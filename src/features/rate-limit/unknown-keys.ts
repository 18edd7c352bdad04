// Stops an address that guesses keys before any object or database is asked. Per isolate, in
// memory, no clock: a guard against load, not an exact limit.

import { networkOf } from './network.ts'

/** Unknown keys from one address within a minute that are still looked up. */
const UNKNOWN_KEYS_MAX = 20
const WINDOW_MS = 60_000
/**
 * Addresses remembered at once. The oldest is forgotten first: under a flood from more, every lookup is bounded
 * elsewhere.
 */
const ADDRESSES_MAX = 10_000

interface Strikes {
  windowEndMs: number
  count: number
}

/** Counts unknown keys by address in windows of a minute that begin with the first one. */
export class UnknownKeyGuard {
  readonly #strikes = new Map<string, Strikes>()

  /** True while the address has sent more than 20 unknown keys within the minute that its first one began. */
  isBlocked(address: string, nowMs: number): boolean {
    const strikes = this.#strikes.get(networkOf(address))
    return strikes !== undefined && nowMs < strikes.windowEndMs && strikes.count > UNKNOWN_KEYS_MAX
  }

  /** Notes that a key from this address turned out to be unknown, expired or revoked. */
  recordUnknown(address: string, nowMs: number): void {
    const network = networkOf(address)
    const strikes = this.#strikes.get(network)
    if (strikes !== undefined && nowMs < strikes.windowEndMs) {
      strikes.count += 1
      return
    }
    // Taken out first, so that the map's order is the order in which windows began.
    this.#strikes.delete(network)
    this.#makeRoom()
    this.#strikes.set(network, { windowEndMs: nowMs + WINDOW_MS, count: 1 })
  }

  #makeRoom(): void {
    if (this.#strikes.size < ADDRESSES_MAX) return
    const oldest = this.#strikes.keys().next()
    if (!oldest.done) this.#strikes.delete(oldest.value)
  }
}
