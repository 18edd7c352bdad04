// Logout requests of the OAuth2 server's admin API. Accepting one ends nothing yet: the server ends the session and
// tells the applications once the browser goes on where it says (contracts of the Hydra wire, section 2.5).

import * as z from 'zod'
import { type Upstream, type UpstreamAnswer, unexpected } from '../http.ts'
import {
  type Accepted,
  callChallenge,
  type Ended,
  endedOf,
  processAccepted,
  processRequest,
} from './challenge.ts'
import { RequestingClient } from './request-parts.ts'

const LogoutRequest = z.looseObject({
  subject: z.string(),
  /** True: an application asked, with an ID token of the session. */
  rp_initiated: z.boolean().default(false),
  /** Null when nobody but the browser asked. */
  client: RequestingClient.nullish().transform(client => client ?? undefined),
})
export type LogoutRequest = z.infer<typeof LogoutRequest>

/** The logout request of a challenge. Throws the `upstream_*` errors and `not_configured`. */
export async function getLogoutRequest(oauthAdmin: Upstream, challenge: string) {
  return processLogoutRequest(oauthAdmin, await callChallenge(oauthAdmin, { kind: 'logout', challenge }))
}

export function processLogoutRequest(
  oauthAdmin: Upstream,
  answer: UpstreamAnswer,
): { outcome: 'found'; request: LogoutRequest } | Ended {
  return processRequest(LogoutRequest, oauthAdmin, answer)
}

/** Lets the logout go on. Throws as `getLogoutRequest`. */
export async function acceptLogout(oauthAdmin: Upstream, challenge: string): Promise<Accepted> {
  return processAccepted(
    oauthAdmin,
    await callChallenge(oauthAdmin, { kind: 'logout', challenge, verb: 'accept' }),
  )
}

/** Takes the logout back; its challenge is unknown from then on. Throws as `getLogoutRequest`. */
export async function rejectLogout(
  oauthAdmin: Upstream,
  challenge: string,
): Promise<{ outcome: 'rejected' } | Ended> {
  return processLogoutRejected(
    oauthAdmin,
    await callChallenge(oauthAdmin, { kind: 'logout', challenge, verb: 'reject' }),
  )
}

export function processLogoutRejected(
  oauthAdmin: Upstream,
  answer: UpstreamAnswer,
): { outcome: 'rejected' } | Ended {
  const ended = endedOf(answer)
  if (ended !== undefined) return ended
  if (answer.status !== 204) throw unexpected(oauthAdmin, answer)
  return { outcome: 'rejected' }
}
