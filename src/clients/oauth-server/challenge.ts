// What the OAuth2 server's four kinds of requests (login, consent, device, logout) have in common: a challenge in the
// query, and the ways in which it can be no good (contracts of the Hydra wire, sections 2.3 to 2.6). A challenge is as
// good as a password for its flow: it goes nowhere but into this query.

import * as z from 'zod'
import {
  callUpstream,
  invalidAnswer,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
  unexpected,
} from '../http.ts'
import { refusalOf } from './refusal.ts'

/** Which request of the server's a challenge names. */
export type ChallengeKind = 'login' | 'consent' | 'device' | 'logout'

/**
 * Why a challenge is no good: unknown (or cut short on its way), too old, or answered before. For the last,
 * `redirectTo` is where the server sends a browser that comes again, absolute or relative to its public address.
 */
export type Ended =
  | { outcome: 'unknown' }
  | { outcome: 'expired' }
  | { outcome: 'used'; redirectTo: string | undefined }

/** An answer was taken, and the browser goes on at `redirectTo`. */
export type Accepted = { outcome: 'accepted'; redirectTo: string } | Ended

/** An address becomes a Location header, or one that a script goes on at: of the web, and as a browser writes it. */
const WebAddress = z.url({ protocol: /^https?$/ }).transform(url => new URL(url).href)
const RedirectTo = z.looseObject({ redirect_to: WebAddress })
const UsedRedirectTo = z.looseObject({ redirect_to: z.string().transform(onwardAddress) })

/** Reads a request, or answers it with `verb`. */
export async function callChallenge(
  oauthAdmin: Upstream,
  target: { kind: ChallengeKind; challenge: string; verb?: 'accept' | 'reject' },
  call: Pick<UpstreamCall, 'json'> = {},
): Promise<UpstreamAnswer> {
  const { kind, challenge, verb } = target
  return await callUpstream(oauthAdmin, {
    ...call,
    method: verb === undefined ? 'GET' : 'PUT',
    path: `/admin/oauth2/auth/requests/${kind}${verb === undefined ? '' : `/${verb}`}`,
    query: { [`${kind}_challenge`]: challenge },
  })
}

/**
 * How a challenge has ended, if this answer says so; undefined for any other answer. A 401 or 404 counts only in the
 * server's own words: a gateway's 401 is about our token, and a page with 404 is another server.
 */
export function endedOf(answer: UpstreamAnswer): Ended | undefined {
  if (answer.status === 410) {
    const parsed = UsedRedirectTo.safeParse(answer.json)
    return { outcome: 'used', redirectTo: parsed.success ? parsed.data.redirect_to : undefined }
  }
  const refusal = refusalOf(answer)
  if (answer.status === 404 && refusal !== undefined) return { outcome: 'unknown' }
  if (answer.status === 401 && refusal?.error === 'request_unauthorized') return { outcome: 'expired' }
  return undefined
}

/** The request in an answer, or how its challenge has ended. Throws the `upstream_*` errors. */
export function processRequest<Schema extends z.ZodType>(
  schema: Schema,
  oauthAdmin: Upstream,
  answer: UpstreamAnswer,
): { outcome: 'found'; request: z.output<Schema> } | Ended {
  const ended = endedOf(answer)
  if (ended !== undefined) return ended
  if (answer.status !== 200) throw unexpected(oauthAdmin, answer)
  const parsed = schema.safeParse(answer.json)
  if (!parsed.success) throw invalidAnswer(oauthAdmin, answer)
  return { outcome: 'found', request: parsed.data }
}

/**
 * Where the browser goes on after an accept or a reject, or how the challenge has ended. Throws the `upstream_*`
 * errors.
 */
export function processAccepted(oauthAdmin: Upstream, answer: UpstreamAnswer): Accepted {
  const ended = endedOf(answer)
  if (ended !== undefined) return ended
  if (answer.status !== 200) throw unexpected(oauthAdmin, answer)
  const parsed = RedirectTo.safeParse(answer.json)
  if (!parsed.success) throw invalidAnswer(oauthAdmin, answer)
  return { outcome: 'accepted', redirectTo: parsed.data.redirect_to }
}

/** An address of the web, or a path on the server itself; undefined for any other. */
function onwardAddress(address: string): string | undefined {
  if (!address.startsWith('/')) return WebAddress.safeParse(address).data
  const server = 'http://server.invalid'
  const url = URL.canParse(address, server) ? new URL(address, server) : undefined
  return url?.origin === server ? `${url.pathname}${url.search}${url.hash}` : undefined
}
