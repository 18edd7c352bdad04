import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../../api/client.ts'

export type Advice = Schema<'Advice'>
export type Finding = Schema<'AdvisorFinding'>
export type Check = Schema<'AdvisorCheck'>

/** It may take some seconds, so it is asked when somebody comes, and when they say so. */
export const adviceQuery = queryOptions({
  queryKey: ['advisor'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/database/advisor', { signal })),
  staleTime: 60_000,
  refetchOnWindowFocus: false,
})
