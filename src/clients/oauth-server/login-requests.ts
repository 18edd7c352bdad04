// Login requests of the OAuth2 server's admin API: somebody has to be named as the one who signs in.

import * as z from 'zod'
import type { Upstream, UpstreamAnswer } from '../http.ts'
import { type Accepted, callChallenge, type Ended, processAccepted, processRequest } from './challenge.ts'
import { type Refusing, RequestingClient } from './request-parts.ts'

const LoginRequest = z.looseObject({
  /** True: the server remembers who signed in here before, as `subject`. */
  skip: z.boolean().default(false),
  subject: z.string().default(''),
  /** The login session that this sign-in belongs to; with `skip` the remembered one. */
  session_id: z.string().default(''),
  client: RequestingClient,
  /** The address that the browser came to the server with; `prompt` and `max_age` stand only here. */
  request_url: z.string().default(''),
})
export type LoginRequest = z.infer<typeof LoginRequest>

/** Who signed in, and how (contracts of the Hydra wire, section 2.3). */
export interface LoginAcceptance {
  subject: string
  /** Without it logout notifications do nothing. */
  remember: boolean
  /** Seconds; 0 is the server's own lifespan of a session. */
  remember_for: number
  acr?: string | undefined
  amr: readonly string[]
  identity_provider_session_id: string
}

/** The login request of a challenge. Throws the `upstream_*` errors and `not_configured`. */
export async function getLoginRequest(oauthAdmin: Upstream, challenge: string) {
  return processLoginRequest(oauthAdmin, await callChallenge(oauthAdmin, { kind: 'login', challenge }))
}

export function processLoginRequest(
  oauthAdmin: Upstream,
  answer: UpstreamAnswer,
): { outcome: 'found'; request: LoginRequest } | Ended {
  return processRequest(LoginRequest, oauthAdmin, answer)
}

/** Says who signed in. Safe to repeat. Throws as `getLoginRequest`. */
export async function acceptLogin(
  oauthAdmin: Upstream,
  challenge: string,
  acceptance: LoginAcceptance,
): Promise<Accepted> {
  const target = { kind: 'login', challenge, verb: 'accept' } as const
  return processAccepted(oauthAdmin, await callChallenge(oauthAdmin, target, { json: acceptance }))
}

/** Says that nobody signs in; the application gets the error. Throws as `getLoginRequest`. */
export async function rejectLogin(
  oauthAdmin: Upstream,
  challenge: string,
  refusing: Refusing,
): Promise<Accepted> {
  const target = { kind: 'login', challenge, verb: 'reject' } as const
  return processAccepted(oauthAdmin, await callChallenge(oauthAdmin, target, { json: refusing }))
}
