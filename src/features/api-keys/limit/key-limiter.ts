// How the rest of the service speaks to the limiters: one per API key, found by the key's hash. Types only;
// `durable-objects/api-key-limiter.ts` answers them.

import type { KeyRow } from '../record/key-row.ts'
import type { Admission, Confirmation, LotAsk } from './admission.ts'
import type { Bucket } from './window.ts'

/** What the limiter of a rotated-out key must know. */
export interface Retirement {
  /** Hash of the key that replaced this one. */
  successorHash: string
  /** Until then the old key is accepted and counts in its successor's window. */
  retiresAtMs: number
}

/** One key's limiter. All of it is safe to repeat. */
export interface KeyLimiter {
  /**
   * Who the key is, and whether it may call now from this client address; counts the request when it may. With `ask`,
   * perhaps a lot of permits too.
   */
  admit(address: string, ask?: LotAsk): Promise<Admission>
  /**
   * Whether the key would still be let in, its window aside; counts nothing. A replaced key asks its successor, with
   * `isForPredecessor`: one step only.
   */
  confirm(isForPredecessor?: boolean): Promise<Confirmation>
  /** Takes back what was left of permit lots, where no request brings it along. */
  settle(settled: LotAsk['settled']): Promise<void>
  /** As `admit`, for a request that came with the key before this one. */
  admitForPredecessor(address: string): Promise<Admission>
  /**
   * Tells the key's row as it is now. An older version never overwrites a newer; a rotated key's window is taken
   * over.
   */
  learn(row: KeyRow): Promise<void>
  /** Ends the key for good, whatever the database says later. */
  revoke(): Promise<void>
  /** Stops admitting and answers the window, for the successor to go on with. */
  retire(retirement: Retirement): Promise<Bucket[]>
}

/** The limiters by SHA-256 of the key. */
export interface KeyLimiters {
  byHash(keyHash: string): KeyLimiter
}
