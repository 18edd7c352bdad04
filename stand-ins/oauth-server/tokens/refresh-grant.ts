// The refresh token grant with rotation: each refresh ends the refresh token and the access tokens before it. RFC 6749
// §6. A refresh token that comes twice was stolen from somebody, so everything of its grant ends (RFC 9700 §4.14.2).

import type { Client } from '../clients/client-record.ts'
import { audienceNotAllowed, scopeNotAllowed } from '../flow/authorization-request.ts'
import { invalidGrant, invalidRequest } from '../flow/oauth-errors.ts'
import { coversAudience, coversScope, words } from '../flow/scope-matching.ts'
import { AlreadyConsumedError } from '../provider/provider-adapter.ts'
import type { ConsentRecord } from '../sessions/consent-store.ts'
import { answerTokens, requireGrantType, revokeTokens, type TokenAnswer } from './token-answer.ts'
import { parameter, type TokenDeps, type TokenParameters } from './token-deps.ts'

/** Exchanges a refresh token for new tokens of the same consent; a narrower `scope` is not looked at, as in Hydra. */
export async function refreshTokens(
  deps: TokenDeps,
  client: Client,
  params: TokenParameters,
): Promise<TokenAnswer> {
  requireGrantType(client, 'refresh_token')
  const refresh = await deps.provider.RefreshToken.find(parameter(params, 'refresh_token'), {
    ignoreExpiration: true,
  })
  const consent = refresh?.grantId ? await deps.consents.find(refresh.grantId) : undefined
  if (!refresh || !consent) throw invalidGrant('The refresh token is malformed or not valid.')
  if (refresh.consumed) {
    await revokeTokens(deps, consent.consentRequestId)
    throw invalidGrant('The refresh token was already used.')
  }
  if (refresh.isExpired) throw invalidGrant('The refresh token expired.')
  if (refresh.clientId !== client.client_id) throw invalidGrant(OTHER_CLIENT)
  checkStillAllowed(client, consent)
  await refresh.consume().catch((err: unknown) => {
    throw err instanceof AlreadyConsumedError ? invalidRequest(CONCURRENT) : err
  })
  await deps.provider.AccessToken.revokeByGrantId(consent.consentRequestId)
  return answerTokens(deps, client, consent, 'refresh_token')
}

/** What the client may ask for can have shrunk since, and a consent may have granted more than that. */
function checkStillAllowed(client: Client, { grantedScope, grantedAudience }: ConsentRecord): void {
  const scope = grantedScope.find(granted => !coversScope(words(client.scope), granted))
  if (scope !== undefined) throw scopeNotAllowed(scope)
  const audience = grantedAudience.find(granted => !coversAudience(client.audience ?? [], granted))
  if (audience !== undefined) throw audienceNotAllowed(audience)
}

const OTHER_CLIENT =
  'The OAuth 2.0 Client ID from this request does not match the ID during the initial token issuance.'
const CONCURRENT =
  'Failed to refresh token because of multiple concurrent requests using the same token. Please retry the request.'
