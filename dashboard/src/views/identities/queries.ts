import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'

export type Identity = Schema<'Identity'>
export type IdentitySession = Schema<'IdentitySession'>

/** By id, which is the identity provider's order. `email` is exact, in any letter case; empty: everybody. */
export function identitiesQuery(email: string) {
  return infiniteQueryOptions({
    queryKey: ['identities', { email }],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        ...(email === '' ? {} : { email }),
        ...(pageParam === null ? {} : { cursor: pageParam }),
      }
      return answerOf(api.GET('/api/auth/identities', { params: { query }, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_cursor,
  })
}

export function identityQuery(id: string) {
  return queryOptions({
    queryKey: ['identities', id],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/auth/identities/{id}', { params: { path: { id } }, signal })),
  })
}

const readAgain = (id: string) => queryClient.invalidateQueries({ queryKey: identityQuery(id).queryKey })

export async function endSession(identityId: string, id: string): Promise<void> {
  await answerOf(api.DELETE('/api/auth/sessions/{id}', { params: { path: { id } } }))
  void readAgain(identityId)
}

/** Ends all sessions at the identity provider. */
export async function signOutIdentity(id: string): Promise<void> {
  await answerOf(api.DELETE('/api/auth/identities/{id}/sessions', { params: { path: { id } } }))
  void readAgain(id)
}
