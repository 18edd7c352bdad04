import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'
import { signingKeysQuery } from '../../../parts/oauth/queries.ts'
import { SERVER_SETS } from './key-sets.ts'

export type SigningKey = Schema<'SigningKey'>
export type SigningKeyIn = Schema<'SigningKeyIn'>
export type Algorithm = SigningKeyIn['algorithm']

/** What verifiers read; at most a second old. */
export const publicKeysQuery = queryOptions({
  queryKey: ['jwks'],
  queryFn: async ({ signal }) => {
    const keys = await answerOf(api.GET('/api/oauthsrv/jwks', { signal }))
    // For this answer the server makes the first keys of its own sets, which were empty until then.
    for (const { id } of SERVER_SETS) {
      const { queryKey } = signingKeysQuery(id)
      if (queryClient.getQueryData(queryKey)?.length === 0) void queryClient.invalidateQueries({ queryKey })
    }
    return keys
  },
})

function readAgain(set: string): void {
  void queryClient.invalidateQueries({ queryKey: signingKeysQuery(set).queryKey })
  void queryClient.invalidateQueries({ queryKey: publicKeysQuery.queryKey })
}

export async function addKey(body: SigningKeyIn): Promise<SigningKey> {
  const key = await answerOf(api.POST('/api/oauthsrv/keys', { body }))
  readAgain(body.set_id)
  return key
}

export async function removeKey(set: string, kid: string): Promise<void> {
  await answerOf(api.DELETE('/api/oauthsrv/keys/{set}/{kid}', { params: { path: { set, kid } } }))
  readAgain(set)
}
