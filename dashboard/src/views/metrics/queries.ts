import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../api/client.ts'
import { PERIODS, type Period } from './periods.ts'

export type Metrics = Schema<'Metrics'>

/** Up to now; the server chooses the steps. */
export function metricsQuery(period: Period) {
  const { seconds, refreshMs } = PERIODS[period]
  return queryOptions({
    queryKey: ['metrics', period],
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - seconds * 1_000).toISOString()
      const answer = await answerOf(api.GET('/api/metrics', { params: { query: { from } }, signal }))
      // A text is for Prometheus, and comes to whoever asks for one.
      return answer as Metrics
    },
    refetchInterval: refreshMs,
  })
}
