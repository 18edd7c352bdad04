import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, type Schema } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { readProjectsAgain } from '../../parts/projects.ts'

/** The client's types leave out what is always null. */
export type ProjectDetail = Omit<Schema<'ProjectDetail'>, 'storage'>
type ChangedProject = Schema<'ChangedProject'>

export function projectQuery(id: string) {
  return queryOptions({
    queryKey: ['projects', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/projects/{id}', { params: { path: { id } }, signal })),
  })
}

export async function createProject(body: Schema<'ProjectIn'>): Promise<Schema<'Project'>> {
  const created = await answerOf(api.POST('/api/projects', { body }))
  void readProjectsAgain()
  return created
}

export async function changeProject(id: string, body: Schema<'ProjectPatch'>): Promise<ChangedProject> {
  const { keys_told, keys_following, ...changed } = await answerOf(
    api.PATCH('/api/projects/{id}', { params: { path: { id } }, body }),
  )
  queryClient.setQueryData(projectQuery(id).queryKey, present => present && { ...present, ...changed })
  void readProjectsAgain()
  return { ...changed, keys_told, keys_following }
}
