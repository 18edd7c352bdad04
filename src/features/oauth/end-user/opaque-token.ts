// The signed-in user of an application, from an opaque access token beside an API key: only the OAuth2 server can say
// whose it is. Its good answer is kept for a few seconds.

import type { ActiveToken } from '../../../clients/oauth-server/introspection.ts'
import { type Answer, FreshAnswers } from '../../../lib/fresh-answers.ts'
import { sha256Hex } from '../../../lib/hash.ts'
import { type EndUser, invalidAccessToken } from './access-token.ts'

/** How long a good answer counts: a token that was revoked elsewhere is refused at most so much later. */
const ANSWER_FRESH_MS = 10_000
const TOKENS_REMEMBERED_MAX = 10_000
const NOT_GOOD = 'It has expired or was revoked, or is not an access token for this service.'
/** What a bearer token is written in (RFC 6750 section 2.1), of a length that no server exceeds. */
const TOKEN = /^[\w.~+/-]{1,4096}=*$/

export interface OpaqueTokenRules {
  /** The token's facts; undefined when it is not active. */
  introspect: (token: string) => Promise<ActiveToken | undefined>
  /** Value that `aud` must hold; undefined accepts any. */
  audience: string | undefined
  now: () => Date
}

/** What whoever ends tokens is given: this isolate asks about every token again. */
export interface EndUserTokens {
  forget: () => void
}

/** Says whose an opaque access token is. One isolate's memory; only good answers are kept. */
export class OpaqueTokenGate {
  readonly #rules: OpaqueTokenRules
  /** By the hash of the token: the token itself is not kept. */
  readonly #answers: FreshAnswers<EndUser>

  constructor(rules: OpaqueTokenRules) {
    this.#rules = rules
    const { now } = rules
    this.#answers = new FreshAnswers({ freshMs: ANSWER_FRESH_MS, sizeMax: TOKENS_REMEMBERED_MAX, now })
  }

  /**
   * The token's user; of which client the token is, `claims.client_id` says. Throws `invalid_access_token`, and the
   * `upstream_*` errors when the OAuth2 server cannot be asked. Which check failed is not said: whoever found a token
   * must not learn what it is.
   */
  async enter(token: string): Promise<EndUser> {
    if (!TOKEN.test(token)) throw invalidAccessToken()
    return this.#answers.get(await sha256Hex(token), () => this.#ask(token))
  }

  /** To be called when tokens may have ended: those that are remembered count no longer in this isolate. */
  forget(): void {
    this.#answers.forget()
  }

  async #ask(token: string): Promise<Answer<EndUser>> {
    const { introspect, audience, now } = this.#rules
    const nowMs = now().getTime()
    const facts = await introspect(token)
    if (facts === undefined || !isGood(facts, audience, nowMs)) throw invalidAccessToken(NOT_GOOD)
    return { value: { subject: facts.sub, claims: claimsOf(facts) }, endsMs: expiresMs(facts) }
  }
}

/** An access token that names somebody, is for us, and is still good by our own clock. */
function isGood(facts: ActiveToken, audience: string | undefined, nowMs: number): boolean {
  const isForUs = audience === undefined || facts.aud.includes(audience)
  return facts.token_use === 'access_token' && facts.sub !== '' && isForUs && nowMs < expiresMs(facts)
}

/** A token whose end is not told never ends by our clock; the server is asked again all the same. */
function expiresMs({ exp }: ActiveToken): number {
  return exp === undefined ? Number.POSITIVE_INFINITY : exp * 1_000
}

/** What row-level security sees: these and no other, so that the answer's `role` or `username` says nothing here. */
function claimsOf({ sub, client_id, scope, exp, iat, aud, iss, ext }: ActiveToken): Record<string, unknown> {
  const claims = { sub, client_id, scope, exp, iat, aud, iss, ext: ext ?? {} }
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}
