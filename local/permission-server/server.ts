// Starts the local permission server: an own server that speaks the wire of Ory Keto v26.2.0, as far as Quoin, an
// application and Ory's client ask. For development and tests on one machine: it is not made for the internet.

import type { PermissionServerSettings } from './settings.ts'

export interface PermissionServer {
  /** Addresses without a slash at the end. */
  readonly readUrl: string
  readonly writeUrl: string
  readonly syntaxUrl: string
  /** Lets open requests finish, then leaves the database. */
  close(): Promise<void>
}

/** Resolves when the three ports answer; rejects when a port is taken or the database is out of reach. */
export async function startPermissionServer(_settings: PermissionServerSettings): Promise<PermissionServer> {
  throw new Error('not built yet')
}
