import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/client.ts'

export const modulesQuery = queryOptions({
  queryKey: ['modules'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/modules', { signal })),
})
