// Signing out: the URL that ends a browser's session, and the call of an app.

import * as z from 'zod'
import { Text } from '../service/json-body.ts'
import { queryOf, type Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'
import { badRequest, WireError } from '../service/wire-error.ts'
import { isScript } from './accept.ts'
import { answerNothing, answerRedirect } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { clearCookie, renewCsrfSecret } from './csrf-gate.ts'
import { returnUrl } from './flow-start.ts'
import { readJsonBody } from './request-body.ts'
import { bearerToken, cookieToken, findRequestSession } from './request-session.ts'
import { forwardError } from './self-service-errors.ts'
import { isSameText, logoutToken, SESSION_COOKIE } from './session-secrets.ts'
import { endSessionOfToken } from './session-store.ts'
import { noActiveSession } from './wire-error.ts'

export function logoutRoutes(context: IdentityContext): Route[] {
  const forwarding = (handle: (c: RequestContext) => Promise<Response>) => (c: RequestContext) =>
    handle(c).catch((err: unknown) => forwardError(context, c, err))
  return [
    { method: 'GET', path: '/self-service/logout/browser', handle: forwarding(c => offer(context, c)) },
    { method: 'GET', path: '/self-service/logout', handle: forwarding(c => complete(context, c)) },
    { method: 'DELETE', path: '/self-service/logout/api', handle: c => endToken(context, c) },
  ]
}

/** The URL that ends the session of the request; JSON whatever the caller accepts. */
async function offer(context: IdentityContext, c: RequestContext): Promise<Response> {
  const current = await findRequestSession(context, c)
  if (current === undefined) throw noActiveSession()
  const wanted = queryOf(c).get('return_to') ?? ''
  const token = logoutToken(context.secret, current.session.id)
  const query = wanted === '' ? { token } : { return_to: afterLogout(context, wanted), token }
  const url = `${context.addresses.publicUrl}/self-service/logout?${new URLSearchParams(query)}`
  return answerJson(c, { logout_url: url, logout_token: token })
}

/** Ends the session before it looks where to go: a refused `return_to` leaves nobody signed in. */
async function complete(context: IdentityContext, c: RequestContext): Promise<Response> {
  const query = queryOf(c)
  const token = query.get('token') ?? ''
  if (token === '') throw badRequest('Please include a token in the URL query.')
  const current = await findRequestSession(context, c)
  if (current === undefined) throw noActiveSession()
  if (!isSameText(token, logoutToken(context.secret, current.session.id))) {
    throw new WireError(403, {
      reason:
        'Unable to log out because the logout token in the URL query does not match the session cookie.',
    })
  }
  await endRequestSession(context, c)
  renewCsrfSecret(context, c)
  const to = afterLogout(context, query.get('return_to') ?? '')
  return isScript(c) ? answerNothing(c) : answerRedirect(c, to)
}

function afterLogout(context: IdentityContext, returnTo: string): string {
  return returnUrl(context, returnTo, `${context.addresses.uiUrl}/login`)
}

async function endRequestSession(
  { db, secret, addresses }: IdentityContext,
  c: RequestContext,
): Promise<void> {
  const token = bearerToken(c) ?? cookieToken(secret, c)
  if (token !== undefined) await endSessionOfToken(db, token)
  if (cookieToken(secret, c) !== undefined) clearCookie(c, addresses.publicUrl, SESSION_COOKIE)
}

async function endToken({ db }: IdentityContext, c: RequestContext): Promise<Response> {
  const { session_token: token } = await readJsonBody(c, z.object({ session_token: Text }))
  if (await endSessionOfToken(db, token)) return answerNothing(c)
  throw new WireError(403, {
    reason: 'The provided Ory Session Token could not be found, is invalid, or otherwise malformed.',
  })
}
