// GET bridge/login: the OAuth2 server asks who signs in; the session at the identity provider answers, now, never from
// memory. Only the caller's Cookie header is passed on.

import { notConfigured } from '../../../clients/http.ts'
import { type Session, type Whoami, whoami } from '../../../clients/identity.ts'
import {
  acceptLogin,
  getLoginRequest,
  type LoginRequest,
  rejectLogin,
} from '../../../clients/oauth-server/login-requests.ts'
import { deleteLoginSessions } from '../../../clients/oauth-server/sessions.ts'
import { type BridgeAnswer, goTo } from './answers.ts'
import { BRIDGE_PATH, type BridgeDeps } from './bridge-deps.ts'
import { afterEnd, BridgeError } from './bridge-error.ts'
import { visibleName } from './client-name.ts'
import { decideLogin, type LoginDecision } from './decide-login.ts'
import { restartWithCode } from './device-code.ts'
import { dropFlowMarks, type FlowMark, flowKey, keepFlowMark, readFlowMarks } from './flow-marks.ts'
import { restartUrl, signInWishes, webUrl } from './request-url.ts'

type LoginDeps = Pick<BridgeDeps, 'config' | 'upstreams' | 'now'>

/** One browser's visit: which challenge, and what its cookie says of the flow. */
interface Visit {
  challenge: string
  cookieHeader: string | null
  marks: readonly FlowMark[]
  /** Of this challenge. */
  key: string
  mark: FlowMark | undefined
  /** Of the address where the flow began: the same after a start over, under another challenge. */
  startKey: string
}

/** Accepts for whoever is signed in, or sends the browser to sign in and come back here. */
export async function continueLogin(
  deps: LoginDeps,
  challenge: string,
  cookieHeader: string | null,
): Promise<BridgeAnswer> {
  const marks = await readFlowMarks(deps, cookieHeader)
  const key = await flowKey(challenge)
  const mark = marks.find(mark => mark.key === key)
  const found = await getLoginRequest(deps.upstreams.oauthAdmin, challenge)
  if (found.outcome !== 'found') return afterEnd(deps, 'login', found, mark?.restartUrl || undefined)
  const { request } = found
  const startKey = await flowKey(restartUrl(request.request_url) ?? '')
  const visit = { challenge, cookieHeader, marks, key, mark, startKey }
  const decision = decideLogin({
    whoami: await whoIsThere(deps, cookieHeader),
    wishes: signInWishes(request.request_url),
    rememberedSubject: request.skip ? request.subject : '',
    startedOver: timesStartedOver(deps, visit),
    sent: mark,
    nowMs: deps.now().getTime(),
  })
  return carryOut(deps, visit, request, decision)
}

async function whoIsThere({ upstreams }: LoginDeps, cookieHeader: string | null): Promise<Whoami> {
  return cookieHeader === null ? { outcome: 'none' } : await whoami(upstreams.identityPublic, cookieHeader)
}

async function carryOut(
  deps: LoginDeps,
  visit: Visit,
  request: LoginRequest,
  decision: LoginDecision,
): Promise<BridgeAnswer> {
  switch (decision.step) {
    case 'accept':
      return accept(deps, visit, decision.session)
    case 'start_over':
      return startOver(deps, visit, request, decision.session)
    case 'refuse':
      return refuse(deps, visit)
    case 'stop':
      throw loopFound(deps, request, decision.reason)
    case 'second_factor': {
      const url = webUrl(decision.redirectTo) ?? signInUrl(deps, { aal: 'aal2' })
      return sendAway(deps, visit, request, url)
    }
    case 'sign_in': {
      const url = signInUrl(deps, decision.isRefresh ? { refresh: 'true' } : {})
      return sendAway(deps, visit, request, url)
    }
  }
}

async function accept(deps: LoginDeps, visit: Visit, session: Session): Promise<BridgeAnswer> {
  const accepted = await acceptLogin(deps.upstreams.oauthAdmin, visit.challenge, {
    subject: session.identity.id,
    remember: true,
    remember_for: secondsLeft(session, deps.now()),
    acr: session.authenticator_assurance_level,
    amr: [...new Set(session.authentication_methods.flatMap(({ method }) => method ?? []))],
    identity_provider_session_id: session.id,
  })
  if (accepted.outcome !== 'accepted')
    return afterEnd(deps, 'login', accepted, visit.mark?.restartUrl || undefined)
  return goTo(accepted.redirectTo, await dropFlowMarks(deps, visit.marks, [visit.key, visit.startKey]))
}

/**
 * Ends the session of whom the server remembers in this browser, and has it ask again. By itself it would start over
 * with `prompt=login`: with another password, and in device flows, where it does not read that, without end.
 */
async function startOver(
  deps: LoginDeps,
  visit: Visit,
  { request_url, session_id }: LoginRequest,
  session: Session,
): Promise<BridgeAnswer> {
  const url = await restartWithCode(deps, request_url, visit.cookieHeader)
  if (url === undefined || session_id === '') return accept(deps, visit, session)
  await deleteLoginSessions(deps.upstreams.oauthAdmin, { sid: session_id })
  const bounces = timesStartedOver(deps, visit) + 1
  const mark = { key: visit.startKey, bounces, sentAtMs: deps.now().getTime(), restartUrl: '' }
  // The challenge is over with this: its own mark would only take a place.
  const others = visit.marks.filter(({ key }) => key !== visit.key)
  return goTo(url, [await keepFlowMark(deps, others, mark)])
}

/** A loop comes round at once. What began at the same address earlier is another flow, of another device perhaps. */
const LOOP_MS = 120_000

function timesStartedOver({ now }: Pick<LoginDeps, 'now'>, { marks, startKey }: Visit): number {
  const mark = marks.find(({ key }) => key === startKey)
  return mark !== undefined && now().getTime() - mark.sentAtMs < LOOP_MS ? mark.bounces : 0
}

/** The server remembers the sign-in as long as the session lasts; 0 leaves it to the server. */
function secondsLeft(session: Session, now: Date): number {
  const endsAtMs = Date.parse(session.expires_at ?? '')
  return Number.isNaN(endsAtMs) ? 0 : Math.max(1, Math.floor((endsAtMs - now.getTime()) / 1_000))
}

async function refuse(deps: LoginDeps, visit: Visit): Promise<BridgeAnswer> {
  const refused = await rejectLogin(deps.upstreams.oauthAdmin, visit.challenge, {
    error: 'login_required',
    error_description: 'Nobody is signed in, and no sign-in page may be shown.',
  })
  return refused.outcome === 'accepted' ? goTo(refused.redirectTo) : afterEnd(deps, 'login', refused)
}

function loopFound(
  { config }: LoginDeps,
  request: LoginRequest,
  reason: 'no_session' | 'somebody_else',
): BridgeError {
  const details = {
    no_session:
      `The session cookie of ${config.identityPublicUrl} does not reach ${config.baseUrl}: ` +
      'both must share a host or a parent domain, and the cookie domain of the identity provider must be set to it.',
    somebody_else:
      'The OAuth2 server remembers another account in this browser, also after its session was ended ' +
      '(DELETE /admin/oauth2/auth/sessions/login).',
  }
  const hints = {
    no_session: 'If you went back without signing in, start again. Else tell whoever runs this service.',
    somebody_else: 'Tell whoever runs this service. It can be tried again in two minutes.',
  }
  return new BridgeError('sign_in_loop', 'Signing in leads back to where it began, again and again.', {
    detail: details[reason],
    hint: hints[reason],
    restartUrl: restartUrl(request.request_url),
  })
}

/** To the identity provider, whose page can read in its flow's address on whose behalf (`client_name`). */
async function sendAway(
  deps: LoginDeps,
  { challenge, key, marks, mark }: Visit,
  request: LoginRequest,
  page: string,
): Promise<BridgeAnswer> {
  const url = new URL(page)
  url.searchParams.set('return_to', returnUrl(deps, challenge))
  url.searchParams.set('client_name', visibleName(request.client))
  const cookie = await keepFlowMark(deps, marks, {
    key,
    bounces: (mark?.bounces ?? 0) + 1,
    sentAtMs: mark?.sentAtMs || deps.now().getTime(),
    restartUrl: restartUrl(request.request_url) ?? '',
  })
  return goTo(url.href, [cookie])
}

function returnUrl({ config }: LoginDeps, challenge: string): string {
  return `${config.baseUrl}${BRIDGE_PATH}/login?${new URLSearchParams({ login_challenge: challenge })}`
}

function signInUrl({ config, upstreams }: LoginDeps, query: Record<string, string>): string {
  if (config.identityPublicUrl === undefined) throw notConfigured(upstreams.identityPublic)
  return `${config.identityPublicUrl}/self-service/login/browser?${new URLSearchParams(query)}`
}
