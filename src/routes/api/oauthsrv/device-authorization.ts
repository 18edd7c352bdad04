// POST /api/oauthsrv/device-authorization

import {
  authorizeDevice,
  DeviceAuthorization,
  DeviceAuthorizationIn,
} from '../../../features/oauth/device/authorize-device.ts'
import { defineRoute } from '../../../http/route.ts'

export const deviceAuthorizationRoutes = [
  defineRoute({
    id: 'oauth_server.authorize_device',
    method: 'post',
    path: '/api/oauthsrv/device-authorization',
    auth: 'session',
    summary: 'Begin a device flow, as a device does',
    description:
      'For pages, which may not call that endpoint themselves. 200 with what the OAuth2 server said, also where it ' +
      'refused: `status` tells. What is no answer of that server is an error. Nothing is kept or logged.',
    body: DeviceAuthorizationIn,
    example: { client_id: 'c1b2a3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d', scope: 'openid offline_access' },
    response: DeviceAuthorization,
    handle: ({ deps, body }) => authorizeDevice(deps, body),
  }),
]
