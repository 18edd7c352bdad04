// What every part of the identity provider is given. Made once by server.ts; nothing here is looked up anywhere else.

import type { Database } from '../service/database.ts'
import type { TraitsSchema } from './traits-schema.ts'

/** Bases without a slash at the end. */
export interface Addresses {
  readonly publicUrl: string
  readonly adminUrl: string
  readonly uiUrl: string
  /** A whole URL. */
  readonly defaultReturnUrl: string
}

export interface IdentityContext {
  readonly db: Database
  readonly schema: TraitsSchema
  readonly secret: string
  /** Known once the ports are taken, hence before the first request. */
  readonly addresses: Addresses
  readonly allowedReturnUrls: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly sessionMs: number
  readonly flowMs: number
}

export type { RequestContext } from '../service/listen.ts'
