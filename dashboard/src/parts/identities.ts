// The people of the identity provider. Their list and their data are for administrators.

import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../api/client.ts'
import { ApiError } from '../api/errors.ts'

export type Identity = Schema<'Identity'>

/** The first hundred, for suggestions. */
export const identitiesQuery = queryOptions({
  queryKey: ['identities', 'suggestions'],
  queryFn: async ({ signal }) =>
    (await answerOf(api.GET('/api/auth/identities', { params: { query: { limit: 100 } }, signal }))).data,
  staleTime: 60_000,
  retry: false,
})

/** null: nobody has this id. */
export function identityQuery(id: string) {
  return queryOptions({
    queryKey: ['identities', 'one', id],
    queryFn: async ({ signal }): Promise<Identity | null> => {
      try {
        return await answerOf(api.GET('/api/auth/identities/{id}', { params: { path: { id } }, signal }))
      } catch (err) {
        if (err instanceof ApiError && err.status === 404) return null
        throw err
      }
    },
    staleTime: 60_000,
    retry: false,
  })
}

/** The id of whoever was typed: an id, or an e-mail address that somebody signs in with. Throws for nobody. */
export async function identityIdOf(text: string): Promise<string> {
  if (!text.includes('@')) return text
  const { data } = await answerOf(api.GET('/api/auth/identities', { params: { query: { email: text } } }))
  const [found] = data
  if (found === undefined) throw new Error(`Nobody signs in as ${text}.`)
  return found.id
}
