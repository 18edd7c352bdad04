// Begins a device flow for a page, which cannot: that endpoint of the OAuth2 server has no CORS. Nothing of it is kept,
// neither in the audit log nor elsewhere.

import * as z from 'zod'
import type { Upstream } from '../../../clients/http.ts'
import {
  type DeviceAuthorizationAnswer,
  requestDeviceAuthorization,
} from '../../../clients/oauth-server/device-authorization.ts'

const Words = z.string().max(4_096).optional()

export const DeviceAuthorizationIn = z
  .strictObject({
    client_id: z.string().min(1).max(255),
    scope: Words.describe('Separated by spaces'),
    audience: Words.describe('Separated by spaces'),
    client_secret: z.string().min(1).max(1_024).optional(),
    auth_method: z
      .enum(['none', 'client_secret_basic', 'client_secret_post'])
      .optional()
      .describe('How the secret is sent: client_secret_basic unless said, none without a secret'),
  })
  .refine(
    ({ auth_method: method, client_secret: secret }) =>
      method === undefined || (method === 'none') === (secret === undefined),
    { path: ['auth_method'], message: 'none goes without client_secret, the other two with it' },
  )
  .meta({ id: 'DeviceAuthorizationIn' })
export type DeviceAuthorizationIn = z.infer<typeof DeviceAuthorizationIn>

export const DeviceAuthorization = z
  .object({
    status: z.int().describe("the OAuth2 server's status"),
    body: z
      .record(z.string(), z.unknown())
      .describe('its JSON: the codes and where to type them in, or `error` and `error_description`'),
  })
  .meta({
    id: 'DeviceAuthorization',
    examples: [
      {
        status: 200,
        body: {
          device_code: 'ory_dc_...',
          user_code: 'ABCDEFGH',
          verification_uri: 'https://oauth.example.com/oauth2/device/verify',
          verification_uri_complete: 'https://oauth.example.com/oauth2/device/verify?user_code=ABCDEFGH',
          expires_in: 900,
          interval: 5,
        },
      },
    ],
  })

/** What the OAuth2 server says to a device, refusals included. Throws `not_configured` and the `upstream_*` errors. */
export function authorizeDevice(
  { upstreams }: { upstreams: { oauthPublic: Upstream } },
  { client_id: clientId, scope, audience, client_secret: secret, auth_method: method }: DeviceAuthorizationIn,
): Promise<DeviceAuthorizationAnswer> {
  const place = method === 'client_secret_post' ? 'form' : 'header'
  const credentials = secret === undefined ? undefined : ({ secret, in: place } as const)
  return requestDeviceAuthorization(upstreams.oauthPublic, { clientId, scope, audience, credentials })
}
