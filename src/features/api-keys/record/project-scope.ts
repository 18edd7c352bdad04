// Which projects a caller reaches: a key its own alone, an administrator's session all. Pure.

import { DomainError } from '../../../errors.ts'
import type { ApiKey } from './schemas.ts'

/** A longer text is no id anyhow. */
const ID_SHOWN_LENGTH_MAX = 100

/** One project, or each of them. What lies outside of it is answered as if it did not exist. */
export type ProjectScope = { readonly only: string } | 'every_project'

/** The scope of whoever was let in by an API key or as an administrator. */
export function scopeOf(principal: { kind: 'api_key'; key: ApiKey } | { kind: 'session' }): ProjectScope {
  return principal.kind === 'api_key' ? { only: principal.key.project_id } : 'every_project'
}

/** For a statement's parameter: the id of the one project; null for each of them. */
export function projectOf(scope: ProjectScope): string | null {
  return scope === 'every_project' ? null : scope.only
}

/** Whether the project with this id, in any letter case, is in the scope. */
export function reaches(scope: ProjectScope, projectId: string): boolean {
  return scope === 'every_project' || scope.only === projectId.toLowerCase()
}

/** The same for what is no id, for an id that no project has, and for a project outside of the scope. */
export function projectNotFound(id: string): DomainError {
  return new DomainError('not_found', `No project has the id ${id.slice(0, ID_SHOWN_LENGTH_MAX)}.`, {
    hint: 'GET /v1/projects has the project of the calling key; GET /api/projects lists all for administrators.',
  })
}
