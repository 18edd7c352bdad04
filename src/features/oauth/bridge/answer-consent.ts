// POST bridge/consent/accept, reject and switch: what the person decided. JSON gets the address to go on at; a form
// gets a page that goes on by itself, because browsers hold `form-action` against the redirects of a form too.

import type { Session } from '../../../clients/identity.ts'
import { endIdentitySession } from '../../../clients/identity-logout.ts'
import type { Accepted } from '../../../clients/oauth-server/challenge.ts'
import {
  type ConsentRequest,
  getConsentRequest,
  rejectConsent,
} from '../../../clients/oauth-server/consent-requests.ts'
import { deleteLoginSessions } from '../../../clients/oauth-server/sessions.ts'
import { DomainError } from '../../../errors.ts'
import { type BridgeAnswer, jsonAnswer } from './answers.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { challengeEnded, consentGiven } from './bridge-error.ts'
import { ConsentNo, ConsentYes } from './consent-schemas.ts'
import { requireSession, sessionOfScript, sessionOfSubject } from './consent-subject.ts'
import { continueAt } from './continue.ts'
import { splitChoice } from './decide-consent.ts'
import { showDeviceDenied } from './device.ts'
import { restartWithCode } from './device-code.ts'
import { flowKey, readFlowMarks } from './flow-marks.ts'
import { requireOwnForm } from './form-token.ts'
import { isGiven } from './given-consent.ts'
import { grantConsent } from './grant-consent.ts'
import { isDeviceFlow, restartAsAnotherUrl, restartUrl } from './request-url.ts'
import { readSubmitted, type Submission } from './submitted.ts'

/** A consent request whose sender may answer it. */
interface Pending {
  challenge: string
  request: ConsentRequest
  session: Session | undefined
}

/**
 * Grants. Scopes that were not asked for are `scope_not_requested` in JSON, where they are a mistake of the screen's
 * author, and left out of a form. Throws `session_required`, `subject_mismatch`, `form_token_invalid` and the
 * `challenge_*` errors.
 */
export async function acceptConsentAnswer(deps: BridgeDeps, submission: Submission): Promise<BridgeAnswer> {
  const submitted = await readSubmitted(ConsentYes, submission)
  if (submitted.kind === 'json') {
    const { challenge, grant_scope, remember } = submitted.body
    const pending = await pendingOf(deps, challenge, submission, sessionOfScript)
    const { granted, notRequested } = splitChoice(pending.request.requested_scope, grant_scope)
    if (notRequested.length > 0) throw scopeNotRequested(notRequested)
    const accepted = await grantConsent(deps, { ...pending, scopes: granted, remember })
    return jsonAnswer({ redirect_to: onward(accepted, pending) })
  }
  const { fields } = submitted
  const pending = await pendingOfForm(deps, fields, submission, requireSession)
  const { granted } = splitChoice(pending.request.requested_scope, fields.getAll('grant_scope'))
  const remember = fields.has('remember')
  const accepted = await grantConsent(deps, { ...pending, scopes: granted, remember })
  return continueAt(deps, onward(accepted, pending))
}

/**
 * Denies; the application is told the error. A device is not, and where the server would send the browser then is JSON:
 * the form ends on a page of ours. Throws as `acceptConsentAnswer`.
 */
export async function rejectConsentAnswer(deps: BridgeDeps, submission: Submission): Promise<BridgeAnswer> {
  const submitted = await readSubmitted(ConsentNo, submission)
  if (submitted.kind === 'json') {
    const { challenge, ...refusing } = submitted.body
    const pending = await pendingOf(deps, challenge, submission, sessionOfScript)
    const rejected = await rejectConsent(deps.upstreams.oauthAdmin, challenge, refusing)
    return jsonAnswer({ redirect_to: onward(rejected, pending) })
  }
  const pending = await pendingOfForm(deps, submitted.fields, submission, requireSession)
  const { challenge, ...refusing } = ConsentNo.parse({ challenge: pending.challenge })
  const next = onward(await rejectConsent(deps.upstreams.oauthAdmin, challenge, refusing), pending)
  return isDeviceFlow(pending.request.request_url) ? showDeviceDenied(deps) : continueAt(deps, next)
}

/**
 * "Not you?": ends the sessions at the identity provider and at the OAuth2 server, and starts the flow again at the
 * sign-in page. Form only.
 */
export async function switchAccount(deps: BridgeDeps, submission: Submission): Promise<BridgeAnswer> {
  const fields = new URLSearchParams(await submission.readBodyText())
  const { request } = await pendingOfForm(deps, fields, submission, sessionOfSubject)
  const { cookieHeader } = submission
  const restart = isDeviceFlow(request.request_url)
    ? await restartWithCode(deps, request.request_url, cookieHeader)
    : restartAsAnotherUrl(request.request_url)
  if (restart === undefined) {
    throw new DomainError('validation_failed', 'This request cannot be started again from here.', {
      hint: 'Sign out, then start again from the application.',
    })
  }
  // This one first: where it fails, the person has lost nothing and can try again.
  const sid = request.login_session_id
  if (sid) await deleteLoginSessions(deps.upstreams.oauthAdmin, { sid })
  if (cookieHeader !== null) await endIdentitySession(deps.upstreams.identityPublic, cookieHeader)
  return continueAt(deps, restart)
}

/** What a session must be for the answer. */
type FindSession = typeof sessionOfSubject

async function pendingOfForm(
  deps: BridgeDeps,
  fields: URLSearchParams,
  submission: Submission,
  findSession: FindSession,
): Promise<Pending> {
  const challenge = await requireOwnForm(deps, fields, submission.cookieHeader)
  return await pendingOf(deps, challenge, submission, findSession)
}

async function pendingOf(
  deps: BridgeDeps,
  challenge: string,
  { cookieHeader }: Submission,
  findSession: FindSession,
): Promise<Pending> {
  const found = await getConsentRequest(deps.upstreams.oauthAdmin, challenge)
  if (found.outcome !== 'found')
    throw challengeEnded('consent', found, await whereItBegan(deps, challenge, cookieHeader))
  const { request } = found
  const [session, isOld] = await Promise.all([
    findSession(deps, request, cookieHeader),
    isGiven(deps, request),
  ])
  if (isOld) throw consentGiven(request)
  return { challenge, request, session }
}

/** The server no longer knows where an ended flow began; the cookie of its screen does. */
async function whereItBegan(
  deps: BridgeDeps,
  challenge: string,
  cookieHeader: string | null,
): Promise<string | undefined> {
  const key = await flowKey(challenge)
  const marks = await readFlowMarks(deps, cookieHeader)
  return marks.find(mark => mark.key === key)?.restartUrl || undefined
}

function onward(accepted: Accepted, { request }: Pending): string {
  if (accepted.outcome === 'accepted') return accepted.redirectTo
  throw challengeEnded('consent', accepted, restartUrl(request.request_url))
}

function scopeNotRequested(scopes: readonly string[]): DomainError {
  return new DomainError('scope_not_requested', `The application has not asked for ${scopes[0]}.`, {
    detail: `grant_scope: ${scopes.join(' ')}`,
    hint: 'Grant a part of requested_scope; GET bridge/consent/info shows it.',
  })
}
