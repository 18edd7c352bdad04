// Stops an address that guesses keys before any object or database is asked. Per isolate.

import { AddressCounts } from './address-counts.ts'

/** Unknown keys from one address within a minute that are still looked up. */
const UNKNOWN_KEYS_MAX = 20

/** Counts unknown keys by client address. A flood from more addresses than it remembers is bounded elsewhere. */
export class UnknownKeyGuard {
  readonly #unknownKeys = new AddressCounts()

  /** True while the address has sent more than 20 unknown keys within the minute that its first one began. */
  isBlocked(address: string, nowMs: number): boolean {
    return this.#unknownKeys.countOf(address, nowMs) > UNKNOWN_KEYS_MAX
  }

  /** Notes that a key from this address turned out to be unknown, expired or revoked. */
  recordUnknown(address: string, nowMs: number): void {
    this.#unknownKeys.add(address, nowMs)
  }
}
