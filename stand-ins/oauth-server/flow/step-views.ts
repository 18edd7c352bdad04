// How the admin API shows the login and consent of a flow (pure).

import type { ClientAnswer } from '../clients/client-record.ts'
import type { StoredConsentStep } from '../sessions/consent-store.ts'
import type { LoginStep } from './flow-state.ts'

/** The login request of `challenge`. */
export function loginView(step: LoginStep, challenge: string) {
  const { request } = step
  return {
    challenge,
    requested_scope: request.requestedScope,
    requested_access_token_audience: request.requestedAudience,
    skip: step.skip,
    subject: step.subject,
    oidc_context: request.oidcContext,
    client: request.client,
    request_url: request.requestUrl,
    session_id: step.sessionId,
  }
}

/** The consent request of `challenge`, which is empty where the request is long answered. */
export function consentView(step: StoredConsentStep, challenge: string, client: ClientAnswer) {
  const { request, login } = step
  return {
    challenge,
    consent_request_id: step.consentRequestId,
    requested_scope: request.requestedScope,
    requested_access_token_audience: request.requestedAudience,
    skip: step.skip,
    subject: login.subject,
    oidc_context: request.oidcContext,
    client,
    request_url: request.requestUrl,
    login_challenge: step.loginId,
    login_session_id: step.sessionId,
    acr: login.acr,
    amr: login.amr,
    context: login.context,
  }
}
