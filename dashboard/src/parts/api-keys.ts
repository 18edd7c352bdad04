import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../api/client.ts'

/** Newest first, revoked ones included; one page holds as many as a deployment has. For administrators. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/keys', { params: { query: { limit: 1_000 } }, signal })),
})
