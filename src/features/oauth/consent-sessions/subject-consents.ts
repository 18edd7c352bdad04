// The consents of a subject at clients of ours, and the question whether there is such a subject at all: the OAuth2
// server knows subjects by their consents only, so the identity provider is asked about one that has none.

import type { Upstream } from '../../../clients/http.ts'
import { getIdentity } from '../../../clients/identity-admin.ts'
import { CONSENTS_MAX, type GivenConsent, listConsents } from '../../../clients/oauth-server/sessions.ts'
import { LIST_MIB_MAX } from '../../../clients/whole-list.ts'
import { DomainError } from '../../../errors.ts'
import { isOwnClient, type OAuthClientDeps } from '../clients/own-client.ts'

export interface SubjectDeps extends OAuthClientDeps {
  upstreams: { oauthAdmin: Upstream; identityAdmin: Upstream }
}

/** What no subject is, such as text with NUL, is not sent: the servers' databases fail on it. */
const SUBJECT = /^\P{Cc}{1,255}$/u

/**
 * Every consent of the subject at a client of ours, the newest first. Throws `not_found` for a subject that has none
 * and is nobody at the identity provider; where the deployment has no IDENTITY_ADMIN_URL, such a subject has none.
 */
export async function listSubjectConsents(deps: SubjectDeps, subject: string): Promise<GivenConsent[]> {
  if (!SUBJECT.test(subject)) throw subjectNotFound(subject)
  const all = await listAll(deps.upstreams.oauthAdmin, subject)
  if (all.length === 0) await refuseUnknownSubject(deps.upstreams.identityAdmin, subject)
  const own = all.filter(({ consent_request: { client } }) => isOwnClient(deps.config, client))
  return own.sort((a, b) => compareTexts(b.handled_at, a.handled_at))
}

async function listAll(oauthAdmin: Upstream, subject: string): Promise<GivenConsent[]> {
  const consents = await listConsents(oauthAdmin, subject)
  if (consents !== undefined) return consents
  throw new DomainError(
    'response_too_large',
    `The subject's consents are too many for one answer: over ${CONSENTS_MAX}, or over ${LIST_MIB_MAX} MiB.`,
    { hint: 'Revoke those of one client with DELETE and ?client=.' },
  )
}

async function refuseUnknownSubject(identityAdmin: Upstream, subject: string): Promise<void> {
  if (identityAdmin.baseUrl === undefined || (await getIdentity(identityAdmin, subject)) !== undefined) return
  throw subjectNotFound(subject)
}

function subjectNotFound(subject: string): DomainError {
  return new DomainError('not_found', `Nobody has the id "${subject.slice(0, 100)}".`, {
    hint: 'A subject is the id of an identity; GET /v1/auth/identities and the dashboard list them.',
  })
}

/** ISO 8601 times in UTC sort as texts. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
