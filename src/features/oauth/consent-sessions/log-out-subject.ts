// Signs a person out of every application (Spec, rule 3 of the authorization-server administration). The order matters:
// the OAuth2 server notifies applications only of a login session that it still has, with the consents that tie them to
// it; so sessions end one by one, then all of the subject, and consents go last.

import type { Upstream } from '../../../clients/http.ts'
import { deleteLoginSessions, type GivenConsent } from '../../../clients/oauth-server/sessions.ts'
import { audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import { clientIdOf, deleteConsentsAtOwnClients, type RevokeConsentsDeps } from './revoke-consents.ts'
import type { Logout, LogoutNotification } from './schemas.ts'
import { listSubjectConsents } from './subject-consents.ts'

/**
 * Ends the login sessions of the subject and revokes the consents; says, client by client, who was told. Sessions at
 * the identity provider live on. Throws `not_found` for a subject that is nobody. Safe to repeat.
 */
export async function logOutSubject(
  deps: RevokeConsentsDeps,
  subject: string,
  caller: Caller,
): Promise<Logout> {
  const consents = await listSubjectConsents(deps, subject)
  const change = { targetKind: 'subject', targetId: subject }
  return audited(deps, caller, change, async () => {
    const sessionIds = sessionIdsOf(consents)
    await endSessions(deps.upstreams.oauthAdmin, sessionIds)
    await deleteLoginSessions(deps.upstreams.oauthAdmin, { subject })
    const clients = [...new Set(consents.map(clientIdOf))]
    await deleteConsentsAtOwnClients(deps, subject, clients).finally(deps.endUserTokens.forget)
    const result = {
      subject,
      login_sessions_ended: sessionIds.length,
      consents_revoked: consents.length,
      clients: notificationsOf(consents, new Set(sessionIds)),
    }
    return { result, after: result }
  })
}

/** More of them than a Worker may call for are long over, and end with the subject's others. */
const SESSIONS_MAX = 200
/** A Worker waits for no more than six connections at once. */
const SESSIONS_AT_ONCE = 5

/** The login sessions that the consents name, the newest first. */
function sessionIdsOf(consents: readonly GivenConsent[]): string[] {
  const ids = consents.map(consent => consent.consent_request.login_session_id).filter(id => id !== '')
  return [...new Set(ids)].slice(0, SESSIONS_MAX)
}

async function endSessions(oauthAdmin: Upstream, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += SESSIONS_AT_ONCE) {
    const batch = ids.slice(at, at + SESSIONS_AT_ONCE)
    await Promise.all(batch.map(sid => deleteLoginSessions(oauthAdmin, { sid })))
  }
}

/** One entry per client, from its newest consent; it counts as told if any of its sessions was ended by id. */
function notificationsOf(
  consents: readonly GivenConsent[],
  ended: ReadonlySet<string>,
): LogoutNotification[] {
  const byClient = Map.groupBy(consents, clientIdOf)
  return [...byClient].map(([client_id, ofClient]) => {
    const client = ofClient[0]?.consent_request.client
    const hadSession = ofClient.some(consent => ended.has(consent.consent_request.login_session_id))
    return {
      client_id,
      client_name: client?.client_name || null,
      backchannel_logout: backchannelOf(client?.backchannel_logout_uri, hadSession),
      frontchannel_logout: client?.frontchannel_logout_uri ? 'needs_browser' : 'not_registered',
    }
  })
}

function backchannelOf(
  uri: string | undefined,
  hadSession: boolean,
): LogoutNotification['backchannel_logout'] {
  if (!uri) return 'not_registered'
  return hadSession ? 'requested' : 'no_session'
}
