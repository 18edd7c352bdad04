// /api/oauthsrv/clients: clients of the OAuth2 server, for the dashboard.

import { createOAuthClient } from '../../../features/oauth/clients/create-client.ts'
import { deleteOAuthClient } from '../../../features/oauth/clients/delete-client.ts'
import { answerClientList, CLIENT_LIST_DESCRIPTION } from '../../../features/oauth/clients/list-clients.ts'
import { readOwnClient } from '../../../features/oauth/clients/own-client.ts'
import { rotateClientSecret } from '../../../features/oauth/clients/rotate-secret.ts'
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
} from '../../../features/oauth/clients/schemas.ts'
import { updateOAuthClient } from '../../../features/oauth/clients/update-client.ts'
import { defineRoute } from '../../../http/route.ts'

export const oauthClientRoutes = [
  defineRoute({
    id: 'oauth_clients.list',
    method: 'get',
    path: '/api/oauthsrv/clients',
    auth: 'session',
    summary: 'List OAuth2 clients, by id',
    description: CLIENT_LIST_DESCRIPTION,
    query: OAuthClientListQuery,
    response: OAuthClientList,
    handle: ({ deps, query, path }) => answerClientList(deps, query, path),
  }),
  defineRoute({
    id: 'oauth_clients.create',
    method: 'post',
    path: '/api/oauthsrv/clients',
    auth: 'session',
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
    handle: ({ deps, caller, body }) => createOAuthClient(deps, caller, 'oauth_clients.create', body),
  }),
  defineRoute({
    id: 'oauth_clients.read',
    method: 'get',
    path: '/api/oauthsrv/clients/:id',
    params: { id: ClientId },
    auth: 'session',
    summary: 'One OAuth2 client, without its secret',
    response: OAuthClient,
    handle: ({ deps, params }) => readOwnClient(deps, params.id),
  }),
  defineRoute({
    id: 'oauth_clients.update',
    method: 'put',
    path: '/api/oauthsrv/clients/:id',
    params: { id: ClientId },
    auth: 'session',
    summary: 'Change fields of an OAuth2 client',
    description:
      'Fields that are left out keep their values; the secret always does. null or the empty text clears a field; ' +
      'of scope, null alone, which means the scopes that the OAuth2 server gives by itself. metadata are replaced ' +
      'whole. A client that was public gets its first secret from POST .../secret.',
    body: OAuthClientPatch,
    example: { client_name: 'Web shop (new)', audience: ['https://api.example.com'] },
    response: OAuthClient,
    handle: ({ deps, caller, params, body }) =>
      updateOAuthClient(deps, caller, 'oauth_clients.update', params.id, body),
  }),
  defineRoute({
    id: 'oauth_clients.delete',
    method: 'delete',
    path: '/api/oauthsrv/clients/:id',
    params: { id: ClientId },
    auth: 'session',
    summary: 'Delete an OAuth2 client with its tokens and consents',
    description: 'On /v1/db its opaque tokens may be taken for ten seconds more.',
    status: 204,
    handle: async ({ deps, caller, params }) => {
      await deleteOAuthClient(deps, caller, 'oauth_clients.delete', params.id)
      return { status: 204, headers: {}, body: null }
    },
  }),
  defineRoute({
    id: 'oauth_clients.rotate_secret',
    method: 'post',
    path: '/api/oauthsrv/clients/:id/secret',
    params: { id: ClientId },
    auth: 'session',
    summary: 'Replace the secret of an OAuth2 client',
    description:
      'The old secret is refused at once. The answer holds the new one, this once. No body. Rotations at the same ' +
      'time are all answered with a secret, of which only the one that was written last works.',
    response: ClientSecret,
    handle: ({ deps, caller, params }) =>
      rotateClientSecret(deps, caller, 'oauth_clients.rotate_secret', params.id),
  }),
  defineRoute({
    id: 'oauth_clients.configure_tokens',
    method: 'patch',
    path: '/api/oauthsrv/clients/:id/token-config',
    params: { id: ClientId },
    auth: 'session',
    summary: 'Change lifetimes and form of the tokens of an OAuth2 client, and its logout addresses',
    description:
      'Holds for tokens that are issued from then on. Lifetimes are seconds; null gives the default of the OAuth2 ' +
      'server. jwt cannot go with pairwise subjects.',
    body: TokenConfig,
    example: { access_token_ttl: 900, refresh_token_ttl: 2_592_000, access_token_strategy: 'jwt' },
    response: OAuthClient,
    handle: ({ deps, caller, params, body }) =>
      updateOAuthClient(deps, caller, 'oauth_clients.configure_tokens', params.id, body),
  }),
]
