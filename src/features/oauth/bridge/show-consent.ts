// GET bridge/consent: grants at once where no question is needed, else asks. The screen is a form without scripts.

import type { Session } from '../../../clients/identity.ts'
import { type ConsentRequest, getConsentRequest } from '../../../clients/oauth-server/consent-requests.ts'
import { type BridgeAnswer, goTo, pageAnswer } from './answers.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { afterEnd, consentGiven } from './bridge-error.ts'
import { visibleName } from './client-name.ts'
import { requireSession } from './consent-subject.ts'
import { decideConsent } from './decide-consent.ts'
import { deviceCodeOf } from './device-code.ts'
import { flowKey, keepFlowMark, readFlowMarks } from './flow-marks.ts'
import { openForm } from './form-token.ts'
import { isGiven } from './given-consent.ts'
import { grantConsent } from './grant-consent.ts'
import type { ConsentView } from './pages/consent-page.tsx'
import { destinationOf, imageUrl, isDeviceFlow, restartUrl, webUrl } from './request-url.ts'
import { scopeSentence } from './scope-sentences.ts'

/**
 * A redirect back to the OAuth2 server, or the screen; both for the subject's own session alone. Throws
 * `session_required`, `subject_mismatch` and the `challenge_*` errors.
 */
export async function showConsent(
  deps: BridgeDeps,
  challenge: string,
  cookieHeader: string | null,
): Promise<BridgeAnswer> {
  const marks = await readFlowMarks(deps, cookieHeader)
  const key = await flowKey(challenge)
  const began = marks.find(mark => mark.key === key)?.restartUrl || undefined
  const found = await getConsentRequest(deps.upstreams.oauthAdmin, challenge)
  if (found.outcome !== 'found') return afterEnd(deps, 'consent', found, began)
  const { request } = found
  const [session, isOld] = await Promise.all([
    requireSession(deps, request, cookieHeader),
    isGiven(deps, request),
  ])
  if (isOld) throw consentGiven(request)
  const decision = decideConsent(request)
  if (decision.step === 'accept') {
    const scopes = request.requested_scope
    const accepted = await grantConsent(deps, { challenge, request, scopes, session, ...decision })
    if (accepted.outcome === 'accepted') return goTo(accepted.redirectTo)
    return afterEnd(deps, 'consent', accepted, restartUrl(request.request_url))
  }
  const form = await openForm(deps, cookieHeader, challenge)
  const mark = { key, bounces: 0, sentAtMs: 0, restartUrl: restartUrl(request.request_url) ?? '' }
  const cookies = [...form.cookies, await keepFlowMark(deps, marks, mark)]
  const deviceCode = await deviceCodeOf(deps, cookieHeader)
  const view: ConsentView = {
    ...viewOf(request, session, deviceCode),
    challenge,
    formToken: form.token,
    rememberSeconds: deps.config.consentRememberSeconds,
  }
  const { renderConsentPage } = await import('./pages/consent-page.tsx')
  return pageAnswer(deps.config, frame => renderConsentPage(view, frame), {
    cookies,
    imageUrls: [view.client.logoUrl],
  })
}

/** What the screen says, without what its form sends. */
function viewOf(
  request: ConsentRequest,
  session: Session,
  deviceCode: string | undefined,
): Omit<ConsentView, 'challenge' | 'formToken' | 'rememberSeconds'> {
  const { client } = request
  return {
    client: {
      name: visibleName(client),
      url: webUrl(client.client_uri),
      logoUrl: imageUrl(client.logo_uri),
      termsUrl: webUrl(client.tos_uri),
      privacyUrl: webUrl(client.policy_uri),
    },
    account: accountName(session),
    scopes: request.requested_scope.map(scopeSentence),
    audience: request.requested_access_token_audience,
    destination: destinationOf(request),
    device: isDeviceFlow(request.request_url) ? { code: deviceCode } : undefined,
  }
}

/** How people know their account: by its address or name, else by its id. */
function accountName({ identity }: Session): string {
  const { email, username } = identity.traits
  if (typeof email === 'string') return email
  return typeof username === 'string' ? username : identity.id
}
