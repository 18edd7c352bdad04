// Makes a project: a name for a group of keys.

import { audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { insertProject, type ProjectDatabase, toProject } from './project-store.ts'
import type { Project, ProjectIn } from './schemas.ts'

/** Makes a project, which is active and has no keys, and answers it. */
export async function createProject(
  deps: { platform: Pick<ProjectDatabase, 'query'> },
  caller: Caller,
  { name }: ProjectIn,
): Promise<Project> {
  return await audited(deps, caller, { targetKind: 'project', targetId: null }, async () => {
    const result = toProject(await insertProject(deps.platform, name))
    return { result, targetId: result.id, after: result }
  })
}
