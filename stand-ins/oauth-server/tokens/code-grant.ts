// The authorization code grant. RFC 6749 §4.1.3, RFC 7636 §4.6. A code that comes twice ends the tokens of its first
// use.

import { type Client, isPublicClient } from '../clients/client-record.ts'
import { invalidGrant } from '../flow/oauth-errors.ts'
import { verifierFault } from '../flow/pkce.ts'
import { AlreadyConsumedError } from '../provider/provider-adapter.ts'
import { answerTokens, requireGrantType, revokeTokens, type TokenAnswer } from './token-answer.ts'
import { parameter, type TokenDeps, type TokenParameters } from './token-deps.ts'

/** Exchanges a code for tokens. */
export async function exchangeCode(
  deps: TokenDeps,
  client: Client,
  params: TokenParameters,
): Promise<TokenAnswer> {
  requireGrantType(client, 'authorization_code')
  const code = await deps.provider.AuthorizationCode.find(parameter(params, 'code'), {
    ignoreExpiration: true,
  })
  const consent = code?.grantId ? await deps.consents.find(code.grantId) : undefined
  if (!code || !consent) throw invalidGrant()
  const refuseUsed = async () => {
    await revokeTokens(deps, consent.consentRequestId)
    return invalidGrant('The authorization code has already been used.')
  }
  if ('consumed' in code && code.consumed) throw await refuseUsed()
  if (code.isExpired) throw invalidGrant()
  if (code.clientId !== client.client_id) throw invalidGrant(OTHER_CLIENT)
  if (code.redirectUri && code.redirectUri !== parameter(params, 'redirect_uri')) {
    throw invalidGrant(OTHER_REDIRECT_URI)
  }
  const fault = verifierFault(parameter(params, 'code_verifier'), code.codeChallenge, isPublicClient(client))
  if (fault) {
    // A wrong verifier may be a guess: the code does not wait for the next one.
    if (code.codeChallenge !== undefined) await code.destroy()
    throw fault
  }
  await code.consume().catch(async (err: unknown) => {
    throw err instanceof AlreadyConsumedError ? await refuseUsed() : err
  })
  return answerTokens(deps, client, consent, 'authorization_code')
}

const OTHER_CLIENT =
  'The OAuth 2.0 Client ID from this request does not match the one from the authorize request.'
const OTHER_REDIRECT_URI =
  "The 'redirect_uri' from this request does not match the one from the authorize request."
