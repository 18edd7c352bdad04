// The admin API of logout requests: what the logout page reads, accepts and rejects.

import type { ServiceApp } from '../../service/listen.ts'
import { clientAnswer } from '../clients/client-record.ts'
import type { RequestContext } from '../context.ts'
import { withQuery } from '../flow/query.ts'
import { redirectTo } from '../flow/step-routes.ts'
import { jsonAnswer, noContent } from '../wire/answers.ts'
import type { LogoutEndpointDeps } from './logout-endpoint.ts'
import type { LogoutRequest } from './logout-request-store.ts'

const LOGOUT = '/admin/oauth2/auth/requests/logout'
export const LOGOUT_PATH = '/oauth2/sessions/logout'

export function addLogoutRequestRoutes(app: ServiceApp, deps: LogoutEndpointDeps): void {
  app.get(LOGOUT, async c => {
    const request = await deps.logoutRequests.get(challengeOf(c))
    if (request.wasUsed) return jsonAnswer(c, { redirect_to: request.requestUrl }, 410)
    return jsonAnswer(c, await logoutView(deps, request))
  })
  app.put(`${LOGOUT}/accept`, async c => {
    const { verifier } = await deps.logoutRequests.accept(challengeOf(c))
    return redirectTo(c, withQuery(`${deps.addresses.public}${LOGOUT_PATH}`, { logout_verifier: verifier }))
  })
  app.put(`${LOGOUT}/reject`, async c => {
    await deps.logoutRequests.reject(challengeOf(c))
    return noContent(c)
  })
}

async function logoutView({ clients }: LogoutEndpointDeps, request: LogoutRequest) {
  const client = request.clientId === null ? undefined : await clients.find(request.clientId)
  // Hydra keeps no times for what a client asked.
  const timeText = (time: Date) =>
    request.clientId === null ? time.toISOString().replace(/\.\d+Z$/, 'Z') : null
  return {
    challenge: request.challenge,
    subject: request.subject,
    sid: request.sessionId,
    request_url: request.requestUrl,
    rp_initiated: request.clientId !== null,
    expires_at: timeText(request.expiresAt),
    requested_at: timeText(request.requestedAt),
    client: client ? clientAnswer(client) : null,
  }
}

function challengeOf(c: RequestContext): string {
  return c.req.query('logout_challenge') || c.req.query('challenge') || ''
}
