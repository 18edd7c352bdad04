// Whether a project may have sockets. Asked before its hub is: an object is made by asking for it.

import type { PlatformDatabase } from '../../db/database.ts'
import { DomainError } from '../../errors.ts'
import { projectNotFound } from '../api-keys/record/project-scope.ts'
import { parseProjectId } from '../projects/project-id.ts'

/** The id in canonical form. Throws `not_found` and `project_paused`. */
export async function openProject(
  platform: Pick<PlatformDatabase, 'query'>,
  idText: string,
): Promise<string> {
  const id = parseProjectId(idText)
  const sql = 'select status from quoin.projects where id = $1::uuid'
  const [row] = await platform.query<{ status: string }>(sql, [id], 'repeatable')
  if (row === undefined) throw projectNotFound(idText)
  if (row.status !== 'paused') return id
  throw new DomainError('project_paused', 'The project is paused: nobody connects to it.', {
    hint: 'Resume it in the dashboard, or with PATCH /api/projects/:id.',
  })
}
