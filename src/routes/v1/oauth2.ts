// /v1/oauth2: clients of the OAuth2 server for programs, and its discovery document.

import { createOAuthClient } from '../../features/oauth/clients/create-client.ts'
import { deleteOAuthClient } from '../../features/oauth/clients/delete-client.ts'
import { answerClientList, CLIENT_LIST_DESCRIPTION } from '../../features/oauth/clients/list-clients.ts'
import {
  ClientId,
  CreatedOAuthClient,
  OAuthClientIn,
  OAuthClientList,
  OAuthClientListQuery,
} from '../../features/oauth/clients/schemas.ts'
import { DiscoveryDocument, readDiscovery } from '../../features/oauth/documents/read-documents.ts'
import { defineRoute } from '../../http/route.ts'

export const oauth2Routes = [
  defineRoute({
    id: 'oauth_clients.list_by_key',
    method: 'get',
    path: '/v1/oauth2/clients',
    auth: 'service_role',
    summary: 'List OAuth2 clients, by id',
    description: CLIENT_LIST_DESCRIPTION,
    query: OAuthClientListQuery,
    response: OAuthClientList,
    handle: ({ deps, query, path }) => answerClientList(deps, query, path),
  }),
  defineRoute({
    id: 'oauth_clients.create_by_key',
    method: 'post',
    path: '/v1/oauth2/clients',
    auth: 'service_role',
    summary: 'Create an OAuth2 client',
    description: 'The answer holds the secret of a confidential client, this once.',
    body: OAuthClientIn,
    example: {
      client_name: 'Web shop',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['https://shop.example.com/callback'],
    },
    response: CreatedOAuthClient,
    status: 201,
    handle: ({ deps, caller, body }) => createOAuthClient(deps, caller, 'oauth_clients.create_by_key', body),
  }),
  defineRoute({
    id: 'oauth_clients.delete_by_key',
    method: 'delete',
    path: '/v1/oauth2/clients/:id',
    params: { id: ClientId },
    auth: 'service_role',
    summary: 'Delete an OAuth2 client with its tokens and consents',
    description: 'On /v1/db its opaque tokens may be taken for ten seconds more.',
    status: 204,
    handle: async ({ deps, caller, params }) => {
      await deleteOAuthClient(deps, caller, 'oauth_clients.delete_by_key', params.id)
      return { status: 204, headers: {}, body: null }
    },
  }),
  defineRoute({
    id: 'oauth_server.discovery_by_key',
    method: 'get',
    path: '/v1/oauth2/discovery',
    auth: 'any_key',
    summary: "Read the OAuth2 server's discovery document",
    description: 'As the server gives it; at most a minute old.',
    response: DiscoveryDocument,
    handle: ({ deps }) => readDiscovery(deps),
  }),
]
