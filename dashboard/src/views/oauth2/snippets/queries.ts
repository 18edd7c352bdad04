import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../../api/client.ts'

export const clientsQuery = queryOptions({
  queryKey: ['oauth clients'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/oauthsrv/clients', { signal })),
})

/** The OAuth2 server's own description of itself. */
export const serverQuery = queryOptions({
  queryKey: ['oauth discovery'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/oauthsrv/discovery', { signal })),
  staleTime: 60_000,
})
