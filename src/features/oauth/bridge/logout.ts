// The logout screens. Signing out of the OAuth2 server alone would sign in again at the next click, because the identity
// provider's session is still there; so the form offers to end that one too, and does unless it is unticked.

import * as z from 'zod'
import { whoami } from '../../../clients/identity.ts'
import { endIdentitySession } from '../../../clients/identity-logout.ts'
import {
  acceptLogout,
  getLogoutRequest,
  type LogoutRequest,
  rejectLogout,
} from '../../../clients/oauth-server/logout-requests.ts'
import { type BridgeAnswer, goTo, jsonAnswer, pageAnswer } from './answers.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { afterEnd, challengeEnded } from './bridge-error.ts'
import { continueAt } from './continue.ts'
import { openForm, requireFormToken } from './form-token.ts'
import { webUrl } from './request-url.ts'
import { Challenge, formField, readSubmitted, type Submission } from './submitted.ts'

type LogoutDeps = Pick<BridgeDeps, 'config' | 'upstreams'>

const LogoutYes = z.strictObject({
  challenge: Challenge,
  end_identity_session: z.boolean().default(false),
})
const LogoutNo = z.strictObject({ challenge: Challenge })

/**
 * GET bridge/logout: asks, or signs out at once for a client with `skip_logout_consent` that proved itself with an ID
 * token. Anybody can send a browser to the server's logout address without one, so that is always a question.
 */
export async function showLogout(
  deps: LogoutDeps,
  challenge: string,
  cookieHeader: string | null,
): Promise<BridgeAnswer> {
  const found = await getLogoutRequest(deps.upstreams.oauthAdmin, challenge)
  if (found.outcome !== 'found') return afterEnd(deps, 'logout', found)
  const { client, rp_initiated } = found.request
  if (rp_initiated && client?.skip_logout_consent === true) {
    await endOwnSession(deps, found.request, cookieHeader)
    const accepted = await acceptLogout(deps.upstreams.oauthAdmin, challenge)
    if (accepted.outcome === 'accepted') return goTo(accepted.redirectTo)
    return afterEnd(deps, 'logout', accepted)
  }
  const { token, cookies } = await openForm(deps, cookieHeader, challenge)
  const { renderLogoutPage } = await import('./pages/logout-page.tsx')
  const clientName = client && (client.client_name ?? client.client_id)
  const view = { challenge, formToken: token, clientName }
  return pageAnswer(deps.config.brand, frame => renderLogoutPage(view, frame), { cookies })
}

/** POST bridge/logout/accept. The server ends its session, and tells the applications, when the browser goes on. */
export async function acceptLogoutAnswer(deps: LogoutDeps, submission: Submission): Promise<BridgeAnswer> {
  const submitted = await readSubmitted(LogoutYes, submission)
  const isForm = submitted.kind === 'form'
  const challenge = isForm
    ? await challengeOfForm(deps, submitted.fields, submission)
    : submitted.body.challenge
  const endsSession = isForm
    ? submitted.fields.has('end_identity_session')
    : submitted.body.end_identity_session
  const found = await getLogoutRequest(deps.upstreams.oauthAdmin, challenge)
  if (found.outcome !== 'found') throw challengeEnded('logout', found, undefined)
  // First, so that a failure is seen while the person can still try again.
  if (endsSession) await endOwnSession(deps, found.request, submission.cookieHeader)
  const accepted = await acceptLogout(deps.upstreams.oauthAdmin, challenge)
  if (accepted.outcome !== 'accepted') throw challengeEnded('logout', accepted, undefined)
  return isForm
    ? await continueAt(deps, accepted.redirectTo)
    : jsonAnswer({ redirect_to: accepted.redirectTo })
}

/** POST bridge/logout/reject: the person stays signed in. */
export async function rejectLogoutAnswer(deps: LogoutDeps, submission: Submission): Promise<BridgeAnswer> {
  const submitted = await readSubmitted(LogoutNo, submission)
  const isForm = submitted.kind === 'form'
  const challenge = isForm
    ? await challengeOfForm(deps, submitted.fields, submission)
    : submitted.body.challenge
  const { oauthAdmin } = deps.upstreams
  const found = await getLogoutRequest(oauthAdmin, challenge)
  const rejected = found.outcome === 'found' ? await rejectLogout(oauthAdmin, challenge) : found
  if (rejected.outcome !== 'rejected') throw challengeEnded('logout', rejected, undefined)
  if (!isForm) return { status: 204, headers: {}, body: null }
  const client = found.outcome === 'found' ? found.request.client : undefined
  const { renderMessagePage } = await import('./pages/message-page.tsx')
  const backUrl = webUrl(client?.client_uri)
  const view = {
    mood: 'good' as const,
    title: 'You are still signed in',
    text: 'Nothing was changed.',
    link:
      backUrl === undefined
        ? undefined
        : { url: backUrl, text: `Back to ${client?.client_name ?? 'the application'}` },
  }
  return pageAnswer(deps.config.brand, frame => renderMessagePage(view, frame))
}

/** GET bridge/logout/done: a last page, for logouts that name no address to go back to. */
export async function showLogoutDone({ config }: Pick<BridgeDeps, 'config'>): Promise<BridgeAnswer> {
  const { renderMessagePage } = await import('./pages/message-page.tsx')
  const view = { mood: 'good' as const, title: 'You are signed out', text: 'You can close this page.' }
  return pageAnswer(config.brand, frame => renderMessagePage(view, frame))
}

async function challengeOfForm(
  deps: LogoutDeps,
  fields: URLSearchParams,
  { cookieHeader }: Submission,
): Promise<string> {
  const challenge = formField(fields, 'challenge')
  await requireFormToken(deps, cookieHeader, challenge, formField(fields, 'form_token'))
  return challenge
}

/** Ends the browser's session at the identity provider, if it is of the account that signs out. */
async function endOwnSession(
  { upstreams }: LogoutDeps,
  { subject }: LogoutRequest,
  cookieHeader: string | null,
): Promise<void> {
  if (cookieHeader === null) return
  const answer = await whoami(upstreams.identityPublic, cookieHeader)
  const isOwn = answer.outcome === 'session' && answer.session.identity.id === subject
  if (isOwn) await endIdentitySession(upstreams.identityPublic, cookieHeader)
}
