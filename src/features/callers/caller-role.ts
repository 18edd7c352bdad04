// Which role of the database a caller acts as. Pure.

import type { DatabaseRole, KeyRole } from '../../db/database.ts'

export interface CallerRoleConfig {
  readonly dataUserRole: 'authenticated' | undefined
}

/**
 * That of the key; for a person whose token was verified beside an anon key, DATA_USER_ROLE where that is set. No claim
 * of the token decides.
 */
export function callerRole(
  { dataUserRole }: CallerRoleConfig,
  keyRole: KeyRole,
  isSignedIn: boolean,
): DatabaseRole {
  return keyRole === 'anon' && isSignedIn ? (dataUserRole ?? keyRole) : keyRole
}
