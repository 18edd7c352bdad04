import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/client.ts'

/** Until docs/openapi.json has it. */
export interface RealtimeState {
  status: 'ok' | 'behind' | 'unavailable'
  problems: string[]
  project_id: string
  log: {
    head: number
    oldest_after: number
    oldest_occurred_at: string | null
    entries: number
    bytes: number
    changes_per_second: number[]
  } | null
  connections: number | null
  channels: number | null
  topics: { topic: string; private: boolean; members: number; present: number }[] | null
  subscriptions:
    | { table_schema: string | null; table_name: string | null; subscribers: number; classes: number }[]
    | null
  position: number | null
  counts: {
    changes: number
    statements: number
    deliveries: number
    messages: number
    refetches: number
  } | null
  limits: Record<string, number>
}
interface StateApi {
  GET: (
    path: '/api/realtime',
    options: { params: { query: { project_id: string } }; signal: AbortSignal },
  ) => Promise<{ data?: RealtimeState; error?: unknown; response: Response }>
}

/** Looked at while it changes. */
export function realtimeQuery(projectId: string) {
  return queryOptions({
    queryKey: ['realtime', projectId],
    queryFn: ({ signal }) =>
      answerOf(
        (api as unknown as StateApi).GET('/api/realtime', {
          params: { query: { project_id: projectId } },
          signal,
        }),
      ),
    refetchInterval: 5_000,
  })
}
