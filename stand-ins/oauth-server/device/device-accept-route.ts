// `PUT /admin/oauth2/auth/requests/device/accept`: the page for user codes hands in what its user has typed.

import type { Provider } from 'oidc-provider'
import type { ServiceApp } from '../../service/listen.ts'
import { clientAnswer } from '../clients/client-record.ts'
import type { FlowDeps } from '../flow/flow-deps.ts'
import type { FlowRequest } from '../flow/flow-state.ts'
import { invalidRequest } from '../flow/oauth-errors.ts'
import { withQuery } from '../flow/query.ts'
import { readJsonBody } from '../flow/request-body.ts'
import { words } from '../flow/scope-matching.ts'
import { DeviceAcceptIn } from '../flow/step-answers.ts'
import { explainBody, redirectTo } from '../flow/step-routes.ts'
import { expiredUserCode } from './device-request.ts'

type DeviceDeps = FlowDeps & { readonly provider: Provider }

export function addDeviceRequestRoutes(app: ServiceApp, deps: DeviceDeps): void {
  app.put('/admin/oauth2/auth/requests/device/accept', async c => {
    const challenge = c.req.query('device_challenge')
    if (!challenge) {
      throw invalidRequest("Query parameter 'device_challenge' is not defined but should have been.")
    }
    const { user_code: userCode } = await readJsonBody(c, DeviceAcceptIn).catch(explainBody)
    if (userCode === '') throw invalidRequest("Field 'user_code' must not be empty.")
    const step = deps.challenges.openChallenge('device challenge', challenge)
    const request = await requestOf(deps, step.requestUrl, userCode)
    const verifier = deps.challenges.seal('device verifier', { step, request })
    return redirectTo(c, withQuery(request.requestUrl, { device_verifier: verifier }))
  })
}

/** What the device with this user code asked for. Throws for codes that are unknown, expired or used. */
async function requestOf(deps: DeviceDeps, requestUrl: string, userCode: string): Promise<FlowRequest> {
  const code = await deps.provider.DeviceCode.findByUserCode(userCode)
  const client = code && !code.grantId ? await deps.clients.find(code.clientId ?? '') : undefined
  if (!code || !client) throw expiredUserCode()
  return {
    requestedAt: deps.nowSeconds(),
    requestUrl: withQuery(requestUrl, { client_id: client.client_id }),
    client: clientAnswer(client),
    requestedScope: words(textOf(code.params?.['scope'])),
    requestedAudience: words(textOf(code.params?.['audience'])),
    oidcContext: null,
    userCode,
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
