// `GET /oauth2/device/verify`: where the user of a device goes. First to the page for the user code, then through login
// and consent as any authorization. At the end the waiting device is let in. RFC 8628 §3.3.

import type { Client } from '../clients/client-record.ts'
import type { RequestContext } from '../context.ts'
import { askForConsent, takeConsent } from '../flow/consent-step.ts'
import type { FlowDeps } from '../flow/flow-deps.ts'
import type { FlowRequest } from '../flow/flow-state.ts'
import { askForLogin, checkCsrf, randomId, takeLogin } from '../flow/login-step.ts'
import { invalidClient } from '../flow/oauth-errors.ts'
import { encodeQuery, withQuery } from '../flow/query.ts'
import { DEVICE_VERIFICATION_PATH, expiredUserCode } from './device-request.ts'

/** Hydra never reads the form of this address: `prompt`, `max_age` and `id_token_hint` in it do nothing. */
const NO_PARAMETERS = new URLSearchParams()

/** Takes one step of a device's authorization. Refusals are answered as JSON: there is no client to send them to. */
export async function verifyDevice(deps: FlowDeps, c: RequestContext): Promise<Response> {
  const query = new URL(c.req.url).searchParams
  const verifierOf = (name: string) => query.get(name)?.trim() || undefined
  const deviceVerifier = verifierOf('device_verifier')
  const loginVerifier = verifierOf('login_verifier')
  const consentVerifier = verifierOf('consent_verifier')
  if (!deviceVerifier && !loginVerifier && !consentVerifier) return askForUserCode(deps, c, query)

  const isDeviceStep = deviceVerifier && !loginVerifier && !consentVerifier
  const request = isDeviceStep ? takeUserCode(deps, c, deviceVerifier) : undefined
  const client = await clientOf(deps, query)
  const question = { form: NO_PARAMETERS, client, redirectUri: undefined }
  if (loginVerifier) {
    return askForConsent(deps, c, question, await takeLogin(deps, c, question, loginVerifier))
  }
  if (consentVerifier) {
    const { step, consent } = await takeConsent(deps, c, question, consentVerifier)
    const isLetIn = await deps.tokenStore.letDeviceIn(step.request.userCode ?? '', consent.consentRequestId)
    if (!isLetIn) throw expiredUserCode()
    return c.redirect(withQuery(deps.addresses.deviceSuccess, { client_id: client.client_id }))
  }
  // Without a login or consent verifier there is a device verifier, and with it the request.
  return request ? askForLogin(deps, c, question, request) : askForUserCode(deps, c, query)
}

function askForUserCode(deps: FlowDeps, c: RequestContext, query: URLSearchParams): Response {
  const step = { requestedAt: deps.nowSeconds(), requestUrl: ownUrl(deps, query), csrf: randomId() }
  deps.cookies.setCsrf(c, 'device', step.csrf, deps.settings.ttlSeconds.loginConsentRequest)
  const userCode = query.get('user_code')
  return c.redirect(
    withQuery(deps.addresses.deviceVerification, {
      device_challenge: deps.challenges.seal('device challenge', step),
      ...(userCode === null ? {} : { user_code: userCode }),
    }),
  )
}

/** This address without the user code, which nobody who sees the request later needs to know. */
function ownUrl(deps: FlowDeps, query: URLSearchParams): string {
  const shown = [...new Set(query.keys())].map(name => [
    name,
    name.toLowerCase() === 'user_code' ? '****' : query.getAll(name),
  ])
  const own = `${deps.addresses.public}${DEVICE_VERIFICATION_PATH}`
  return shown.length ? `${own}?${encodeQuery(Object.fromEntries(shown))}` : own
}

function takeUserCode(deps: FlowDeps, c: RequestContext, verifier: string): FlowRequest {
  const { step, request } = deps.challenges.openVerifier('device verifier', verifier)
  checkCsrf(deps.cookies.csrf(c, 'device'), step.csrf)
  return { ...request, requestedAt: deps.nowSeconds() }
}

async function clientOf(deps: FlowDeps, query: URLSearchParams): Promise<Client> {
  const id = query.get('client_id')
  if (!id) throw invalidClient("Query parameter 'client_id' is missing.")
  const client = await deps.clients.find(id)
  if (!client) throw invalidClient('Client does not exist')
  return client
}
