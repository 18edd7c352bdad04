// What a person has agreed to, as the dashboard shows it.

import type { GivenConsent } from '../../../clients/oauth-server/sessions.ts'
import type { ConsentSession } from './schemas.ts'
import { listSubjectConsents, type SubjectDeps } from './subject-consents.ts'

/** Every consent of the subject, the newest first; several of one client are normal. Throws `not_found` for nobody. */
export async function listConsentSessions(deps: SubjectDeps, subject: string): Promise<ConsentSession[]> {
  return (await listSubjectConsents(deps, subject)).map(toConsentSession)
}

function toConsentSession(consent: GivenConsent): ConsentSession {
  const { client } = consent.consent_request
  return {
    consent_request_id: consent.consent_request_id || null,
    client: {
      client_id: client.client_id,
      client_name: client.client_name || null,
      client_uri: client.client_uri || null,
      logo_uri: client.logo_uri || null,
      policy_uri: client.policy_uri || null,
      tos_uri: client.tos_uri || null,
    },
    scopes: consent.grant_scope,
    audience: consent.grant_access_token_audience,
    remember: consent.remember,
    remember_for: consent.remember_for,
    granted_at: consent.handled_at || null,
  }
}
