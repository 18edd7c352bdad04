// The refresh token grant with rotation: each refresh ends the refresh token and the access tokens before it. RFC 6749
// §6. A refresh token that comes twice was stolen from somebody, so everything of its grant ends (RFC 9700 §4.14.2).

import type { Client } from '../clients/client-record.ts'
import { rightsFault } from '../flow/authorization-request.ts'
import { invalidGrant, invalidRequest } from '../flow/oauth-errors.ts'
import { answerTokens, requireGrantType, type TokenAnswer } from './token-answer.ts'
import type { TokenDeps } from './token-deps.ts'

/** Exchanges a refresh token for new tokens of the same consent; a narrower `scope` is not looked at, as in Hydra. */
export async function refreshTokens(
  deps: TokenDeps,
  client: Client,
  fields: URLSearchParams,
): Promise<TokenAnswer> {
  const { tokenStore } = deps
  requireGrantType(client, 'refresh_token')
  const value = fields.get('refresh_token') ?? ''
  const refresh = await tokenStore.find('refresh', value)
  const consent = refresh?.consentRequestId ? await deps.consents.find(refresh.consentRequestId) : undefined
  if (!refresh || !consent) throw invalidGrant('The refresh token is malformed or not valid.')
  if (refresh.wasUsed) {
    await tokenStore.endTokensOf(consent.consentRequestId)
    throw invalidGrant('The refresh token was already used.')
  }
  if (refresh.expiresAt * 1000 <= deps.now()) throw invalidGrant('The refresh token expired.')
  if (refresh.clientId !== client.client_id) throw invalidGrant('The refresh token is of another client.')
  // What the client may ask for can have shrunk since, and a consent may have granted more than that.
  const fault = rightsFault(client, consent.grantedScope, consent.grantedAudience)
  if (fault) throw fault
  if (!(await tokenStore.use('refresh', value)))
    throw invalidRequest('The refresh token was used by another request at the same time.')
  await tokenStore.endTokensOf(consent.consentRequestId, ['access'])
  return answerTokens(deps, client, consent, 'refresh_token')
}
