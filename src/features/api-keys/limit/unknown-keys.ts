// Stops an address that guesses keys, and a key that is refused again and again, before any object or database is
// asked. Per isolate.

import { AddressCounts } from './address-counts.ts'

/** Unknown keys from one address, and refusals of one key, within a minute that are still looked up. */
const LOOKED_UP_MAX = 20

/** Counts refusals. A flood from more addresses than it remembers is bounded elsewhere. */
export class UnknownKeyGuard {
  readonly #unknownKeys = new AddressCounts()
  /** By the key's hash: as much of it as an address has characters tells keys apart. */
  readonly #refusals = new AddressCounts()

  /**
   * True while, within the minute that began with the first, the address has sent more than 20 unknown keys, or this
   * key was refused more than 20 times. Whoever has a key that was revoked cannot block others at its address.
   */
  isBlocked(keyHash: string, address: string, nowMs: number): boolean {
    return (
      this.#unknownKeys.countOf(address, nowMs) > LOOKED_UP_MAX ||
      this.#refusals.countOf(keyHash, nowMs) > LOOKED_UP_MAX
    )
  }

  /** Notes that this key was refused: `unknown` means that no row has it, `refused` that it is good no more. */
  record(outcome: 'unknown' | 'refused', keyHash: string, address: string, nowMs: number): void {
    if (outcome === 'unknown') this.#unknownKeys.add(address, nowMs)
    else this.#refusals.add(keyHash, nowMs)
  }
}
