// API keys and their rotation.

import { createKey } from '../features/api-keys/record/create-key.ts'
import { listKeys } from '../features/api-keys/record/list-keys.ts'
import { scopeOf } from '../features/api-keys/record/project-scope.ts'
import { revokeKey } from '../features/api-keys/record/revoke-key.ts'
import { rotateKey } from '../features/api-keys/record/rotate-key.ts'
import {
  ApiKey,
  ApiKeyId,
  ApiKeyIn,
  ApiKeyList,
  ApiKeyListQuery,
  ApiKeyPatch,
  ApiKeyRotation,
  ApiKeyWithSecret,
} from '../features/api-keys/record/schemas.ts'
import { updateKey } from '../features/api-keys/record/update-key.ts'
import { defineRoute } from '../http/route.ts'

export const keyRoutes = [
  defineRoute({
    id: 'keys.list',
    method: 'get',
    mounts: { '/v1/keys': 'service_role', '/api/keys': 'admin' },
    summary: 'List API keys, newest first, revoked ones included',
    description: 'A key sees those of its own project, an administrator’s session all.',
    query: ApiKeyListQuery,
    response: ApiKeyList,
    handle: ({ deps, principal, query }) => listKeys(deps, scopeOf(principal), query),
  }),
  defineRoute({
    id: 'keys.create',
    method: 'post',
    mounts: { '/v1/keys': 'service_role', '/api/keys': 'admin' },
    summary: 'Create an API key',
    description:
      'The answer holds the key itself, this once. It works at once. Without `project_id` it belongs to the project ' +
      'of the key that asks, which makes no keys of another. A session is of none: then it belongs to the oldest.',
    body: ApiKeyIn,
    example: { name: 'web shop', role: 'anon', rate_limit_per_minute: 600 },
    response: ApiKeyWithSecret,
    status: 201,
    handle: ({ deps, caller, principal, body }) => createKey(deps, caller, scopeOf(principal), body),
  }),
  defineRoute({
    id: 'keys.update',
    method: 'patch',
    mounts: { '/v1/keys/:id': 'service_role', '/api/keys/:id': 'admin' },
    params: { id: ApiKeyId },
    summary: 'Change the name, the limits or the end of an API key',
    description:
      'Fields that are left out stay. The change holds everywhere within a second. A key that has expired works ' +
      'again with an `expires_at` in the future; a revoked key stays revoked.',
    body: ApiKeyPatch,
    example: { rate_limit_per_minute: 1_200, rate_limit_per_address: 60 },
    response: ApiKey,
    handle: ({ deps, caller, principal, params, body }) =>
      updateKey(deps, caller, scopeOf(principal), params.id, body),
  }),
  defineRoute({
    id: 'keys.revoke',
    method: 'delete',
    mounts: { '/v1/keys/:id': 'service_role', '/api/keys/:id': 'admin' },
    params: { id: ApiKeyId },
    summary: 'Revoke an API key for good',
    description:
      'The key is refused from then on, and so is the one that it replaced. Safe to repeat. A key may revoke itself.',
    response: ApiKey,
    handle: ({ deps, caller, principal, params }) => revokeKey(deps, caller, scopeOf(principal), params.id),
  }),
  defineRoute({
    id: 'keys.rotate',
    method: 'post',
    mounts: { '/v1/keys/:id/rotate': 'service_role', '/api/keys/:id/rotate': 'admin' },
    params: { id: ApiKeyId },
    summary: 'Replace an API key by a new one with the same id, role and limit',
    description:
      'The answer holds the new key, this once. Both keys count in the same window while the old one lives. ' +
      'Rotating again ends an earlier overlap. A key may rotate itself. One that is revoked or has ended is 409.',
    body: ApiKeyRotation.optional(),
    example: { overlap_seconds: 3600 },
    response: ApiKeyWithSecret,
    handle: ({ deps, caller, principal, params, body }) =>
      rotateKey(deps, caller, scopeOf(principal), params.id, body ?? { overlap_seconds: 0 }),
  }),
]
