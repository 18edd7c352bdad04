import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/client.ts'

/** They change with the Worker alone. */
export const rulesQuery = queryOptions({
  queryKey: ['access-rules'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/gateway/rules', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
})
