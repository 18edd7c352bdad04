// Why a subject has a relation or permit, or has not: the server's answer, and the tuples that lead there.

import { isAllowed, readQuestion } from './check-permission.ts'
import type { PermissionReadDeps } from './permission-deps.ts'
import type { PermissionExplanation } from './schemas.ts'
import { printSubject } from './tuple-text.ts'
import { startWalk } from './walk/start-walk.ts'
import { firstLimit, walkRelation } from './walk/walk-relation.ts'

/**
 * The tuples that lead from the object to the subject; where the server says no, that none do, or the limit that may
 * hide them. Throws as `checkPermission` does.
 */
export async function explainPermission(
  deps: PermissionReadDeps,
  value: unknown,
): Promise<PermissionExplanation> {
  const tuple = await readQuestion(deps, value)
  const { namespace, object, relation } = tuple
  const allowed = await isAllowed(deps, tuple)
  const subject = printSubject(tuple)
  const { grants, limits } = await walkRelation(startWalk(deps, { only: subject }), {
    namespace,
    object,
    relation,
  })
  const via = grants.get(subject)
  if (allowed && via !== undefined) return { allowed, reason: 'path', via, truncated_by: null }
  // The server looks less deep than it is said to (`PERMISSION_DEPTH_MAX`), or deeper.
  const limit = firstLimit(limits) ?? (allowed === grants.has(subject) ? null : 'depth')
  return { allowed, reason: limit === null ? 'no_path' : 'limit', via: [], truncated_by: limit }
}
