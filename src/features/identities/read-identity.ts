// One identity, and where it is signed in.

import { getIdentity, listActiveSessions } from '../../clients/identity-admin.ts'
import { DomainError } from '../../errors.ts'
import { toIdentity, toIdentitySession } from './identity-record.ts'
import type { IdentityDeps } from './list-identities.ts'
import { type IdentityDetail, SESSIONS_SHOWN_MAX } from './schemas.ts'

/** The identity with its newest active sessions. Throws `not_found`, and the `upstream_*` errors. */
export async function readIdentity({ upstreams }: IdentityDeps, id: string): Promise<IdentityDetail> {
  const [identity, sessions] = await Promise.all([
    getIdentity(upstreams.identityAdmin, id),
    listActiveSessions(upstreams.identityAdmin, id, SESSIONS_SHOWN_MAX),
  ])
  if (identity === undefined) throw identityNotFound()
  return { ...toIdentity(identity), active_sessions: sessions.map(toIdentitySession) }
}

export function identityNotFound(): DomainError {
  return new DomainError('not_found', 'No identity has this id.', {
    hint: 'GET /v1/auth/identities and the dashboard list them, and find one by its e-mail address.',
  })
}
