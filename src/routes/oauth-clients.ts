// Clients of the OAuth2 server.

import { createOAuthClient } from '../features/oauth/clients/create-client.ts'
import { deleteOAuthClient } from '../features/oauth/clients/delete-client.ts'
import { answerClientList, CLIENT_LIST_DESCRIPTION } from '../features/oauth/clients/list-clients.ts'
import { readOwnClient } from '../features/oauth/clients/own-client.ts'
import { rotateClientSecret } from '../features/oauth/clients/rotate-secret.ts'
import {
  ClientId,
  ClientSecret,
  CreatedOAuthClient,
  OAuthClient,
  OAuthClientIn,
  OAuthClientList,
  OAuthClientListQuery,
  OAuthClientPatch,
  TokenConfig,
} from '../features/oauth/clients/schemas.ts'
import { updateOAuthClient } from '../features/oauth/clients/update-client.ts'
import { defineRoute } from '../http/route.ts'

export const oauthClientRoutes = [
  defineRoute({
    id: 'oauth_clients.list',
    method: 'get',
    mounts: { '/v1/oauth2/clients': 'service_role', '/api/oauthsrv/clients': 'session' },
    summary: 'List OAuth2 clients, by id',
    description: CLIENT_LIST_DESCRIPTION,
    query: OAuthClientListQuery,
    response: OAuthClientList,
    handle: ({ deps, query, path }) => answerClientList(deps, query, path),
  }),
  defineRoute({
    id: 'oauth_clients.create',
    method: 'post',
    mounts: { '/v1/oauth2/clients': 'service_role', '/api/oauthsrv/clients': 'session' },
    summary: 'Create an OAuth2 client',
    description: 'The answer holds the secret of a confidential client, this once.',
    body: OAuthClientIn,
    example: {
      client_name: 'Web shop',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: ['https://shop.example.com/callback'],
      scope: 'openid offline_access email',
    },
    response: CreatedOAuthClient,
    status: 201,
    handle: ({ deps, caller, body }) => createOAuthClient(deps, caller, body),
  }),
  defineRoute({
    id: 'oauth_clients.read',
    method: 'get',
    mounts: { '/api/oauthsrv/clients/:id': 'session' },
    params: { id: ClientId },
    summary: 'One OAuth2 client, without its secret',
    response: OAuthClient,
    handle: ({ deps, params }) => readOwnClient(deps, params.id),
  }),
  defineRoute({
    id: 'oauth_clients.update',
    method: 'put',
    mounts: { '/api/oauthsrv/clients/:id': 'session' },
    params: { id: ClientId },
    summary: 'Change fields of an OAuth2 client',
    description:
      'Fields that are left out keep their values; the secret always does. null or the empty text clears a field; ' +
      'of scope, null alone, which means the default scopes of the OAuth2 server. metadata are replaced ' +
      'whole. A client that was public gets its first secret from POST .../secret.',
    body: OAuthClientPatch,
    example: { client_name: 'Web shop (new)', audience: ['https://api.example.com'] },
    response: OAuthClient,
    handle: ({ deps, caller, params, body }) => updateOAuthClient(deps, caller, params.id, body),
  }),
  defineRoute({
    id: 'oauth_clients.delete',
    method: 'delete',
    mounts: { '/v1/oauth2/clients/:id': 'service_role', '/api/oauthsrv/clients/:id': 'session' },
    params: { id: ClientId },
    summary: 'Delete an OAuth2 client with its tokens and consents',
    description: 'On /v1/db its opaque tokens may be taken for ten seconds more.',
    status: 204,
    handle: async ({ deps, caller, params }) => {
      await deleteOAuthClient(deps, caller, params.id)
      return { status: 204, headers: {}, body: null }
    },
  }),
  defineRoute({
    id: 'oauth_clients.rotate_secret',
    method: 'post',
    mounts: { '/api/oauthsrv/clients/:id/secret': 'session' },
    params: { id: ClientId },
    summary: 'Replace the secret of an OAuth2 client',
    description:
      'The old secret is refused at once. The answer holds the new one, this once. No body. Rotations at the same ' +
      'time are all answered with a secret, of which only the one that was written last works.',
    response: ClientSecret,
    handle: ({ deps, caller, params }) => rotateClientSecret(deps, caller, params.id),
  }),
  defineRoute({
    id: 'oauth_clients.configure_tokens',
    method: 'patch',
    mounts: { '/api/oauthsrv/clients/:id/token-config': 'session' },
    params: { id: ClientId },
    summary: 'Change lifetimes and form of the tokens of an OAuth2 client, and its logout addresses',
    description:
      'Holds for tokens that are issued from then on. Lifetimes are seconds; null gives the default of the OAuth2 ' +
      'server. jwt cannot go with pairwise subjects.',
    body: TokenConfig,
    example: { access_token_ttl: 900, refresh_token_ttl: 2_592_000, access_token_strategy: 'jwt' },
    response: OAuthClient,
    handle: ({ deps, caller, params, body }) => updateOAuthClient(deps, caller, params.id, body),
  }),
]
