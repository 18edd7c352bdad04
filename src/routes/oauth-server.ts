// The OAuth2 server's health and public documents, signing a person out of it, and device flows.

import { logOutSubject } from '../features/oauth/consent-sessions/log-out-subject.ts'
import { Logout, SubjectIn } from '../features/oauth/consent-sessions/schemas.ts'
import {
  authorizeDevice,
  DeviceAuthorization,
  DeviceAuthorizationIn,
} from '../features/oauth/device/authorize-device.ts'
import {
  OauthServerDown,
  OauthServerHealth,
  readOauthServerHealth,
} from '../features/oauth/documents/health.ts'
import {
  DiscoveryDocument,
  PublicKeySet,
  readDiscovery,
  readPublicKeys,
} from '../features/oauth/documents/read-documents.ts'
import { defineRoute } from '../http/route.ts'

export const oauthServerRoutes = [
  defineRoute({
    id: 'oauth_server.health',
    method: 'get',
    mounts: { '/api/oauthsrv/health': 'visitor' },
    summary: "Say how the OAuth2 server's public and admin ports do",
    description:
      'Asks both at the same time, for at most two seconds. 200 when both are up, else 503 with the same body.',
    response: OauthServerHealth,
    documented: {
      answers: {
        200: { description: 'Both are up', content: { 'application/json': OauthServerHealth } },
        503: { description: 'One does not answer', content: { 'application/json': OauthServerDown } },
      },
    },
    handle: async ({ deps }) => {
      const health = await readOauthServerHealth(deps)
      return health.status === 'ok' ? health : Response.json(health, { status: 503 })
    },
  }),
  defineRoute({
    id: 'oauth_server.discovery',
    method: 'get',
    mounts: { '/v1/oauth2/discovery': 'any_key', '/api/oauthsrv/discovery': 'visitor' },
    summary: "Read the OAuth2 server's discovery document",
    description: 'As the server gives it; at most a minute old.',
    response: DiscoveryDocument,
    handle: ({ deps }) => readDiscovery(deps),
  }),
  defineRoute({
    id: 'oauth_server.jwks',
    method: 'get',
    mounts: { '/api/oauthsrv/jwks': 'visitor' },
    summary: 'Read the public keys that tokens are verified with',
    description: 'At most a second old, so that a key which signs from now on is found here in time.',
    response: PublicKeySet,
    handle: ({ deps }) => readPublicKeys(deps),
  }),
  defineRoute({
    id: 'oauth_server.logout',
    method: 'post',
    mounts: { '/api/oauthsrv/logout': 'session' },
    summary: 'Sign a person out of every application',
    description:
      'Ends the login sessions at the OAuth2 server, which tells applications with a back-channel logout URI (of the ' +
      'newest 200 sessions; older ones end without being named), and ' +
      'revokes the consents with their tokens; on /v1/db an opaque token may be taken for ten seconds more. The ' +
      "person's session at the identity provider lives on: disable the identity or end its sessions there to keep " +
      'somebody out.',
    body: SubjectIn,
    example: { subject: '9f1c2d3e-0000-4000-8000-000000000000' },
    response: Logout,
    handle: ({ deps, body, caller }) => logOutSubject(deps, body.subject, caller),
  }),
  defineRoute({
    id: 'oauth_server.authorize_device',
    method: 'post',
    mounts: { '/api/oauthsrv/device-authorization': 'session' },
    summary: 'Begin a device flow, as a device does',
    description:
      'For pages, which may not call that endpoint themselves. 200 with what the OAuth2 server said, also where it ' +
      'refused: `status` tells. Anything but an answer of that server is an error. Nothing is kept or logged.',
    body: DeviceAuthorizationIn,
    example: { client_id: 'c1b2a3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d', scope: 'openid offline_access' },
    response: DeviceAuthorization,
    unaudited: 'no_change',
    handle: ({ deps, body }) => authorizeDevice(deps, body),
  }),
]
