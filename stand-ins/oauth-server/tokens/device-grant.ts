// The device grant: a device asks until its user has said yes elsewhere. RFC 8628 §3.4. A no never reaches the device,
// which hears `authorization_pending` until its code expires, as with Hydra.

import type { Client } from '../clients/client-record.ts'
import { authorizationPending, expiredToken, invalidGrant } from '../flow/oauth-errors.ts'
import { answerTokens, requireGrantType, type TokenAnswer } from './token-answer.ts'
import type { TokenDeps } from './token-deps.ts'

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Exchanges a device code whose user consented for tokens; the code is gone after that. */
export async function exchangeDeviceCode(
  deps: TokenDeps,
  client: Client,
  fields: URLSearchParams,
): Promise<TokenAnswer> {
  requireGrantType(client, DEVICE_GRANT)
  const value = fields.get('device_code') ?? ''
  const code = await deps.tokenStore.find('device', value)
  if (!code) throw invalidGrant()
  if (code.expiresAt * 1000 <= deps.now()) throw expiredToken()
  if (code.consentRequestId === null) throw authorizationPending()
  const consent = await deps.consents.find(code.consentRequestId)
  if (!consent || code.clientId !== client.client_id) throw invalidGrant()
  if (!(await deps.tokenStore.use('device', value))) throw invalidGrant()
  await deps.tokenStore.remove('device', value)
  return answerTokens(deps, client, consent, 'device_authorization')
}
