// Ends one token. The OAuth2 server has no such call for administrators, so this is a ladder: the narrowest way that
// the token allows first, and the next one while the server still calls the token active.

import type { Upstream } from '../../../clients/http.ts'
import { type ActiveToken, introspectToken } from '../../../clients/oauth-server/introspection.ts'
import { deleteConsents } from '../../../clients/oauth-server/sessions.ts'
import { deleteAccessTokensOfClient, revokePublicToken } from '../../../clients/oauth-server/tokens.ts'
import { DomainError } from '../../../errors.ts'
import { type AuditDeps, audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import { findOwnClient, type OAuthClientDeps } from '../clients/own-client.ts'
import { type AccessTokenRules, isJwt, verifyAccessToken } from '../end-user/access-token.ts'
import type { EndUserTokens } from '../end-user/opaque-token.ts'
import { findOwnToken } from './introspect-token.ts'
import type { Revocation } from './schemas.ts'

export interface RevokeTokenDeps extends OAuthClientDeps, AuditDeps {
  upstreams: { oauthAdmin: Upstream; oauthPublic: Upstream }
  endUserTokens: EndUserTokens
  /** Undefined where this deployment cannot verify JWTs. */
  accessTokenRules: AccessTokenRules | undefined
}

/** What is known of a token that is to end. */
type TokenFacts = Pick<ActiveToken, 'client_id' | 'sub' | 'ext' | 'token_use'>

/** One way to end a token, and what else ends with it. */
interface Rung {
  scope: Exclude<Revocation['scope'], 'none'>
  /** False when the server does not take it this way. */
  climb: () => Promise<boolean>
}

const NOTHING: Revocation = { revoked: false, scope: 'none' }

/**
 * Ends a token and says what ended with it; a token that is not active is none to end (RFC 7009 section 2.2). Throws
 * `upstream_invalid_answer` when the server still calls the token active after every way that there is.
 */
export async function revokeToken(deps: RevokeTokenDeps, token: string, caller: Caller): Promise<Revocation> {
  const active = await findOwnToken(deps, token)
  if (active !== undefined) {
    const rungs = await ladder(deps, token, active)
    return end(deps, caller, active, () => climb(deps, token, rungs))
  }
  const verified = await findVerifiedJwt(deps, token)
  if (verified === undefined) return NOTHING
  const rung = grantRung(deps, verified)
  if (rung === undefined) return NOTHING
  return end(deps, caller, verified, () => rung.climb().then(() => rung.scope))
}

function end(
  deps: RevokeTokenDeps,
  caller: Caller,
  { client_id, sub: subject, token_use }: TokenFacts,
  work: () => Promise<Rung['scope']>,
): Promise<Revocation> {
  const change = { targetKind: 'oauth_client', targetId: client_id }
  return audited(deps, caller, change, async () => {
    const scope = await work().finally(deps.endUserTokens.forget)
    return { result: { revoked: true, scope }, after: { scope, subject, token_use: token_use ?? null } }
  })
}

/**
 * The facts of an access token of ours that only others call good. The server itself reads back what its newest key
 * signed, and with the client's strategy of now; everybody else takes what the published keys verify. Whoever made up
 * such a token ends nothing: its signature is checked, its issuer and its time, as beside an API key.
 */
async function findVerifiedJwt(deps: RevokeTokenDeps, token: string): Promise<TokenFacts | undefined> {
  if (deps.accessTokenRules === undefined || !isJwt(token)) return undefined
  const rules = { ...deps.accessTokenRules, audience: undefined }
  const endUser = await verifyAccessToken(rules, token).catch(err => {
    if (err instanceof DomainError && err.code === 'invalid_access_token') return undefined
    throw err
  })
  if (endUser === undefined) return undefined
  const { client_id, ext } = endUser.claims
  if (typeof client_id !== 'string' || (await findOwnClient(deps, client_id)) === undefined) return undefined
  const marks = typeof ext === 'object' && ext !== null ? { ...ext } : undefined
  return { client_id, sub: endUser.subject, ext: marks, token_use: 'access_token' }
}

async function climb(
  { upstreams }: RevokeTokenDeps,
  token: string,
  rungs: readonly Rung[],
): Promise<Rung['scope']> {
  for (const rung of rungs) {
    if (!(await rung.climb())) continue
    if (!(await isStillActive(upstreams.oauthAdmin, token))) return rung.scope
  }
  throw new DomainError(
    'upstream_invalid_answer',
    'The OAuth2 server still calls the token active after it was told to revoke it.',
    { detail: 'oauth_server', hint: 'Revoke the consents of the person, or delete the client.' },
  )
}

/** Asks after a revocation was sent: without an answer nobody knows what came of it. */
async function isStillActive(oauthAdmin: Upstream, token: string): Promise<boolean> {
  try {
    return (await introspectToken(oauthAdmin, token)) !== undefined
  } catch (cause) {
    if (!(cause instanceof DomainError)) throw cause
    const { code, message, detail } = cause
    throw new DomainError(code, message, {
      detail,
      hint: 'The token may be revoked: introspect it before you try again.',
      cause: cause.cause,
      outcomeUnknown: true,
    })
  }
}

/** The ways to end this token, the narrowest first. */
async function ladder(deps: RevokeTokenDeps, token: string, facts: ActiveToken): Promise<Rung[]> {
  const { oauthAdmin, oauthPublic } = deps.upstreams
  const { client_id: clientId } = facts
  const rungs: Rung[] = []
  const client = await findOwnClient(deps, clientId)
  if (client?.token_endpoint_auth_method === 'none')
    rungs.push({ scope: 'grant', climb: () => revokePublicToken(oauthPublic, { clientId, token }) })
  const byRequest = consentRung(deps, facts)
  if (byRequest !== undefined) rungs.push(byRequest)
  const byPerson = personRung(deps, facts)
  // A person's token never costs all persons theirs.
  rungs.push(
    byPerson ?? { scope: 'client', climb: () => done(deleteAccessTokensOfClient(oauthAdmin, clientId)) },
  )
  return rungs
}

/**
 * The narrowest way that needs no answer of the server about the token; undefined for a client's own, with which
 * nothing else would end.
 */
function grantRung(deps: RevokeTokenDeps, facts: TokenFacts): Rung | undefined {
  return consentRung(deps, facts) ?? personRung(deps, facts)
}

function consentRung({ upstreams }: RevokeTokenDeps, facts: TokenFacts): Rung | undefined {
  const consent_request_id = consentRequestIdOf(facts)
  if (consent_request_id === undefined) return undefined
  return { scope: 'grant', climb: () => done(deleteConsents(upstreams.oauthAdmin, { consent_request_id })) }
}

/** Undefined for a client's own token, whose subject is the client. */
function personRung({ upstreams }: RevokeTokenDeps, { client_id, sub }: TokenFacts): Rung | undefined {
  if (sub === '' || sub === client_id) return undefined
  const choice = { subject: sub, client: client_id }
  return { scope: 'subject_and_client', climb: () => done(deleteConsents(upstreams.oauthAdmin, choice)) }
}

function done(work: Promise<void>): Promise<true> {
  return work.then(() => true)
}

/** The mark that the consent bridge leaves in each token, by which exactly its grant can be deleted. */
function consentRequestIdOf({ ext }: TokenFacts): string | undefined {
  const mark = ext?.['consent_request_id']
  return typeof mark === 'string' && /^[\w-]{1,100}$/.test(mark) ? mark : undefined
}
