// The projects that keys belong to. For administrators.

import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'

export type Project = Schema<'Project'>

/** Newest first; one page holds as many as a deployment has. */
export const projectsQuery = queryOptions({
  queryKey: ['projects', 'list'],
  queryFn: ({ signal }) =>
    answerOf(api.GET('/api/projects', { params: { query: { limit: 1_000 } }, signal })),
})

/** After a change of a project, or of keys: projects say how many they have. */
export function readProjectsAgain(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['projects'] })
}
