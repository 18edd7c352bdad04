// What a token is good for. Only tokens of our own clients are told of: the OAuth2 server may have others' too.

import { type ActiveToken, introspectToken } from '../../../clients/oauth-server/introspection.ts'
import { findOwnClient, type OAuthClientDeps } from '../clients/own-client.ts'
import type { Introspection } from './schemas.ts'

/** The token's facts, or inactive: for one that is expired, revoked, garbage or another owner's. */
export async function introspectOwnToken(deps: OAuthClientDeps, token: string): Promise<Introspection> {
  const facts = await findOwnToken(deps, token)
  if (facts === undefined) return { active: false }
  const { sub, client_id, scope, exp, iat, token_type, token_use } = facts
  return { active: true, sub, client_id, scope, exp, iat, token_type, token_use }
}

/** All that the server says of an active token of ours; undefined for every other. */
export async function findOwnToken(deps: OAuthClientDeps, token: string): Promise<ActiveToken | undefined> {
  const facts = await introspectToken(deps.upstreams.oauthAdmin, token)
  // Without an owner every client is ours, and nobody needs to be asked.
  if (facts === undefined || deps.config.oauthClientOwner === undefined) return facts
  return (await findOwnClient(deps, facts.client_id)) === undefined ? undefined : facts
}
