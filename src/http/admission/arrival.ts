// A request at the door: what a level's check may look at, and what it leaves for the rest of the way.

import type { RateLimitState } from '../../features/api-keys/limit/admission.ts'
import type { ApiKeyPrincipal, SessionPrincipal } from './principal.ts'

export interface Arrival {
  readonly request: Request
  /** The client's network address; null when the platform gives none. */
  readonly address: string | null
  /** What it counts as where addresses are counted. */
  readonly countedAs: 'api' | 'consent'
  /** Set once the variables are known that it may come from. */
  bodyBytesMax: number
  readonly takesBasicAuth: boolean
  readonly takesKeyInQuery: boolean
  /** Keeps the isolate at work that is not over with the answer. */
  readonly waitUntil: (work: Promise<unknown>) => void
  /** Set as soon as the window's state is known, so that a refused request carries the headers too. */
  rateLimit: RateLimitState | undefined
  /** The body where its signature had to be checked before anything else. */
  signedBody: Uint8Array<ArrayBuffer> | undefined
}

/** The check of one level. */
export type Admit<Deps> = (deps: Deps, arrival: Arrival) => Promise<ApiKeyPrincipal | SessionPrincipal | null>
