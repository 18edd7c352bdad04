import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors.ts'
import { queryClient } from '../../../api/query-client.ts'

export type SigningKey = Schema<'SigningKey'>
export type SigningKeyIn = Schema<'SigningKeyIn'>
export type Algorithm = SigningKeyIn['algorithm']

const ALL = ['oauth2', 'signing-keys'] as const

/** The newest first; none where there is no such set yet. */
export function signingKeysQuery(set: string) {
  return queryOptions({
    queryKey: [...ALL, set],
    queryFn: async ({ signal }): Promise<SigningKey[]> => {
      try {
        return await answerOf(api.GET('/api/oauthsrv/keys/{set}', { params: { path: { set } }, signal }))
      } catch (err) {
        if (err instanceof ApiError && err.code === 'not_found') return []
        throw err
      }
    },
  })
}

/** What verifiers read; at most ten seconds old. */
export const publicKeysQuery = queryOptions({
  queryKey: [...ALL, 'public'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/oauthsrv/jwks', { signal })),
})

/** For the lifetimes of their tokens. */
export const clientsQuery = queryOptions({
  queryKey: [...ALL, 'clients'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/oauthsrv/clients', { signal })),
  staleTime: 60_000,
})

const readAgain = () => queryClient.invalidateQueries({ queryKey: ALL })

export async function addKey(body: SigningKeyIn): Promise<SigningKey> {
  const key = await answerOf(api.POST('/api/oauthsrv/keys', { body }))
  void readAgain()
  return key
}

export async function removeKey(set: string, kid: string): Promise<void> {
  await answerOf(api.DELETE('/api/oauthsrv/keys/{set}/{kid}', { params: { path: { set, kid } } }))
  void readAgain()
}
