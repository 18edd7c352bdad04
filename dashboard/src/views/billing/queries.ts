import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../api/client.ts'

export type Billing = Schema<'Billing'>

/** Of the oldest project. */
export const billingQuery = queryOptions({
  queryKey: ['billing'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/billing', { signal })),
})
