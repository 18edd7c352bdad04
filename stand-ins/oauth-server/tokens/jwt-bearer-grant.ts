// The JWT bearer grant. RFC 7523 §2.1. This server trusts no issuers of such assertions, so it refuses each of them:
// with the words that a client hears from a Hydra that trusts none either.

import type { Client } from '../clients/client-record.ts'
import { invalidGrant, invalidRequest } from '../flow/oauth-errors.ts'
import { requireGrantType, type TokenAnswer } from './token-answer.ts'
import { parameter, type TokenDeps, type TokenParameters } from './token-deps.ts'

export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Always throws. */
export async function refuseAssertion(
  _deps: TokenDeps,
  client: Client,
  params: TokenParameters,
): Promise<TokenAnswer> {
  requireGrantType(client, JWT_BEARER_GRANT)
  if (!parameter(params, 'assertion')) {
    throw invalidRequest(
      `The assertion request parameter must be set when using grant_type of '${JWT_BEARER_GRANT}'.`,
    )
  }
  throw invalidGrant('No public JWK that would verify this assertion is registered.')
}
