// Which role of the database a caller acts as. Pure.

import type { DatabaseRole, KeyRole } from '../../db/database.ts'

export interface CallerRoleConfig {
  readonly dataUserRole: 'authenticated' | undefined
}

/**
 * That of the key; for a person whose token was verified beside an anon key, DATA_USER_ROLE where that is set. No claim
 * of the token names a role. An application that signed in for itself is no person: policies for `authenticated` mean
 * those, and any confidential client may get such a token.
 */
export function callerRole(
  { dataUserRole }: CallerRoleConfig,
  keyRole: KeyRole,
  claims: Readonly<Record<string, unknown>> | null,
): DatabaseRole {
  return keyRole === 'anon' && isPerson(claims) ? (dataUserRole ?? keyRole) : keyRole
}

/** A token of the grant `client_credentials` has the client itself as its subject (RFC 9068 section 2.2). */
function isPerson(claims: Readonly<Record<string, unknown>> | null): boolean {
  if (claims === null || Object.keys(claims).length === 0) return false
  return claims['client_id'] === undefined || claims['sub'] !== claims['client_id']
}
