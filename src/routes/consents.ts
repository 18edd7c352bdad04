// What a person has agreed to.

import { listConsentSessions } from '../features/oauth/consent-sessions/list-consent-sessions.ts'
import { revokeConsents } from '../features/oauth/consent-sessions/revoke-consents.ts'
import {
  ConsentQuery,
  ConsentRevocation,
  ConsentSessionList,
  Subject,
} from '../features/oauth/consent-sessions/schemas.ts'
import { defineRoute } from '../http/route.ts'

export const consentRoutes = [
  defineRoute({
    id: 'consent_sessions.list',
    method: 'get',
    mounts: { '/api/oauthsrv/consent/:subject': 'session' },
    params: { subject: Subject },
    summary: 'List what a person has agreed to, newest first',
    description:
      'One entry per consent, so a client may come several times. A subject that has none and is no identity is 404.',
    response: ConsentSessionList,
    handle: ({ deps, params }) => listConsentSessions(deps, params.subject),
  }),
  defineRoute({
    id: 'consent_sessions.revoke',
    method: 'delete',
    mounts: { '/api/oauthsrv/consent/:subject': 'session' },
    params: { subject: Subject },
    summary: "Revoke a person's consents, at one client or at all",
    description:
      'The tokens that came of them end too, and the person is asked again at the next flow. On /v1/db an opaque ' +
      'token may be taken for ten seconds more.',
    query: ConsentQuery,
    response: ConsentRevocation,
    handle: ({ deps, params, query, caller }) => revokeConsents(deps, params.subject, query, caller),
  }),
]
