// The authorization code grant. RFC 6749 §4.1.3, RFC 7636 §4.6. A code that comes twice ends the tokens of its first
// use.

import { type Client, isPublicClient } from '../clients/client-record.ts'
import { invalidGrant } from '../flow/oauth-errors.ts'
import { verifierFault } from '../flow/pkce.ts'
import { answerTokens, requireGrantType, type TokenAnswer } from './token-answer.ts'
import type { TokenDeps } from './token-deps.ts'

/** Exchanges a code for tokens. */
export async function exchangeCode(
  deps: TokenDeps,
  client: Client,
  fields: URLSearchParams,
): Promise<TokenAnswer> {
  const { tokenStore } = deps
  requireGrantType(client, 'authorization_code')
  const value = fields.get('code') ?? ''
  const code = await tokenStore.find('code', value)
  const consent = code?.consentRequestId ? await deps.consents.find(code.consentRequestId) : undefined
  if (!code || !consent) throw invalidGrant()
  const refuseUsed = async () => {
    await tokenStore.endTokensOf(consent.consentRequestId)
    return invalidGrant('The authorization code has already been used.')
  }
  if (code.wasUsed) throw await refuseUsed()
  if (code.expiresAt * 1000 <= deps.now()) throw invalidGrant()
  if (code.clientId !== client.client_id) throw invalidGrant('The code is of another client.')
  if (code.redirectUri !== null && code.redirectUri !== fields.get('redirect_uri'))
    throw invalidGrant("The 'redirect_uri' is not the one of the authorize request.")
  const challenge = code.codeChallenge ?? undefined
  const fault = verifierFault(fields.get('code_verifier') ?? '', challenge, isPublicClient(client))
  if (fault) {
    // A wrong verifier may be a guess: the code does not wait for the next one.
    if (challenge !== undefined) await tokenStore.remove('code', value)
    throw fault
  }
  if (!(await tokenStore.use('code', value))) throw await refuseUsed()
  return answerTokens(deps, client, consent, 'authorization_code')
}
