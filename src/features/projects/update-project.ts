// Renames a project, pauses and resumes it. The database first, then the limiters of its keys, which
// refuse from then on. Isolates that hold permits of a key use them up within a second.

import { DomainError, projectPaused } from '../../errors.ts'
import type { KeyLimiters } from '../api-keys/limit/key-limiter.ts'
import { listActiveKeys } from '../api-keys/record/key-store.ts'
import { type ProjectScope, projectNotFound } from '../api-keys/record/project-scope.ts'
import { audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { parseProjectId } from './project-id.ts'
import {
  findProject,
  type ProjectDatabase,
  type ProjectRow,
  toProject,
  updateProjectRow,
} from './project-store.ts'
import { type ChangedProject, KEYS_TOLD_MAX, type ProjectPatch } from './schemas.ts'
import { tellLimiters } from './tell-limiters.ts'

export interface UpdateProjectDeps {
  platform: ProjectDatabase
  limiters: KeyLimiters
  /** Closes sockets of what has ended. Never throws. */
  recheckSockets: (whose: { projectId: string }) => Promise<void>
}

/**
 * Changes the fields that were sent and answers the record, with how many keys a status holds for by now. A status that
 * is there already changes nothing, but limiters are told again: the answer to a first call may be lost. Throws
 * `not_found` for a project outside of the scope, `project_paused` for a key of it, and `conflict` when somebody else
 * changed it in between.
 */
export async function updateProject(
  deps: UpdateProjectDeps,
  caller: Caller,
  scope: ProjectScope,
  idText: string,
  patch: ProjectPatch,
): Promise<ChangedProject> {
  const id = parseProjectId(idText)
  const found = await findProject(deps.platform, id, scope)
  if (found === undefined) throw projectNotFound(idText)
  // A key may have been let in just before the pause, or hold a permit: only the status as it is read here decides.
  if (caller.actor.kind === 'api_key' && found.status === 'paused') throw projectPaused()
  const row = holds(found, patch) ? found : await change(deps, caller, found, patch)
  const told = patch.status === undefined ? 0 : await tellKeys(deps, id)
  if (patch.status === 'paused') await deps.recheckSockets({ projectId: id })
  const following = patch.status === undefined ? 0 : Math.max(0, row.active_keys - told)
  return { ...toProject(row), keys_told: told, keys_following: following }
}

function holds(row: ProjectRow, { name = row.name, status = row.status }: ProjectPatch): boolean {
  return row.name === name && row.status === status
}

async function change(
  deps: UpdateProjectDeps,
  caller: Caller,
  found: ProjectRow,
  { name = found.name, status = found.status }: ProjectPatch,
): Promise<ProjectRow> {
  const target = { targetKind: 'project', targetId: found.id, before: toProject(found) }
  return await audited(deps, caller, target, async () => {
    const result = await updateProjectRow(deps.platform, found, { name, status })
    if (result === undefined) throw changedMeanwhile()
    return { result, after: toProject(result) }
  })
}

function changedMeanwhile(): DomainError {
  return new DomainError('conflict', 'The project was changed by somebody else at the same time.', {
    hint: 'Read it again and repeat the change, where it is still to be made.',
  })
}

/** Of those that were used last; how many of them know by now. */
async function tellKeys({ platform, limiters }: UpdateProjectDeps, id: string): Promise<number> {
  return await tellLimiters(limiters, await listActiveKeys(platform, id, KEYS_TOLD_MAX))
}
