// One object per client address and allowance of the dashboard layer: an exact sliding window, in memory alone. An
// eviction forgets it, which gives an address that was quiet for seconds a fresh minute; keys, whose limit is a
// promise, keep theirs on disk (api-key-limiter.ts).

import { DurableObject } from 'cloudflare:workers'
import type {
  AddressAdmission,
  AddressLimiter as Limiter,
} from '../src/features/api-keys/limit/address-gate.ts'
import { SlidingWindow } from '../src/features/api-keys/limit/window.ts'

const NO_JOURNAL = { write: () => {} }

export class AddressLimiter extends DurableObject implements Limiter {
  readonly #window = new SlidingWindow(1, NO_JOURNAL)

  async admit(limit: number): Promise<AddressAdmission> {
    const nowMs = Date.now()
    this.#window.setLimit(limit)
    if (this.#window.tryAdmit(nowMs)) return { limit, retryAfterSeconds: undefined }
    return { limit, retryAfterSeconds: Math.max(1, this.#window.state(nowMs).resetSeconds) }
  }
}
