// The consent of a flow: sends the browser to the consent page, and takes it back when the consent was answered.

import { isPublicClient } from '../clients/client-record.ts'
import type { RequestContext } from '../context.ts'
import type { ConsentRecord } from '../sessions/consent-store.ts'
import { decideConsent } from './consent-decision.ts'
import { denialError } from './denial.ts'
import type { FlowDeps } from './flow-deps.ts'
import type { ConsentStep } from './flow-state.ts'
import { type AcceptedLogin, checkCsrf, type LoginQuestion, randomId } from './login-step.ts'
import { invalidClient } from './oauth-errors.ts'
import { withQuery } from './query.ts'
import { subjectForClient } from './subject-identifier.ts'

export interface ConsentTaken {
  readonly step: ConsentStep
  readonly consent: ConsentRecord
}

/** Sends the browser to the consent page. Throws `consent_required` when the request allows no page. */
export async function askForConsent(
  deps: FlowDeps,
  c: RequestContext,
  question: LoginQuestion,
  { step, accepted }: AcceptedLogin,
): Promise<Response> {
  const { client, form, redirectUri } = question
  const decision = decideConsent({
    redirectUri,
    prompt: form.get('prompt'),
    requestedScope: step.request.requestedScope,
    isPublicClient: isPublicClient(client),
    rememberedScope: await deps.consents.rememberedScope(client.client_id, accepted.subject),
  })
  if (decision.outcome === 'refuse') throw decision.error
  if (step.request.client.client_id !== client.client_id) throw invalidClient(OTHER_CLIENT)

  const consent: ConsentStep = {
    request: step.request,
    login: accepted,
    loginId: step.loginId,
    sessionId: step.sessionId,
    consentRequestId: randomId(),
    csrf: randomId(),
    skip: decision.outcome === 'skip',
  }
  deps.cookies.setCsrf(
    c,
    'consent',
    consent.csrf,
    deps.settings.ttlSeconds.loginConsentRequest,
    client.client_id,
  )
  const challenge = deps.challenges.seal('consent challenge', consent)
  return c.redirect(withQuery(deps.addresses.consent, { consent_challenge: challenge }))
}

/**
 * Takes the browser back from the consent page. Throws what the application refused with, `access_denied` when the
 * verifier was used before, and `request_forbidden` for another browser.
 */
export async function takeConsent(
  deps: FlowDeps,
  c: RequestContext,
  { client, form }: LoginQuestion,
  verifier: string,
): Promise<ConsentTaken> {
  const answered = deps.challenges.openVerifier('consent verifier', verifier)
  const { step } = answered
  if (step.request.client.client_id !== client.client_id) throw invalidClient(OTHER_CLIENT)
  if ('denied' in answered) throw denialError(answered.denied)
  const { subject, forcedSubject } = step.login
  const consent = await deps.consents.create(answered, {
    nonce: form.get('nonce') ?? '',
    clientSubject: subjectForClient(client, subject, deps.settings.pairwiseSalt, forcedSubject),
  })
  checkCsrf(deps.cookies.csrf(c, 'consent', client.client_id), step.csrf)
  return { step, consent }
}

const OTHER_CLIENT = 'The flow client id does not match the authorize request client id.'
