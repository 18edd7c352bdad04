import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../api/client.ts'

export type RealtimeState = Schema<'RealtimeState'>

/** Looked at while it changes. */
export function realtimeQuery(projectId: string) {
  return queryOptions({
    queryKey: ['realtime', projectId],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/realtime', { params: { query: { project_id: projectId } }, signal })),
    refetchInterval: 5_000,
  })
}
