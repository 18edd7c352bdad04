// Whose consent it is. A session that is sent must be that of the request's subject: otherwise somebody who shares a
// computer, or holds another's challenge, would consent in the other's name. And it must still be alive: whoever
// ended it wants nothing more to come of it.

import { type Identity, type Session, whoami } from '../../../clients/identity.ts'
import { getIdentity } from '../../../clients/identity-admin.ts'
import type { ConsentRequest } from '../../../clients/oauth-server/consent-requests.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { BridgeError } from './bridge-error.ts'
import { restartAsAnotherUrl, restartUrl } from './request-url.ts'

type SubjectDeps = Pick<BridgeDeps, 'upstreams'>
type AskedOf = Pick<ConsentRequest, 'subject' | 'request_url'>

/** What the identity provider calls its cookie by default, and where its makers run it. */
const SESSION_COOKIE = /(?:^|;)\s*ory_(?:kratos_)?session/

/**
 * The subject's session, or undefined when the cookies hold none that is alive. Throws `subject_mismatch` for somebody
 * else's, and `second_factor_required` for one that does not say whose it is.
 */
export async function sessionOfSubject(
  { upstreams }: SubjectDeps,
  request: AskedOf,
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

/** As `sessionOfSubject` for a browser, which has signed in for this request: without a session `session_required`. */
export async function requireSession(
  deps: SubjectDeps,
  request: AskedOf,
  cookieHeader: string | null,
): Promise<Session> {
  const session = await sessionOfSubject(deps, request, cookieHeader)
  if (session === undefined) throw signedOut(request)
  return session
}

/** As `sessionOfSubject` for a server, which has no session to send; one that is sent and has ended is refused. */
export async function sessionOfScript(
  deps: SubjectDeps,
  request: AskedOf,
  cookieHeader: string | null,
): Promise<Session | undefined> {
  const session = await sessionOfSubject(deps, request, cookieHeader)
  if (session === undefined && SESSION_COOKIE.test(cookieHeader ?? '')) throw signedOut(request)
  return session
}

/**
 * The identity that claims are made from: read by the subject where the admin API is configured, else that of the
 * session. Throws `account_unavailable` for one that is gone or locked, `session_required` when there is no way to
 * read it.
 */
export async function identityOfSubject(
  { upstreams }: SubjectDeps,
  request: AskedOf,
  session: Session | undefined,
): Promise<Identity> {
  const isReadable = upstreams.identityAdmin.baseUrl !== undefined
  const identity = isReadable
    ? await getIdentity(upstreams.identityAdmin, request.subject)
    : session?.identity
  if (identity === undefined && !isReadable)
    throw signedOut(request, 'Without IDENTITY_ADMIN_URL the account can be read only from its own session.')
  if (identity === undefined || identity.state === 'inactive') {
    throw new BridgeError('account_unavailable', 'This account is disabled or no longer exists.', {
      hint: 'Sign in with another account, or ask whoever runs this service.',
      restartUrl: restartAsAnotherUrl(request.request_url),
    })
  }
  return identity
}

function signedOut(request: AskedOf, detail?: string): BridgeError {
  return new BridgeError('session_required', 'The session that the request was made with has ended.', {
    detail,
    hint: 'Start again and sign in.',
    restartUrl: restartUrl(request.request_url),
  })
}
