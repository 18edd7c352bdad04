// The door of one isolate: asks a key's limiter whether a request may pass, or uses a permit that the limiter gave
// before. Remembers which keys are good, so that a flood of unknown ones from the same address does not shut them
// out.

import { BoundedMap } from '../../../lib/bounded-map.ts'
import type { Admission, Confirmation } from './admission.ts'
import type { KeyLimiters } from './key-limiter.ts'
import { HOLD_MS, PermitHolder } from './permit-holder.ts'

/** How many keys an isolate remembers; an older one only costs a look-up again. */
const KEYS_MAX = 10_000

interface KnownKey {
  permits: PermitHolder
  /** The limiter's last good answer. */
  last: Extract<Admission, { outcome: 'admitted' }>
}

/** One that wants in. */
export interface Knock {
  keyHash: string
  /** Of the client. */
  address: string
  nowMs: number
  /** Keeps the isolate at work that is not over with the answer. */
  waitUntil: (work: Promise<unknown>) => void
}

/** Admits requests by the hash of their key, with at most one call to the key's limiter each. */
export class KeyGate {
  readonly #limiters: KeyLimiters
  readonly #timeAfter: (milliseconds: number) => Promise<number>
  readonly #known = new BoundedMap<string, KnownKey>(KEYS_MAX)

  /** `timeAfter` waits and answers the time then, both in milliseconds. */
  constructor(limiters: KeyLimiters, timeAfter: (milliseconds: number) => Promise<number>) {
    this.#limiters = limiters
    this.#timeAfter = timeAfter
  }

  /** True for a key that was admitted here and not refused since. */
  isKnown(keyHash: string): boolean {
    return this.#known.has(keyHash)
  }

  /** Who the key is, and whether it may call now. Throws what the limiter's call throws. */
  async admit({ keyHash, address, nowMs, waitUntil }: Knock): Promise<Admission> {
    const known = this.#known.get(keyHash)
    if (known?.permits.take(nowMs)) return withPermits(known.last, known.permits.left)
    const ask = known?.permits.beginAsk(nowMs)
    const admission = await this.#limiters.byHash(keyHash).admit(address, ask)
    if (known === undefined || ask === undefined) return this.#learn(keyHash, admission)
    const lot = admission.outcome === 'admitted' ? admission.lot : undefined
    known.permits.endAsk(lot, nowMs)
    // A key that goes quiet brings nothing back by itself, and its usage would count what it did not use.
    if (lot) waitUntil(this.#settleAfter(HOLD_MS, keyHash, known.permits))
    return this.#learn(keyHash, admission, known.permits.left)
  }

  /** Whether a key that was let in is still good, as its limiter knows. Throws what the limiter's call throws. */
  async confirm(keyHash: string): Promise<Confirmation> {
    return await this.#limiters.byHash(keyHash).confirm()
  }

  /** Where the limiter does not answer, what was left counts as used. */
  async #settleAfter(milliseconds: number, keyHash: string, permits: PermitHolder): Promise<void> {
    const settled = permits.takeSettled(await this.#timeAfter(milliseconds))
    if (settled.length > 0)
      await this.#limiters
        .byHash(keyHash)
        .settle(settled)
        .catch(() => undefined)
  }

  #learn(keyHash: string, admission: Admission, permitsLeft = 0): Admission {
    const known = this.#known.get(keyHash)
    if (admission.outcome === 'admitted') {
      if (known) known.last = admission
      else this.#known.set(keyHash, { permits: new PermitHolder(), last: admission })
    } else if (known && admission.outcome !== 'rate_limited') {
      known.permits.drop()
      const isGood = admission.outcome === 'project_paused' || admission.outcome === 'unavailable'
      if (!isGood) this.#known.delete(keyHash)
    }
    return admission.outcome === 'admitted' ? withPermits(admission, permitsLeft) : admission
  }
}

/** What callers are shown: the permits that are still here count as left. */
function withPermits<T extends KnownKey['last']>(admission: T, permitsLeft: number): T {
  if (permitsLeft === 0) return admission
  const { limit, remaining, resetSeconds } = admission.rateLimit
  return {
    ...admission,
    rateLimit: { limit, remaining: Math.min(limit, remaining + permitsLeft), resetSeconds },
  }
}
