// /api/oauthsrv: the OAuth2 server's health and public documents, and signing a person out of it.

import { logOutSubject } from '../../../features/oauth/consent-sessions/log-out-subject.ts'
import { Logout, SubjectIn } from '../../../features/oauth/consent-sessions/schemas.ts'
import {
  OauthServerDown,
  OauthServerHealth,
  readOauthServerHealth,
} from '../../../features/oauth/documents/health.ts'
import {
  DiscoveryDocument,
  PublicKeySet,
  readDiscovery,
  readPublicKeys,
} from '../../../features/oauth/documents/read-documents.ts'
import { defineRoute } from '../../../http/route.ts'

export const oauthServerRoutes = [
  defineRoute({
    id: 'oauth_server.health',
    method: 'get',
    path: '/api/oauthsrv/health',
    auth: 'none',
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
    path: '/api/oauthsrv/discovery',
    auth: 'none',
    summary: "Read the OAuth2 server's discovery document",
    description: 'As the server gives it; at most a minute old.',
    response: DiscoveryDocument,
    handle: ({ deps }) => readDiscovery(deps),
  }),
  defineRoute({
    id: 'oauth_server.jwks',
    method: 'get',
    path: '/api/oauthsrv/jwks',
    auth: 'none',
    summary: 'Read the public keys that tokens are verified with',
    description: 'At most a second old, so that a key which signs from now on is found here in time.',
    response: PublicKeySet,
    handle: ({ deps }) => readPublicKeys(deps),
  }),
  defineRoute({
    id: 'oauth_server.logout',
    method: 'post',
    path: '/api/oauthsrv/logout',
    auth: 'session',
    summary: 'Sign a person out of every application',
    description:
      'Ends the login sessions at the OAuth2 server, which tells applications with a back-channel logout URI, and ' +
      'revokes the consents with their tokens; on /v1/db an opaque token may be taken for ten seconds more. The ' +
      "person's session at the identity provider lives on: disable the identity or end its sessions there to keep " +
      'somebody out.',
    body: SubjectIn,
    example: { subject: '9f1c2d3e-0000-4000-8000-000000000000' },
    response: Logout,
    handle: ({ deps, body, caller }) => logOutSubject(deps, body.subject, caller),
  }),
]
