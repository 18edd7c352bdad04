// What a device may ask for, and its two ends: the codes that it gets (RFC 8628 §3.1, §3.2), and the page for user
// codes, which hands in what its user has typed.

import { readJson } from '../../service/json-body.ts'
import type { ServiceApp } from '../../service/listen.ts'
import { type Client, clientAnswer, grantTypesOf } from '../clients/client-record.ts'
import { rightsFault } from '../flow/authorization-request.ts'
import type { FlowDeps } from '../flow/flow-deps.ts'
import type { FlowRequest } from '../flow/flow-state.ts'
import { invalidGrant, invalidRequest } from '../flow/oauth-errors.ts'
import { withQuery } from '../flow/query.ts'
import { words } from '../flow/scope-matching.ts'
import { DeviceAcceptIn } from '../flow/step-answers.ts'
import { redirectTo } from '../flow/step-routes.ts'
import { DEVICE_GRANT } from '../tokens/device-grant.ts'
import type { TokenDeps } from '../tokens/token-deps.ts'
import { newUserCode, opaqueValue } from '../tokens/token-values.ts'
import type { HydraError } from '../wire/hydra-error.ts'

export const DEVICE_VERIFICATION_PATH = '/oauth2/device/verify'

/** Makes the codes of a device; throws what its client may not ask for. `Header` is a slip of Hydra's. */
export async function beginDevice(deps: TokenDeps, client: Client, fields: URLSearchParams) {
  if (!grantTypesOf(client).includes(DEVICE_GRANT))
    throw invalidGrant(`The requested OAuth 2.0 Client does not have the '${DEVICE_GRANT}' grant.`)
  const [scope, audience] = [words(fields.get('scope')), words(fields.get('audience'))]
  const fault = rightsFault(client, scope, audience)
  if (fault) throw fault
  const { deviceUserCode: lifespan, devicePollingInterval: interval } = deps.settings.ttlSeconds
  const issuedAt = Math.floor(deps.now() / 1000)
  const [deviceCode, userCode] = [opaqueValue('device'), newUserCode()]
  const times = { issuedAt, expiresAt: issuedAt + lifespan }
  const clientId = client.client_id
  await deps.tokenStore.insert('device', deviceCode, { clientId, scope, audience, userCode, ...times })
  const verification = `${deps.addresses.public}${DEVICE_VERIFICATION_PATH}`
  return {
    Header: null,
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: verification,
    verification_uri_complete: `${verification}?user_code=${userCode}`,
    expires_in: lifespan,
    interval,
  }
}

export function addDeviceRequestRoutes(app: ServiceApp, deps: FlowDeps): void {
  app.put('/admin/oauth2/auth/requests/device/accept', async c => {
    const challenge = c.req.query('device_challenge')
    if (!challenge) throw invalidRequest("Query parameter 'device_challenge' is not defined.")
    const { user_code: userCode } = readJson(await c.req.text(), DeviceAcceptIn, invalidRequest)
    if (userCode === '') throw invalidRequest("Field 'user_code' must not be empty.")
    const step = deps.challenges.openChallenge('device challenge', challenge)
    const request = await requestOf(deps, step.requestUrl, userCode)
    const verifier = deps.challenges.seal('device verifier', { step, request })
    return redirectTo(c, withQuery(request.requestUrl, { device_verifier: verifier }))
  })
}

/** What the device with this user code asked for. Throws for codes that are unknown, expired or used. */
async function requestOf(deps: FlowDeps, requestUrl: string, userCode: string): Promise<FlowRequest> {
  const code = await deps.tokenStore.findDevice(userCode)
  const isWaiting = code && code.consentRequestId === null && code.expiresAt * 1000 > deps.now()
  const client = isWaiting ? await deps.clients.find(code.clientId) : undefined
  if (!code || !client) throw expiredUserCode()
  return {
    requestedAt: deps.nowSeconds(),
    requestUrl: withQuery(requestUrl, { client_id: client.client_id }),
    client: clientAnswer(client),
    requestedScope: code.scope,
    requestedAudience: code.audience,
    oidcContext: null,
    userCode,
  }
}

/** The refusal of a user code that is unknown, expired or used. */
export function expiredUserCode(): HydraError {
  return invalidRequest("The 'user_code' could not be found, has expired or is otherwise malformed.")
}
