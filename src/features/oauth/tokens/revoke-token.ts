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
import type { EndUserTokens } from '../end-user/opaque-token.ts'
import { findOwnToken } from './introspect-token.ts'
import type { Revocation } from './schemas.ts'

export interface RevokeTokenDeps extends OAuthClientDeps, AuditDeps {
  upstreams: { oauthAdmin: Upstream; oauthPublic: Upstream }
  endUserTokens: EndUserTokens
}

/** One way to end a token, and what else ends with it. */
interface Rung {
  scope: Exclude<Revocation['scope'], 'none'>
  /** False when the server does not take it this way. */
  climb: () => Promise<boolean>
}

/**
 * Ends a token and says what ended with it; a token that is not active is none to end (RFC 7009 section 2.2). Throws
 * `upstream_invalid_answer` when the server still calls the token active after every way that there is.
 */
export async function revokeToken(deps: RevokeTokenDeps, token: string, caller: Caller): Promise<Revocation> {
  const facts = await findOwnToken(deps, token)
  if (facts === undefined) return { revoked: false, scope: 'none' }
  const rungs = await ladder(deps, token, facts)
  const change = { action: 'tokens.revoke', targetKind: 'oauth_client', targetId: facts.client_id }
  return audited(deps, caller, change, async () => {
    const scope = await climb(deps, token, rungs).finally(deps.endUserTokens.forget)
    const after = { scope, subject: facts.sub, token_use: facts.token_use ?? null }
    return { result: { revoked: true, scope }, after }
  })
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
  const { client_id: clientId, sub: subject } = facts
  const done = (work: Promise<void>) => work.then(() => true)
  const rungs: Rung[] = []
  const client = await findOwnClient(deps, clientId)
  if (client?.token_endpoint_auth_method === 'none')
    rungs.push({ scope: 'grant', climb: () => revokePublicToken(oauthPublic, { clientId, token }) })
  const consentRequestId = consentRequestIdOf(facts)
  if (consentRequestId !== undefined) {
    const choice = { consent_request_id: consentRequestId }
    rungs.push({ scope: 'grant', climb: () => done(deleteConsents(oauthAdmin, choice)) })
  }
  // The subject of a client's own tokens is the client. A person's token never costs all persons theirs.
  const isOwnToken = subject === '' || subject === clientId
  rungs.push(
    isOwnToken
      ? { scope: 'client', climb: () => done(deleteAccessTokensOfClient(oauthAdmin, clientId)) }
      : {
          scope: 'subject_and_client',
          climb: () => done(deleteConsents(oauthAdmin, { subject, client: clientId })),
        },
  )
  return rungs
}

/** The mark that the consent bridge leaves in each token, by which exactly its grant can be deleted. */
function consentRequestIdOf({ ext }: ActiveToken): string | undefined {
  const mark = ext?.['consent_request_id']
  return typeof mark === 'string' && /^[\w-]{1,100}$/.test(mark) ? mark : undefined
}
