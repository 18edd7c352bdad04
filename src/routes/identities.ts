// The identity provider's people and their sessions.

import { endIdentitySession, signOutIdentity } from '../features/identities/end-sessions.ts'
import { listIdentities } from '../features/identities/list-identities.ts'
import { readIdentity } from '../features/identities/read-identity.ts'
import {
  IdentityDetail,
  IdentityId,
  IdentityList,
  IdentityListQuery,
  IdentitySessionId,
} from '../features/identities/schemas.ts'
import { defineRoute } from '../http/route.ts'

const TEN_SECONDS = 'Under /api such a session may be taken for ten seconds more.'

export const identityRoutes = [
  defineRoute({
    id: 'identities.list',
    method: 'get',
    mounts: { '/v1/auth/identities': 'service_role', '/api/auth/identities': 'admin' },
    summary: 'List identities, by id',
    description: 'Needs IDENTITY_ADMIN_URL. Credentials are never shown.',
    query: IdentityListQuery,
    response: IdentityList,
    handle: ({ deps, query }) => listIdentities(deps, query),
  }),
  defineRoute({
    id: 'identities.read',
    method: 'get',
    mounts: { '/v1/auth/identities/:id': 'service_role', '/api/auth/identities/:id': 'admin' },
    params: { id: IdentityId },
    summary: 'One identity with its active sessions',
    response: IdentityDetail,
    handle: ({ deps, params }) => readIdentity(deps, params.id),
  }),
  defineRoute({
    id: 'identities.sign_out',
    method: 'delete',
    mounts: { '/api/auth/identities/:id/sessions': 'admin' },
    params: { id: IdentityId },
    summary: 'Sign a person out everywhere',
    description:
      'Ends all sessions at the identity provider. Tokens of applications live on: `POST /api/oauthsrv/logout` ends ' +
      `the sessions behind them. ${TEN_SECONDS} Safe to repeat.`,
    status: 204,
    handle: async ({ deps, caller, params }) => {
      await signOutIdentity(deps, caller, params.id)
      return { status: 204, headers: {}, body: null }
    },
  }),
  defineRoute({
    id: 'identities.end_session',
    method: 'delete',
    mounts: { '/api/auth/sessions/:id': 'admin' },
    params: { id: IdentitySessionId },
    summary: 'End one session of a person',
    description: `${TEN_SECONDS} Safe to repeat. In the audit log it stands under the identity.`,
    status: 204,
    handle: async ({ deps, caller, params }) => {
      await endIdentitySession(deps, caller, params.id)
      return { status: 204, headers: {}, body: null }
    },
  }),
]
