// Pages of API keys, newest first.

import { pageOf, readCursor } from '../../../db/keyset-page.ts'
import { toApiKey } from './key-row.ts'
import { type KeyDatabase, listKeyRows } from './key-store.ts'
import { type ProjectScope, projectNotFound, projectOf, reaches } from './project-scope.ts'
import type { ApiKeyList, ApiKeyListQuery } from './schemas.ts'

/**
 * One page of the scope's keys, revoked ones included. Throws `invalid_parameter` for a cursor that is not one of ours,
 * and `not_found` for a project outside of the scope.
 */
export async function listKeys(
  deps: { platform: KeyDatabase },
  scope: ProjectScope,
  query: ApiKeyListQuery,
): Promise<ApiKeyList> {
  const projectId = query.project_id ?? projectOf(scope)
  if (projectId !== null && !reaches(scope, projectId)) throw projectNotFound(projectId)
  const rows = await listKeyRows(deps.platform, {
    projectId,
    after: readCursor(query.cursor),
    limit: query.limit + 1,
  })
  const { page, nextCursor } = pageOf(rows, query.limit)
  return { data: page.map(toApiKey), next_cursor: nextCursor }
}
