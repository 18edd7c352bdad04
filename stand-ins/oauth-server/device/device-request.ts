// What a device may ask for, and the answer it gets with its codes. RFC 8628 §3.1 and §3.2. oidc-provider authenticates
// the client and makes the device code; the user code and the rules for scopes and audiences are Hydra's.

import { grantTypesOf } from '../clients/client-record.ts'
import type { OAuthServerContext } from '../context.ts'
import { audienceNotAllowed, scopeNotAllowed } from '../flow/authorization-request.ts'
import { invalidGrant, invalidRequest } from '../flow/oauth-errors.ts'
import { coversAudience, coversScope, words } from '../flow/scope-matching.ts'
import { DEVICE_VERIFICATION_PATH, type DeviceRequestCheck } from '../provider/provider.ts'
import { setUserCode } from '../provider/provider-adapter.ts'
import { DEVICE_GRANT } from '../tokens/device-grant.ts'
import { newUserCode } from '../tokens/token-values.ts'
import type { HydraError } from '../wire/hydra-error.ts'

/** Throws what a client may not ask for on a device. */
export function makeDeviceRequestCheck({ clients }: Pick<OAuthServerContext, 'clients'>): DeviceRequestCheck {
  return async (clientId, form) => {
    const client = await clients.get(clientId)
    if (!grantTypesOf(client).includes(DEVICE_GRANT)) {
      throw invalidGrant(`The requested OAuth 2.0 Client does not have the '${DEVICE_GRANT}' grant.`)
    }
    const scope = words(text(form['scope'])).find(asked => !coversScope(words(client.scope), asked))
    if (scope !== undefined) throw scopeNotAllowed(scope)
    const audience = words(text(form['audience'])).find(
      asked => !coversAudience(client.audience ?? [], asked),
    )
    if (audience !== undefined) throw audienceNotAllowed(audience)
  }
}

/**
 * The library's answer with the addresses of the public port, and what Hydra adds to it (`Header` is a slip of its).
 */
export async function deviceAnswer(
  { addresses, settings, database }: Pick<OAuthServerContext, 'addresses' | 'settings' | 'database'>,
  answer: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const userCode = newUserCode()
  await setUserCode(database, text(answer['device_code']), userCode)
  const verification = `${addresses.public}${DEVICE_VERIFICATION_PATH}`
  return {
    Header: null,
    ...answer,
    user_code: userCode,
    verification_uri: verification,
    verification_uri_complete: `${verification}?user_code=${userCode}`,
    interval: settings.ttlSeconds.devicePollingInterval,
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The refusal of a user code that is unknown, expired or used. */
export function expiredUserCode(): HydraError {
  return invalidRequest(
    "The 'user_code' session could not be found or has expired or is otherwise malformed.",
  )
}
