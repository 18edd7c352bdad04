// The device grant: a device asks until its user has said yes elsewhere. RFC 8628 §3.4. A no never reaches the device,
// which hears `authorization_pending` until its code expires, as with Hydra.

import type { Client } from '../clients/client-record.ts'
import { authorizationPending, expiredToken, invalidGrant } from '../flow/oauth-errors.ts'
import { AlreadyConsumedError } from '../provider/provider-adapter.ts'
import { answerTokens, requireGrantType, type TokenAnswer } from './token-answer.ts'
import { parameter, type TokenDeps, type TokenParameters } from './token-deps.ts'

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Exchanges a device code whose user consented for tokens; the code is gone after that. */
export async function exchangeDeviceCode(
  deps: TokenDeps,
  client: Client,
  params: TokenParameters,
): Promise<TokenAnswer> {
  requireGrantType(client, DEVICE_GRANT)
  const code = await deps.provider.DeviceCode.find(parameter(params, 'device_code'), {
    ignoreExpiration: true,
  })
  if (!code) throw invalidGrant()
  if (code.isExpired) throw expiredToken()
  if (!code.grantId) throw authorizationPending()
  const consent = await deps.consents.find(code.grantId)
  if (!consent) throw invalidGrant()
  if (code.clientId !== client.client_id) {
    throw invalidGrant(
      'The OAuth 2.0 Client ID from this request does not match the one from the authorize request.',
    )
  }
  await code.consume().catch((err: unknown) => {
    throw err instanceof AlreadyConsumedError ? invalidGrant() : err
  })
  await code.destroy()
  return answerTokens(deps, client, consent, 'device_authorization')
}
