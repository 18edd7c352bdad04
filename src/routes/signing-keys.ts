// The OAuth2 server's signing keys and their rotation.

import { createSigningKey } from '../features/oauth/keys/create-signing-key.ts'
import { deleteSigningKey } from '../features/oauth/keys/delete-signing-key.ts'
import { listSigningKeys } from '../features/oauth/keys/list-signing-keys.ts'
import {
  KeySetParam,
  KidParam,
  SigningKey,
  SigningKeyIn,
  SigningKeyList,
} from '../features/oauth/keys/schemas.ts'
import { defineRoute } from '../http/route.ts'

export const signingKeyRoutes = [
  defineRoute({
    id: 'signing_keys.create',
    method: 'post',
    mounts: { '/api/oauthsrv/keys': 'admin' },
    summary: 'Create a signing key',
    description:
      'In `hydra.openid.id-token` (ID and logout tokens) and `hydra.jwt.access-token` (JWT access tokens) the new ' +
      'key signs at once; tokens that are out verify as long as the old one is not deleted. The server itself, as ' +
      'Hydra does, reads back only what the newest key signed. So a new key ends ID tokens from before as ' +
      '`id_token_hint` (at logout a page offers to sign out without one), and introspection and userinfo call JWT ' +
      'access tokens from before inactive. What is refreshed for a sign-in from before is signed with the new key, ' +
      'and goes on naming the old one: Quoin takes such access tokens, a library that goes by the name does not. ' +
      'Opaque and refresh tokens live on. An RSA key takes the server seconds. ' +
      'With EdDSA in those two sets the server signs, but cannot read back what it signed: ' +
      'introspection of JWT access tokens and `id_token_hint` at logout stop working.',
    body: SigningKeyIn,
    example: { set_id: 'hydra.openid.id-token', algorithm: 'RS256', use: 'sig' },
    response: SigningKey,
    status: 201,
    handle: ({ deps, body, caller }) => createSigningKey(deps, body, caller),
  }),
  defineRoute({
    id: 'signing_keys.list',
    method: 'get',
    mounts: { '/api/oauthsrv/keys/:set': 'session' },
    params: { set: KeySetParam },
    summary: "List a key set's keys, newest first",
    description: 'Public parts only.',
    response: SigningKeyList,
    handle: ({ deps, params }) => listSigningKeys(deps, params.set),
  }),
  defineRoute({
    id: 'signing_keys.delete',
    method: 'delete',
    mounts: { '/api/oauthsrv/keys/:set/:kid': 'admin' },
    params: { set: KeySetParam, kid: KidParam },
    summary: 'Delete a signing key',
    description:
      'Tokens signed with it no longer verify, once verifiers read the keys again. The only ' +
      'key of a set that the server signs with is not deleted (409 `last_signing_key`): the server would make ' +
      'itself a new one. While another key of such a set is being deleted the answer is 409 `conflict`.',
    response: SigningKey,
    handle: ({ deps, params, caller }) => deleteSigningKey(deps, params, caller),
  }),
]
