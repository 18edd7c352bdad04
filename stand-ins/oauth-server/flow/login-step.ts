// The login of a flow: sends the browser to the login page, and takes it back when the login was answered. The same
// steps serve authorization requests and devices.

import { randomUUID } from 'node:crypto'
import { type Client, isPublicClient } from '../clients/client-record.ts'
import type { RequestContext } from '../context.ts'
import { denialError } from './denial.ts'
import type { FlowDeps } from './flow-deps.ts'
import type { FlowRequest, LoginAcceptance, LoginStep } from './flow-state.ts'
import { decideLogin } from './login-decision.ts'
import { requestForbidden, unreadableHint } from './oauth-errors.ts'
import { type LoginFacts, promptFault } from './prompt.ts'
import { withQuery } from './query.ts'
import { subjectForClient } from './subject-identifier.ts'

/** What a login is asked for. `redirectUri` is undefined for a device. */
export interface LoginQuestion {
  readonly form: URLSearchParams
  readonly client: Client
  readonly redirectUri: string | undefined
}

export interface AcceptedLogin {
  readonly step: LoginStep
  readonly accepted: LoginAcceptance
}

/** Sends the browser to the login page. Throws `login_required` when the request allows no page. */
export async function askForLogin(
  deps: FlowDeps,
  c: RequestContext,
  question: LoginQuestion,
  request: FlowRequest,
): Promise<Response> {
  const { form, client } = question
  const hint = await readHint(deps, form)
  const session = await browserSession(deps, c)
  const names = session && hint ? await subjectNames(deps, client, session.subject) : []
  const hinted = typeof hint?.['sub'] === 'string' ? hint['sub'] : undefined
  const decision = decideLogin(form, session, hinted, names, deps.now() / 1000)
  if (decision.outcome === 'refuse') throw decision.error
  if (hint === null) throw unreadableHint()

  const joined = decision.outcome === 'skip' ? decision.session : undefined
  const step: LoginStep = {
    request: withHint(request, hint),
    loginId: randomId(),
    csrf: randomId(),
    sessionId: joined?.id ?? randomUUID(),
    skip: joined !== undefined,
    subject: joined?.subject ?? '',
    authenticatedAt: joined?.authenticatedAt ?? 0,
  }
  deps.cookies.setCsrf(c, 'login', step.csrf, deps.settings.ttlSeconds.loginConsentRequest, client.client_id)
  const challenge = deps.challenges.seal('login challenge', step)
  return c.redirect(withQuery(deps.addresses.login, { login_challenge: challenge }))
}

/**
 * Takes the browser back from the login page: checks that it is the one that left, and remembers its session or forgets
 * it as the login says. Throws what the application refused with, `request_forbidden` for another browser, and
 * `login_required` when the login does not satisfy the request.
 */
export async function takeLogin(
  deps: FlowDeps,
  c: RequestContext,
  question: LoginQuestion,
  verifier: string,
): Promise<AcceptedLogin> {
  const answered = deps.challenges.openVerifier('login verifier', verifier)
  if ('denied' in answered) throw denialError(answered.denied)
  const { step, accepted } = answered
  checkCsrf(deps.cookies.csrf(c, 'login', step.request.client.client_id), step.csrf)
  await checkPrompt(deps, c, question, answered)
  if (accepted.forcedSubject) {
    await deps.loginSessions.forceSubject(question.client.client_id, accepted.subject, accepted.forcedSubject)
  }
  await settleSession(deps, c, answered)
  return answered
}

/** The first rule of prompt, `max_age` and `id_token_hint` that a login breaks, or undefined. */
export async function promptFaultOf(deps: FlowDeps, question: LoginQuestion, login: LoginFacts) {
  const { client, form, redirectUri } = question
  const hint = await readHint(deps, form)
  const terms = {
    form,
    redirectUri,
    isPublicClient: isPublicClient(client),
    hintedSubject: hint ? String(hint['sub'] ?? '') : hint,
  }
  return promptFault(terms, login)
}

/** The remembered login session of this browser, or undefined. */
export async function browserSession(deps: Pick<FlowDeps, 'cookies' | 'loginSessions'>, c: RequestContext) {
  const id = deps.cookies.sessionId(c)
  return id ? await deps.loginSessions.findRemembered(id) : undefined
}

/** Throws `request_forbidden` unless the browser shows the CSRF value that its step was sealed with. */
export function checkCsrf(shown: string | undefined, expected: string): void {
  if (shown !== expected) throw requestForbidden('This step was begun in another browser.')
}

/** An id of 128 random bits without dashes, as challenges carry it. */
export function randomId(): string {
  return randomUUID().replaceAll('-', '')
}

async function checkPrompt(deps: FlowDeps, c: RequestContext, question: LoginQuestion, login: AcceptedLogin) {
  const { subject, authenticatedAt, forcedSubject } = login.accepted
  const fault = await promptFaultOf(deps, question, {
    clientSubject: subjectForClient(question.client, subject, deps.settings.pairwiseSalt, forcedSubject),
    authenticatedAt,
    requestedAt: login.step.request.requestedAt,
  })
  if (fault?.error === 'login_required') await forgetSession(deps, c)
  if (fault) throw fault
}

async function settleSession(
  deps: FlowDeps,
  c: RequestContext,
  { step, accepted }: AcceptedLogin,
): Promise<void> {
  const lifespan = deps.settings.ttlSeconds.authenticationSession
  // A skipped login keeps its session and cookie, and with them the time when they end, unless it extends them.
  const isRenewed = !step.skip || accepted.extendSession
  if (isRenewed) {
    await deps.loginSessions.confirm({
      id: step.sessionId,
      subject: accepted.subject,
      authenticatedAt: accepted.authenticatedAt,
      remember: accepted.remember,
      lifespanSeconds: lifespan,
    })
  }
  if (!accepted.remember) await forgetSession(deps, c)
  else if (isRenewed) {
    deps.cookies.setSession(c, step.sessionId, accepted.rememberFor > 0 ? accepted.rememberFor : lifespan)
  }
}

async function forgetSession(deps: FlowDeps, c: RequestContext): Promise<void> {
  const id = deps.cookies.sessionId(c)
  deps.cookies.clearSession(c)
  if (id) await deps.loginSessions.end(id)
}

async function subjectNames(deps: FlowDeps, client: Client, subject: string): Promise<string[]> {
  const forced = await deps.loginSessions.forcedSubject(client.client_id, subject)
  const computed = subjectForClient(client, subject, deps.settings.pairwiseSalt)
  return [subject, computed, ...(forced === undefined ? [] : [forced])]
}

/** The claims of the request's `id_token_hint`; undefined without one, null when it is none of ours. */
async function readHint(deps: FlowDeps, form: URLSearchParams) {
  const hint = form.get('id_token_hint')
  return hint ? await deps.tokens.readIdToken(hint) : undefined
}

function withHint(request: FlowRequest, hint: Record<string, unknown> | undefined): FlowRequest {
  if (!hint || !request.oidcContext) return request
  return { ...request, oidcContext: { ...request.oidcContext, id_token_hint_claims: hint } }
}
