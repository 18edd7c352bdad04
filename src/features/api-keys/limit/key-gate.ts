// The door of one isolate: asks a key's limiter whether a request may pass, or uses a permit that the limiter gave
// before. Remembers which keys are good, so that a flood of unknown ones from the same address does not shut them
// out.

import { BoundedMap } from '../../../lib/bounded-map.ts'
import type { Admission } from './admission.ts'
import type { KeyLimiters } from './key-limiter.ts'
import { PermitHolder } from './permit-holder.ts'

/** How many keys an isolate remembers; an older one only costs a look-up again. */
const KEYS_MAX = 10_000

interface KnownKey {
  permits: PermitHolder
  /** The limiter's last good answer. */
  last: Extract<Admission, { outcome: 'admitted' }>
}

/** Admits requests by the hash of their key, with at most one call to the key's limiter each. */
export class KeyGate {
  readonly #limiters: KeyLimiters
  readonly #known = new BoundedMap<string, KnownKey>(KEYS_MAX)

  constructor(limiters: KeyLimiters) {
    this.#limiters = limiters
  }

  /** True for a key that was admitted here and not refused since. */
  isKnown(keyHash: string): boolean {
    return this.#known.has(keyHash)
  }

  /** Who the key is, and whether it may call now. Throws what the limiter's call throws. */
  async admit(keyHash: string, address: string, nowMs: number): Promise<Admission> {
    const known = this.#known.get(keyHash)
    if (known?.permits.take(nowMs)) return withPermits(known.last, known.permits.left)
    const ask = known?.permits.beginAsk(nowMs)
    const admission = await this.#limiters.byHash(keyHash).admit(address, ask)
    if (known === undefined || ask === undefined) return this.#learn(keyHash, admission)
    known.permits.endAsk(admission.outcome === 'admitted' ? admission.lot : undefined, nowMs)
    return this.#learn(keyHash, admission, known.permits.left)
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
