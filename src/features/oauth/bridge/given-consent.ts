// Whether a consent was given before. The server takes an answer to a used challenge like one to a fresh one. It
// refuses it only when the browser comes back with it, at the application; here the person can still be told.

import type { ConsentRequest } from '../../../clients/oauth-server/consent-requests.ts'
import { listConsents } from '../../../clients/oauth-server/sessions.ts'
import type { BridgeDeps } from './bridge-deps.ts'

type Request = Pick<ConsentRequest, 'subject' | 'consent_request_id' | 'login_session_id'>

/**
 * True when this very request was granted on a screen, the browser went on, and the consent still holds. One that was
 * skipped, denied, revoked or run out leaves nothing in the server's list; servers before v25.4 tell no ids.
 * False also where the subject has more consents than can be read. The server lists no logins, so of a login challenge
 * nobody can tell this.
 */
export async function isGiven(
  { upstreams }: Pick<BridgeDeps, 'upstreams'>,
  request: Request,
): Promise<boolean> {
  const { subject, consent_request_id, login_session_id } = request
  if (consent_request_id === undefined) return false
  const given = await listConsents(upstreams.oauthAdmin, subject, login_session_id || undefined)
  return given?.some(consent => consent.consent_request_id === consent_request_id) === true
}
