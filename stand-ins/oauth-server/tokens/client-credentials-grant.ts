// The client credentials grant: a token for the client itself. RFC 6749 §4.4.

import { type Client, isPublicClient } from '../clients/client-record.ts'
import { audienceNotAllowed, scopeNotAllowed } from '../flow/authorization-request.ts'
import { invalidGrant } from '../flow/oauth-errors.ts'
import { coversAudience, coversScope, words } from '../flow/scope-matching.ts'
import { lifespanSeconds } from './lifespans.ts'
import { requireGrantType, type TokenAnswer } from './token-answer.ts'
import { parameter, type TokenDeps, type TokenParameters } from './token-deps.ts'

/** Issues an access token for exactly the scopes and audiences that are asked for. */
export async function grantClientCredentials(
  deps: TokenDeps,
  client: Client,
  params: TokenParameters,
): Promise<TokenAnswer> {
  const scopes = words(parameter(params, 'scope'))
  const audience = words(parameter(params, 'audience'))
  const scope = scopes.find(asked => !coversScope(words(client.scope), asked))
  if (scope !== undefined) throw scopeNotAllowed(scope)
  const foreign = audience.find(asked => !coversAudience(client.audience ?? [], asked))
  if (foreign !== undefined) throw audienceNotAllowed(foreign)
  if (isPublicClient(client)) throw invalidGrant(PUBLIC_CLIENT)
  requireGrantType(client, 'client_credentials')

  const lifespan = lifespanSeconds(client, 'client_credentials', 'access_token', deps.settings.ttlSeconds)
  const grant = { subject: client.client_id, scope: scopes, audience, extra: {} }
  const token = await deps.tokens.issueAccessToken(client, grant, lifespan)
  return {
    access_token: token.value,
    expires_in: token.expiresInSeconds,
    scope: scopes.join(' '),
    token_type: 'bearer',
  }
}

const PUBLIC_CLIENT =
  "The OAuth 2.0 Client is marked as public and is thus not allowed to use authorization grant 'client_credentials'."
