// Whose consent it is. A session that is sent must be that of the request's subject: otherwise somebody who shares a
// computer, or holds another's challenge, would consent in the other's name.

import { type Identity, type Session, whoami } from '../../../clients/identity.ts'
import { getIdentity } from '../../../clients/identity-admin.ts'
import type { ConsentRequest } from '../../../clients/oauth-server/consent-requests.ts'
import { DomainError } from '../../../errors.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { BridgeError } from './bridge-error.ts'
import { restartAsAnotherUrl, restartUrl } from './request-url.ts'

type SubjectDeps = Pick<BridgeDeps, 'upstreams'>

/**
 * The subject's session, or undefined when the cookies hold none. Throws `subject_mismatch` for somebody else's, and
 * `second_factor_required` for one that does not say whose it is.
 */
export async function sessionOfSubject(
  { upstreams }: SubjectDeps,
  request: Pick<ConsentRequest, 'subject' | 'request_url'>,
  cookieHeader: string | null,
): Promise<Session | undefined> {
  if (cookieHeader === null) return undefined
  const answer = await whoami(upstreams.identityPublic, cookieHeader)
  switch (answer.outcome) {
    case 'none':
      return undefined
    case 'second_factor':
      throw new BridgeError('second_factor_required', 'Your session needs a second factor.', {
        hint: 'Start again and sign in with it.',
        restartUrl: restartUrl(request.request_url),
      })
    case 'session':
      if (answer.session.identity.id === request.subject) return answer.session
      throw new BridgeError('subject_mismatch', 'You are signed in with another account.', {
        detail: 'The application’s request belongs to the account that signed in for it.',
        hint: 'Start again with the account that you want to use.',
        restartUrl: restartAsAnotherUrl(request.request_url),
      })
  }
}

/**
 * The identity that claims are made from: read by the subject where the admin API is configured, else that of the
 * session. Throws `account_unavailable` for one that is gone or locked, `session_required` when there is no way to read it.
 */
export async function identityOfSubject(
  { upstreams }: SubjectDeps,
  request: Pick<ConsentRequest, 'subject' | 'request_url'>,
  session: Session | undefined,
): Promise<Identity> {
  const isReadable = upstreams.identityAdmin.baseUrl !== undefined
  const identity = isReadable
    ? await getIdentity(upstreams.identityAdmin, request.subject)
    : session?.identity
  if (identity === undefined && !isReadable) {
    throw new BridgeError('session_required', 'You are no longer signed in.', {
      detail: 'Without IDENTITY_ADMIN_URL the account can be read only from its own session.',
      hint: 'Start again and sign in.',
      restartUrl: restartUrl(request.request_url),
    })
  }
  if (identity === undefined || identity.state === 'inactive') {
    throw new DomainError('account_unavailable', 'This account is disabled or no longer exists.', {
      hint: 'Sign in with another account, or ask whoever runs this service.',
    })
  }
  return identity
}
