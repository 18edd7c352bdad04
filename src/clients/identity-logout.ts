// Ending a browser's session at the identity provider (the Kratos wire, section 3.1) on the browser's behalf: its
// logout address is asked for and then visited with the same cookies, so that no further redirect through the browser
// is needed. The cookie that stays in the browser names a session that has ended.

import * as z from 'zod'
import { callUpstream, invalidAnswer, type Upstream, type UpstreamAnswer, unexpected } from './http.ts'

const LogoutFlow = z.looseObject({ logout_token: z.string().min(1) })

/** Ends the session of these cookies; without one there is nothing to end. Throws the `upstream_*` errors. */
export async function endIdentitySession(identity: Upstream, cookieHeader: string): Promise<void> {
  const headers = { cookie: cookieHeader }
  const answer = await callUpstream(identity, {
    method: 'GET',
    path: '/self-service/logout/browser',
    headers,
  })
  const token = processLogoutFlow(identity, answer)
  if (token === undefined) return
  const ended = await callUpstream(identity, {
    method: 'GET',
    path: '/self-service/logout',
    query: { token },
    headers,
  })
  processLogout(identity, ended)
}

/** The token to log out with; undefined when nobody is signed in (401). */
export function processLogoutFlow(identity: Upstream, answer: UpstreamAnswer): string | undefined {
  if (answer.status === 401) return undefined
  if (answer.status !== 200) throw unexpected(identity, answer)
  const parsed = LogoutFlow.safeParse(answer.json)
  if (!parsed.success) throw invalidAnswer(identity, answer)
  return parsed.data.logout_token
}

/** 204 for scripts, a redirect for browsers; 401 when somebody else was quicker. */
export function processLogout(identity: Upstream, answer: UpstreamAnswer): void {
  const isEnded = answer.status === 204 || (answer.status >= 300 && answer.status < 400)
  if (!isEnded && answer.status !== 401) throw unexpected(identity, answer)
}
