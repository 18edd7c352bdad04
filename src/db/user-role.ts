// The role of signed-in persons (DATA_USER_ROLE), where the database does not have it as it must.

import { DomainError } from '../errors.ts'
import type { DataSession } from './database.ts'
import type { PostgresError } from './postgres-error.ts'

/** No role has the name; `authenticator` may not become it. */
const REFUSED: readonly string[] = ['22023', '42501']

/** The error that says so; undefined where the session's settings did not fail by the role of persons. */
export function userRoleProblem(
  { role }: Pick<DataSession, 'role'>,
  err: PostgresError,
): DomainError | undefined {
  if (role !== 'authenticated' || !REFUSED.includes(err.code)) return undefined
  // The settings are the first statement. Neon tells of none.
  const isOfSettings = err.queryIndex === undefined ? err.message.includes(`"${role}"`) : err.queryIndex === 0
  return isOfSettings ? userRoleMissing(err) : undefined
}

export function userRoleMissing(cause?: unknown): DomainError {
  return new DomainError(
    'user_role_missing',
    'The database has no role authenticated that authenticator may act as.',
    {
      detail: 'DATA_USER_ROLE says that signed-in persons act as it. Nothing was done.',
      hint: 'Whoever runs this deployment runs npm run adopt -- supabase, or unsets DATA_USER_ROLE.',
      cause,
    },
  )
}
