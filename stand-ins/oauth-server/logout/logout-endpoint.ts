// `GET|POST /oauth2/sessions/logout`: a browser asks to be signed out, alone or sent by a client (OpenID Connect
// RP-Initiated Logout 1.0). It comes back when the logout page has said yes.

import { randomUUID } from 'node:crypto'
import type { Client } from '../clients/client-record.ts'
import type { RequestContext } from '../context.ts'
import { showError } from '../flow/authorize-endpoint.ts'
import type { FlowDeps } from '../flow/flow-deps.ts'
import { browserSession } from '../flow/login-step.ts'
import { invalidRequest, requestUnauthorized, unreadableHint } from '../flow/oauth-errors.ts'
import { encodeQuery, queryValues, withQuery } from '../flow/query.ts'
import { runsScript } from '../flow/redirect-uri.ts'
import { readRequestForm } from '../flow/request-form.ts'
import { HydraError, noSuchRow } from '../wire/hydra-error.ts'
import { frontChannelPage } from './front-channel-page.ts'
import type { LogoutRequest, LogoutRequestStore } from './logout-request-store.ts'
import { clientsOfSession, endSession } from './session-end.ts'

export type LogoutEndpointDeps = FlowDeps & { readonly logoutRequests: LogoutRequestStore }

/** Answers one step of a logout; refusals go to the error page. */
export async function logOut(deps: LogoutEndpointDeps, c: RequestContext): Promise<Response> {
  try {
    const form = await readRequestForm(c)
    const verifier = new URL(c.req.url).searchParams.get('logout_verifier')
    if (verifier) return await finishLogout(deps, c, verifier)
    return form.get('id_token_hint') ? await askForClient(deps, c, form) : await askForBrowser(deps, c, form)
  } catch (err) {
    if (!(err instanceof HydraError)) throw err
    return showError(deps, c, err)
  }
}

async function askForBrowser(
  deps: LogoutEndpointDeps,
  c: RequestContext,
  form: URLSearchParams,
): Promise<Response> {
  if (form.get('state') || form.get('post_logout_redirect_uri'))
    throw invalidRequest('Logout failed: state and post_logout_redirect_uri need an id_token_hint.')
  const session = await browserSession(deps, c)
  const redirectTo = deps.addresses.postLogoutRedirect
  if (!session) return c.redirect(redirectTo)
  return askPage(deps, c, form, {
    clientId: null,
    redirectTo,
    subject: session.subject,
    sessionId: session.id,
  })
}

async function askForClient(
  deps: LogoutEndpointDeps,
  c: RequestContext,
  form: URLSearchParams,
): Promise<Response> {
  const { sessionId, client } = await readHint(deps, form.get('id_token_hint') ?? '')
  const redirectTo = redirectTarget(deps, form, client)
  // Whether this browser has that session does not matter: the ID token says whose logout it is.
  const session = await deps.loginSessions.findRemembered(sessionId)
  if (!session) return c.redirect(redirectTo)
  return askPage(deps, c, form, {
    clientId: client.client_id,
    redirectTo,
    subject: session.subject,
    sessionId,
  })
}

async function askPage(
  deps: LogoutEndpointDeps,
  c: RequestContext,
  form: URLSearchParams,
  terms: Pick<LogoutRequest, 'clientId' | 'redirectTo' | 'subject' | 'sessionId'>,
): Promise<Response> {
  const query = encodeQuery(queryValues(form))
  const { pathname, search } = new URL(c.req.url)
  const challenge = randomUUID()
  const expiresMs = deps.now() + deps.settings.ttlSeconds.loginConsentRequest * 1000
  await deps.logoutRequests.create({
    ...terms,
    challenge,
    verifier: randomUUID(),
    requestUrl: c.req.method === 'GET' || !query ? `${pathname}${search}` : `${pathname}?${query}`,
    requestedAt: new Date(deps.now()),
    expiresAt: new Date(expiresMs),
  })
  return c.redirect(withQuery(deps.addresses.logout, { logout_challenge: challenge }))
}

async function finishLogout(
  deps: LogoutEndpointDeps,
  c: RequestContext,
  verifier: string,
): Promise<Response> {
  const request = await deps.logoutRequests.use(verifier)
  if (!request) throw noSuchRow()
  if (request.clientId === null) {
    if (request.expiresAt.getTime() < deps.now())
      throw requestUnauthorized('The logout request has expired, please try again.')
    const session = await browserSession(deps, c)
    // The browser was signed out already, or somebody else has signed in since: nothing to end.
    if (session?.subject !== request.subject) return c.redirect(request.redirectTo)
  }
  deps.cookies.clearSession(c)
  const clients = await clientsOfSession(deps, request.subject, request.sessionId)
  const frames = clients
    .filter(({ frontchannel_logout_uri: uri }) => uri !== '' && !runsScript(uri))
    .map(client =>
      withQuery(client.frontchannel_logout_uri, { iss: deps.addresses.public, sid: request.sessionId }),
    )
  await endSession(deps, request.sessionId)
  return frames.length ? c.html(frontChannelPage(frames, request.redirectTo)) : c.redirect(request.redirectTo)
}

/** The session and the client that an ID token speaks of. Throws when it is none of ours. */
async function readHint(deps: LogoutEndpointDeps, hint: string) {
  const claims = await deps.tokens.readIdToken(hint)
  const { iss, iat, sid, sub, aud } = claims ?? {}
  const isOwn = iss === deps.addresses.public && typeof iat === 'number' && iat <= deps.nowSeconds()
  if (!isOwn || !sid || typeof sid !== 'string' || !sub) throw unreadableHint()
  const found = await Promise.all([aud].flat().map(id => deps.clients.find(String(id))))
  const client = found.find(candidate => candidate !== undefined)
  if (!client) throw unreadableHint()
  return { sessionId: sid, client }
}

function redirectTarget(deps: LogoutEndpointDeps, form: URLSearchParams, client: Client): string {
  const [asked, state] = [form.get('post_logout_redirect_uri'), form.get('state')]
  if (!asked) return deps.addresses.postLogoutRedirect
  if (!client.post_logout_redirect_uris?.includes(asked) || runsScript(asked)) {
    throw invalidRequest('Logout failed: the client has not registered this post_logout_redirect_uri.')
  }
  return state ? withQuery(asked, { state }) : asked
}
