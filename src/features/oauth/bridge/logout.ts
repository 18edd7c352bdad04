// The logout screens. Signing out of the OAuth2 server alone would sign in again at the next click, because the
// identity provider's session is still there; so the form offers to end that one too, and does unless it is unticked.

import * as z from 'zod'
import { whoami } from '../../../clients/identity.ts'
import { endIdentitySession } from '../../../clients/identity-logout.ts'
import {
  acceptLogout,
  getLogoutRequest,
  type LogoutRequest,
  rejectLogout,
} from '../../../clients/oauth-server/logout-requests.ts'
import { DomainError } from '../../../errors.ts'
import { type BridgeAnswer, goTo, jsonAnswer, pageAnswer } from './answers.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { afterEnd, challengeEnded } from './bridge-error.ts'
import { visibleName } from './client-name.ts'
import { continueAt } from './continue.ts'
import { openForm, requireOwnForm } from './form-token.ts'
import { webUrl } from './request-url.ts'
import { Challenge, readSubmitted, type Submission, type Submitted } from './submitted.ts'

type LogoutDeps = Pick<BridgeDeps, 'config' | 'upstreams' | 'recheckSockets'>

/** The bodies of a yes and a no, as scripts send them. */
export const LogoutYes = z
  .strictObject({
    challenge: Challenge,
    end_identity_session: z.boolean().default(false),
  })
  .meta({ id: 'LogoutYes' })
export const LogoutNo = z.strictObject({ challenge: Challenge }).meta({ id: 'LogoutNo' })

/**
 * GET bridge/logout: asks, or signs out at once for a client with `skip_logout_consent` that proved itself with an ID
 * token. Anybody can send a browser to the server's logout address without one, so that is always a question. Without
 * the screen the identity provider's session stays: another site may have sent the browser, with an old ID token.
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
    const accepted = await acceptLogout(deps.upstreams.oauthAdmin, challenge)
    if (accepted.outcome === 'accepted') return goTo(accepted.redirectTo)
    return afterEnd(deps, 'logout', accepted)
  }
  const { token, cookies } = await openForm(deps, cookieHeader, challenge)
  const { renderLogoutPage } = await import('./pages/logout-page.tsx')
  const clientName = client && visibleName(client)
  const view = { challenge, formToken: token, clientName }
  return pageAnswer(deps.config, frame => renderLogoutPage(view, frame), { cookies })
}

/**
 * POST bridge/logout/accept. The server ends its session, and tells the applications, when the browser goes on. JSON
 * with the session of somebody else is `subject_mismatch`.
 */
export async function acceptLogoutAnswer(deps: LogoutDeps, submission: Submission): Promise<BridgeAnswer> {
  const answer = await readAnswer(deps, LogoutYes, submission)
  const isForm = answer.kind === 'form'
  const endsSession = isForm ? answer.fields.has('end_identity_session') : answer.body.end_identity_session
  const request = await pendingLogout(deps, answer.challenge)
  if (!isForm) await refuseSomebodyElse(deps, request, submission.cookieHeader)
  // First, so that a failure is seen while the person can still try again.
  if (endsSession) await endOwnSession(deps, request, submission.cookieHeader)
  const accepted = await acceptLogout(deps.upstreams.oauthAdmin, answer.challenge)
  if (accepted.outcome !== 'accepted') throw challengeEnded('logout', accepted, undefined)
  return isForm
    ? await continueAt(deps, accepted.redirectTo)
    : jsonAnswer({ redirect_to: accepted.redirectTo })
}

/** POST bridge/logout/reject: the person stays signed in. Throws as `acceptLogoutAnswer`. */
export async function rejectLogoutAnswer(deps: LogoutDeps, submission: Submission): Promise<BridgeAnswer> {
  const { kind, challenge } = await readAnswer(deps, LogoutNo, submission)
  const request = await pendingLogout(deps, challenge)
  if (kind === 'json') await refuseSomebodyElse(deps, request, submission.cookieHeader)
  const rejected = await rejectLogout(deps.upstreams.oauthAdmin, challenge)
  if (rejected.outcome !== 'rejected') throw challengeEnded('logout', rejected, undefined)
  return kind === 'form'
    ? await stillSignedIn(deps, request.client)
    : { status: 204, headers: {}, body: null }
}

async function pendingLogout({ upstreams }: LogoutDeps, challenge: string): Promise<LogoutRequest> {
  const found = await getLogoutRequest(upstreams.oauthAdmin, challenge)
  if (found.outcome !== 'found') throw challengeEnded('logout', found, undefined)
  return found.request
}

async function stillSignedIn({ config }: LogoutDeps, client: LogoutRequest['client']): Promise<BridgeAnswer> {
  const { renderMessagePage } = await import('./pages/message-page.tsx')
  const url = webUrl(client?.client_uri)
  const text = `Back to ${client ? visibleName(client) : 'the application'}`
  const view = {
    mood: 'good' as const,
    title: 'You are still signed in',
    text: 'Nothing was changed.',
    link: url === undefined ? undefined : { url, text },
  }
  return pageAnswer(config, frame => renderMessagePage(view, frame))
}

/** GET bridge/logout/done: a last page, for logouts that name no address to go back to. */
export async function showLogoutDone({ config }: Pick<BridgeDeps, 'config'>): Promise<BridgeAnswer> {
  const { renderMessagePage } = await import('./pages/message-page.tsx')
  const view = { mood: 'good' as const, title: 'You are signed out', text: 'You can close this page.' }
  return pageAnswer(config, frame => renderMessagePage(view, frame))
}

/** An answer with its challenge, which a form must have been opened for in this browser. */
async function readAnswer<Schema extends z.ZodType<{ challenge: string }>>(
  deps: LogoutDeps,
  schema: Schema,
  submission: Submission,
): Promise<Submitted<z.output<Schema>> & { challenge: string }> {
  const submitted = await readSubmitted(schema, submission)
  const challenge =
    submitted.kind === 'form'
      ? await requireOwnForm(deps, submitted.fields, submission.cookieHeader)
      : submitted.body.challenge
  return { ...submitted, challenge }
}

/** A server has no session to send; a browser's must be that of the account that signs out. */
async function refuseSomebodyElse(
  deps: LogoutDeps,
  { subject }: LogoutRequest,
  cookieHeader: string | null,
): Promise<void> {
  const signedIn = await signedInAs(deps, cookieHeader)
  if (signedIn === undefined || signedIn === subject) return
  throw new DomainError('subject_mismatch', 'You are signed in with another account.', {
    detail: 'The logout request belongs to the account that was signed in to the application.',
    hint: 'Sign out of the application again.',
  })
}

/** Ends the browser's session at the identity provider, if it is of the account that signs out. */
async function endOwnSession(
  deps: LogoutDeps,
  { subject }: LogoutRequest,
  cookieHeader: string | null,
): Promise<void> {
  if (cookieHeader === null || (await signedInAs(deps, cookieHeader)) !== subject) return
  await endIdentitySession(deps.upstreams.identityPublic, cookieHeader)
  await deps.recheckSockets({ identityId: subject })
}

/** The id of the browser's account; undefined when nobody is signed in, or not with all factors. */
async function signedInAs(
  { upstreams }: LogoutDeps,
  cookieHeader: string | null,
): Promise<string | undefined> {
  if (cookieHeader === null) return undefined
  const answer = await whoami(upstreams.identityPublic, cookieHeader)
  return answer.outcome === 'session' ? answer.session.identity.id : undefined
}
