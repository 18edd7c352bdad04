// Signs people out at the identity provider. What the OAuth2 server gave to applications lives on: ending that is
// another verb (`oauth/consent-sessions/log-out-subject.ts`).

import { endSession, endSessionsOf, getIdentity, getSession } from '../../clients/identity-admin.ts'
import { DomainError } from '../../errors.ts'
import { type AuditDeps, audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { toIdentitySession } from './identity-record.ts'
import type { IdentityDeps } from './list-identities.ts'
import { identityNotFound } from './read-identity.ts'

interface EndSessionsDeps extends IdentityDeps, AuditDeps {
  /** Closes sockets that their tickets opened. Never throws. */
  recheckSockets: (whose: { identityId: string }) => Promise<void>
}

/** Ends every session of the identity; nothing to end is no error. Throws `not_found`, and the `upstream_*` errors. */
export async function signOutIdentity(deps: EndSessionsDeps, caller: Caller, id: string): Promise<void> {
  const { identityAdmin } = deps.upstreams
  if ((await getIdentity(identityAdmin, id)) === undefined) throw identityNotFound()
  const change = { targetKind: 'identity', targetId: id }
  await audited(deps, caller, change, async () => {
    await endSessionsOf(identityAdmin, id)
    await deps.recheckSockets({ identityId: id })
    return { result: undefined }
  })
}

/**
 * Ends one session, which is no error where it has ended. In the audit log under its identity. Throws `not_found`, and
 * the `upstream_*` errors.
 */
export async function endIdentitySession(deps: EndSessionsDeps, caller: Caller, id: string): Promise<void> {
  const { identityAdmin } = deps.upstreams
  const session = await getSession(identityAdmin, id)
  if (session === undefined) throw sessionNotFound()
  const change = {
    targetKind: 'identity',
    targetId: session.identity.id,
    before: toIdentitySession(session),
  }
  await audited(deps, caller, change, async () => {
    if (!(await endSession(identityAdmin, id))) throw sessionNotFound()
    await deps.recheckSockets({ identityId: session.identity.id })
    return { result: undefined }
  })
}

function sessionNotFound(): DomainError {
  return new DomainError('not_found', 'No session has this id.', {
    hint: 'The identity shows its sessions under `active_sessions`.',
  })
}
