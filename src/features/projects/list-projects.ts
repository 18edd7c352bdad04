// Pages of projects, newest first.

import { pageOf, readCursor } from '../../db/keyset-page.ts'
import type { ProjectScope } from '../api-keys/record/project-scope.ts'
import { listProjectRows, type ProjectDatabase, toProject } from './project-store.ts'
import type { ProjectList, ProjectListQuery } from './schemas.ts'

/** One page of the scope's projects. Throws `invalid_parameter` for a cursor that is not one of ours. */
export async function listProjects(
  deps: { platform: Pick<ProjectDatabase, 'query'> },
  scope: ProjectScope,
  query: ProjectListQuery,
): Promise<ProjectList> {
  const after = readCursor(query.cursor)
  const rows = await listProjectRows(deps.platform, { scope, after, limit: query.limit + 1 })
  const { page, nextCursor } = pageOf(rows, query.limit)
  return { data: page.map(toProject), next_cursor: nextCursor }
}
