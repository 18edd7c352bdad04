// Consent requests of the OAuth2 server's admin API: what an application may do in somebody's name. The server checks
// neither the granted scopes nor the audience against those asked for; whoever accepts must.

import * as z from 'zod'
import type { Upstream, UpstreamAnswer } from '../http.ts'
import { type Accepted, callChallenge, type Ended, processAccepted, processRequest } from './challenge.ts'
import { type Refusing, RequestingClient } from './request-parts.ts'
import { TextList } from './wire-text.ts'

const ConsentRequest = z.looseObject({
  /** The id of the grant in the server's session lists; servers before v25.4 have none. */
  consent_request_id: z.string().min(1).optional(),
  requested_scope: TextList,
  requested_access_token_audience: TextList,
  /** True: a remembered consent covers what is asked. */
  skip: z.boolean().default(false),
  subject: z.string().min(1),
  /** The sign-in that the consent belongs to. */
  login_session_id: z.string().nullish(),
  client: RequestingClient,
  request_url: z.string().default(''),
})
export type ConsentRequest = z.infer<typeof ConsentRequest>

/** What is granted, and what goes into the tokens (contracts of the Hydra wire, section 2.4). */
export interface ConsentAcceptance {
  grant_scope: readonly string[]
  grant_access_token_audience: readonly string[]
  remember: boolean
  /** Seconds; 0 is for good. */
  remember_for: number
  /** Not remembered by the server: to be sent with every accept. */
  session: { access_token: Record<string, unknown>; id_token: Record<string, unknown> }
}

/** The consent request of a challenge. Throws the `upstream_*` errors and `not_configured`. */
export async function getConsentRequest(oauthAdmin: Upstream, challenge: string) {
  return processConsentRequest(oauthAdmin, await callChallenge(oauthAdmin, { kind: 'consent', challenge }))
}

export function processConsentRequest(
  oauthAdmin: Upstream,
  answer: UpstreamAnswer,
): { outcome: 'found'; request: ConsentRequest } | Ended {
  return processRequest(ConsentRequest, oauthAdmin, answer)
}

/** Grants. Throws as `getConsentRequest`. */
export async function acceptConsent(
  oauthAdmin: Upstream,
  challenge: string,
  acceptance: ConsentAcceptance,
): Promise<Accepted> {
  const target = { kind: 'consent', challenge, verb: 'accept' } as const
  return processAccepted(oauthAdmin, await callChallenge(oauthAdmin, target, { json: acceptance }))
}

/** Denies; the application gets the error. Throws as `getConsentRequest`. */
export async function rejectConsent(
  oauthAdmin: Upstream,
  challenge: string,
  refusing: Refusing,
): Promise<Accepted> {
  const target = { kind: 'consent', challenge, verb: 'reject' } as const
  return processAccepted(oauthAdmin, await callChallenge(oauthAdmin, target, { json: refusing }))
}
