import { queryOptions } from '@tanstack/react-query'
import type { JWK } from 'jose'
import { answerOf, api } from '../../../api/client.ts'

/** The public keys, read when the view opens and when somebody says so: pasting a token must ask nobody. */
export const publicKeysQuery = queryOptions({
  queryKey: ['jwks', 'debugger'],
  queryFn: async ({ signal }): Promise<JWK[]> => {
    // As the OAuth2 server gives them: the document says nothing of their shape.
    const { keys } = await answerOf(api.GET('/api/oauthsrv/jwks', { signal }))
    return Array.isArray(keys) ? keys.filter(key => typeof key === 'object' && key !== null) : []
  },
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnMount: 'always',
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})
