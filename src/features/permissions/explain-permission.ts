// Why a subject has a relation or permit, or has not: the server's answer, and the tuples that lead there.

import { isAllowed, readQuestion } from './check-permission.ts'
import type { PermissionReadDeps } from './permission-deps.ts'
import type { PermissionExplanation } from './schemas.ts'
import { printSubject } from './tuple-text.ts'
import { startWalk } from './walk/start-walk.ts'
import { firstLimit, walkRelation } from './walk/walk-relation.ts'

/**
 * The chain of tuples from the object to the subject, a shortest one; where there is none, the limit that may hide one,
 * or that there is no path. Throws as `checkPermission` does.
 */
export async function explainPermission(
  deps: PermissionReadDeps,
  value: unknown,
): Promise<PermissionExplanation> {
  const tuple = await readQuestion(deps, value)
  const { namespace, object, relation } = tuple
  const allowed = await isAllowed(deps, tuple)
  const { grants, limits } = await walkRelation(startWalk(deps), { namespace, object, relation })
  const path = grants.get(printSubject(tuple))
  if (path !== undefined) return { allowed, reason: 'path', path, truncated_by: null }
  const limit = firstLimit(limits)
  return { allowed, reason: limit === null ? 'no_path' : 'limit', path: [], truncated_by: limit }
}
