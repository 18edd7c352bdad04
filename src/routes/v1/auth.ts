// /v1/auth/identities: the identity provider's people.

import { listIdentities } from '../../features/identities/list-identities.ts'
import { readIdentity } from '../../features/identities/read-identity.ts'
import {
  IdentityDetail,
  IdentityId,
  IdentityList,
  IdentityListQuery,
} from '../../features/identities/schemas.ts'
import { defineRoute } from '../../http/route.ts'

export const authRoutes = [
  defineRoute({
    id: 'identities.list',
    method: 'get',
    path: '/v1/auth/identities',
    auth: 'service_role',
    summary: 'List identities, by id',
    description: 'Needs IDENTITY_ADMIN_URL. Credentials are never shown.',
    query: IdentityListQuery,
    response: IdentityList,
    handle: ({ deps, query }) => listIdentities(deps, query),
  }),
  defineRoute({
    id: 'identities.read',
    method: 'get',
    path: '/v1/auth/identities/:id',
    params: { id: IdentityId },
    auth: 'service_role',
    summary: 'One identity with its active sessions',
    response: IdentityDetail,
    handle: ({ deps, params }) => readIdentity(deps, params.id),
  }),
]
