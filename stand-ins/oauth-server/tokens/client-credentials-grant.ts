// The client credentials grant: a token for the client itself. RFC 6749 §4.4.

import { type Client, isPublicClient } from '../clients/client-record.ts'
import { rightsFault } from '../flow/authorization-request.ts'
import { invalidGrant } from '../flow/oauth-errors.ts'
import { words } from '../flow/scope-matching.ts'
import { lifespanSeconds } from './lifespans.ts'
import { requireGrantType, type TokenAnswer } from './token-answer.ts'
import type { TokenDeps } from './token-deps.ts'

/** Issues an access token for exactly the scopes and audiences that are asked for. */
export async function grantClientCredentials(
  deps: TokenDeps,
  client: Client,
  fields: URLSearchParams,
): Promise<TokenAnswer> {
  const [scope, audience] = [words(fields.get('scope')), words(fields.get('audience'))]
  const fault = rightsFault(client, scope, audience)
  if (fault) throw fault
  if (isPublicClient(client)) throw invalidGrant('A public client has no tokens of its own.')
  requireGrantType(client, 'client_credentials')
  const lifespan = lifespanSeconds(client, 'client_credentials', 'access_token', deps.settings.ttlSeconds)
  const grant = { subject: client.client_id, scope, audience, extra: {} }
  const token = await deps.tokens.issueAccessToken(client, grant, lifespan)
  return {
    access_token: token.value,
    expires_in: token.expiresInSeconds,
    scope: scope.join(' '),
    token_type: 'bearer',
  }
}
