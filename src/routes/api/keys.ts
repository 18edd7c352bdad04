// /api/keys: API keys and their rotation, for the dashboard.

import { createKey } from '../../features/api-keys/record/create-key.ts'
import { listKeys } from '../../features/api-keys/record/list-keys.ts'
import { revokeKey } from '../../features/api-keys/record/revoke-key.ts'
import { rotateKey } from '../../features/api-keys/record/rotate-key.ts'
import {
  ApiKey,
  ApiKeyId,
  ApiKeyIn,
  ApiKeyList,
  ApiKeyListQuery,
  ApiKeyPatch,
  ApiKeyRotation,
  ApiKeyWithSecret,
} from '../../features/api-keys/record/schemas.ts'
import { updateKey } from '../../features/api-keys/record/update-key.ts'
import { defineRoute } from '../../http/route.ts'

export const dashboardKeyRoutes = [
  defineRoute({
    id: 'keys.list_by_session',
    method: 'get',
    path: '/api/keys',
    auth: 'admin',
    summary: 'List API keys, newest first, revoked ones included',
    query: ApiKeyListQuery,
    response: ApiKeyList,
    handle: ({ deps, query }) => listKeys(deps, query),
  }),
  defineRoute({
    id: 'keys.create_by_session',
    method: 'post',
    path: '/api/keys',
    auth: 'admin',
    summary: 'Create an API key',
    description:
      'The answer holds the key itself, this once. It works at once. Without `project_id` it belongs to the oldest ' +
      'project: a session is of none.',
    body: ApiKeyIn,
    example: { name: 'web shop', role: 'anon', rate_limit_per_minute: 600 },
    response: ApiKeyWithSecret,
    status: 201,
    handle: ({ deps, caller, body }) => createKey(deps, caller, 'keys.create_by_session', body, null),
  }),
  defineRoute({
    id: 'keys.update_by_session',
    method: 'patch',
    path: '/api/keys/:id',
    params: { id: ApiKeyId },
    auth: 'admin',
    summary: 'Change the name, the limits or the end of an API key',
    description: 'As `PATCH /v1/keys/:id`.',
    body: ApiKeyPatch,
    example: { rate_limit_per_minute: 1_200, rate_limit_per_address: 60 },
    response: ApiKey,
    handle: ({ deps, caller, body, params }) =>
      updateKey(deps, caller, 'keys.update_by_session', params.id, body),
  }),
  defineRoute({
    id: 'keys.revoke_by_session',
    method: 'delete',
    path: '/api/keys/:id',
    params: { id: ApiKeyId },
    auth: 'admin',
    summary: 'Revoke an API key for good',
    description: 'As `DELETE /v1/keys/:id`: the key is refused from then on. Safe to repeat.',
    response: ApiKey,
    handle: ({ deps, caller, params }) => revokeKey(deps, caller, 'keys.revoke_by_session', params.id),
  }),
  defineRoute({
    id: 'keys.rotate_by_session',
    method: 'post',
    path: '/api/keys/:id/rotate',
    params: { id: ApiKeyId },
    auth: 'admin',
    summary: 'Replace an API key by a new one with the same id, role and limit',
    description: 'As `POST /v1/keys/:id/rotate`. The answer holds the new key, this once.',
    body: ApiKeyRotation.optional(),
    example: { overlap_seconds: 3600 },
    response: ApiKeyWithSecret,
    handle: ({ deps, caller, params, body }) =>
      rotateKey(deps, caller, 'keys.rotate_by_session', params.id, body ?? { overlap_seconds: 0 }),
  }),
]
