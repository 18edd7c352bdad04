// What the limiter of one API key answers: who the key is, and whether it may call now. Types only.

import type { ApiKey } from '../record/schemas.ts'

/** A limit as the response headers show it: of the key, or of the client address where less of that is left. */
export interface RateLimitState {
  /** Requests allowed in any 60 seconds. */
  limit: number
  /** Requests left now. */
  remaining: number
  /** Seconds until at least one more request is allowed, or until the window is empty when some are left. */
  resetSeconds: number
}

/** Permits that an isolate may use by itself until `LOT_LIFETIME_MS` after it sent its request for them. */
export interface PermitLot {
  id: string
  permits: number
}

/** Sent along with a request to be admitted, by an isolate where the key is busy. */
export interface LotAsk {
  /** Permits that the isolate could use within the lot's life. */
  wanted: number
  /** Lots that are over, each named once, with what was left of them. */
  settled: { id: string; unused: number }[]
}

/** Whether a key that was let in still would be; nothing is counted. */
export type Confirmation = 'good' | 'refused' | 'project_paused' | 'unavailable'

/** The closed set of answers to "who is this key, and may it call now". */
export type Admission =
  | { outcome: 'admitted'; key: ApiKey; rateLimit: RateLimitState; lot?: PermitLot }
  | {
      outcome: 'rate_limited'
      key: ApiKey
      rateLimit: RateLimitState
      retryAfterSeconds: number
      /** Whose limit it is: that of all who use the key, or of this client address. */
      limited: 'key' | 'address'
    }
  | { outcome: 'project_paused'; key: ApiKey; rateLimit: RateLimitState }
  /** One that is expired, revoked or rotated out. */
  | { outcome: 'refused' }
  /** No row has it. The answer is the same; what counts towards a limit is not. */
  | { outcome: 'unknown' }
  /** The key is not known here yet and the database that knows does not answer. */
  | { outcome: 'unavailable' }
