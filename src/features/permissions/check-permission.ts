// Whether a subject has a relation or permit, in the permission server's own words.

import { checkTuple, type RelationTuple } from '../../clients/permission-server.ts'
import { DomainError } from '../../errors.ts'
import { refuseUnknownNames } from './declared-names.ts'
import type { PermissionReadDeps } from './permission-deps.ts'
import type { PermissionCheck } from './schemas.ts'
import { readTuple } from './tuple-input.ts'

/**
 * Asks the permission server. Throws `invalid_tuple`, `unknown_namespace` and `unknown_relation`, of which the server
 * itself takes some for a denial, and the `upstream_*` errors.
 */
export async function checkPermission(deps: PermissionReadDeps, value: unknown): Promise<PermissionCheck> {
  return { allowed: await isAllowed(deps, await readQuestion(deps, value)) }
}

/** The tuple that is asked about. Throws for names that nobody has declared. */
export async function readQuestion(deps: PermissionReadDeps, value: unknown): Promise<RelationTuple> {
  const question = readTuple(value, 'body')
  await refuseUnknownNames(deps, [question], 'ask')
  return question.tuple
}

/**
 * The server's answer. Throws `unknown_relation` where a stored tuple leads to a relation that is not declared, and
 * `check_incomplete` where the server gives up.
 */
export async function isAllowed({ upstreams }: PermissionReadDeps, tuple: RelationTuple): Promise<boolean> {
  const answer = await checkTuple(upstreams.permissionRead, tuple)
  if (answer.outcome === 'checked') return answer.allowed
  if (answer.outcome === 'given_up') {
    throw new DomainError('check_incomplete', 'The permission server gave up on this check.', {
      detail: answer.reason,
      hint: 'Too many subject sets lie between the object and the subject: flatten them.',
    })
  }
  throw new DomainError('unknown_relation', 'The permission server cannot check this.', {
    detail: answer.reason,
    hint: 'A tuple on the way names a relation that permissions/namespaces.ts does not declare: delete that tuple.',
  })
}
