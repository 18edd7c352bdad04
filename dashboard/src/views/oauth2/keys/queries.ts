import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'
import { signingKeysQuery } from '../../../parts/oauth/queries.ts'

export type SigningKey = Schema<'SigningKey'>
export type SigningKeyIn = Schema<'SigningKeyIn'>
export type Algorithm = SigningKeyIn['algorithm']

/** What verifiers read; at most ten seconds old. */
export const publicKeysQuery = queryOptions({
  queryKey: ['jwks'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/oauthsrv/jwks', { signal })),
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
