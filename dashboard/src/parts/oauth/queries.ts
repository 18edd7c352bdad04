// What several views read of the OAuth2 server: each sees at once what another has changed.

import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { queryClient } from '../../api/query-client.ts'

const CLIENTS = ['oauth clients']

/** All of them. */
export const clientsQuery = queryOptions({
  queryKey: CLIENTS,
  queryFn: ({ signal }) => answerOf(api.GET('/api/oauthsrv/clients', { signal })),
})

export function clientQuery(id: string) {
  return queryOptions({
    queryKey: [...CLIENTS, id],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/oauthsrv/clients/{id}', { params: { path: { id } }, signal })),
  })
}

/** Reads the list and every open record anew. */
export const readClientsAgain = () => queryClient.invalidateQueries({ queryKey: CLIENTS })

/** The newest first; none where there is no such set yet. */
export function signingKeysQuery(set: string) {
  return queryOptions({
    queryKey: ['signing keys', set],
    queryFn: async ({ signal }): Promise<Schema<'SigningKey'>[]> => {
      try {
        return await answerOf(api.GET('/api/oauthsrv/keys/{set}', { params: { path: { set } }, signal }))
      } catch (err) {
        if (err instanceof ApiError && err.code === 'not_found') return []
        throw err
      }
    },
  })
}

export const claimsQuery = queryOptions({
  queryKey: ['claims'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/oauthsrv/claims-config', { signal })),
})

/** The server's description of itself; at most a minute old. */
export const discoveryQuery = queryOptions({
  queryKey: ['oauth discovery'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/oauthsrv/discovery', { signal })),
  staleTime: 60_000,
})
