// Deleting relation tuples. Exact ones only: what the permission server would take for a wildcard is never sent.

import { deleteTuples as deleteStored } from '../../clients/permission-server.ts'
import type { AuditDeps } from '../audit/audited.ts'
import { audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { type LabelledTuple, refuseUnknownNames } from './declared-names.ts'
import type { PermissionWriteDeps } from './permission-deps.ts'
import type { TupleDeletion, TupleNames } from './schemas.ts'
import { findStored } from './stored-tuples.ts'
import { throwIfRefused } from './tuple-errors.ts'
import { distinctTuples, readTuple, readTuples } from './tuple-input.ts'
import { parseSubject, printTuple } from './tuple-text.ts'

export type DeleteTuplesDeps = PermissionWriteDeps & AuditDeps

/**
 * Deletes tuples in one call, all or none, each with its copies. Those that are not there are no error. Throws
 * `too_many_tuples`, and `invalid_tuple` or `unknown_namespace` with the index of the first bad one. Relations need not
 * be declared: what is left over from an older permission file can go.
 */
export async function deleteTuples(
  deps: DeleteTuplesDeps,
  caller: Caller,
  values: readonly unknown[],
): Promise<TupleDeletion> {
  return deleteThose(deps, caller, readTuples(values))
}

/** Deletes the one tuple that a query names. */
export async function deleteTuple(
  deps: DeleteTuplesDeps,
  caller: Caller,
  { subject, ...names }: TupleNames,
): Promise<TupleDeletion> {
  const named = readTuple({ ...names, ...parseSubject(subject) }, 'query')
  return deleteThose(deps, caller, [named])
}

async function deleteThose(
  deps: DeleteTuplesDeps,
  caller: Caller,
  named: readonly LabelledTuple[],
): Promise<TupleDeletion> {
  const { permissionRead, permissionWrite } = deps.upstreams
  await refuseUnknownNames(deps, named, 'delete')
  const tuples = distinctTuples(named)
  const stored = await findStored(permissionRead, tuples)
  const there = tuples.filter(tuple => stored.has(printTuple(tuple)))
  if (there.length === 0) return { deleted: 0 }
  const texts = there.map(printTuple)
  const targetId = texts.length === 1 ? (texts[0] ?? null) : null
  const change = { targetKind: 'relation_tuples', targetId, before: { tuples: texts } }
  return audited(deps, caller, change, async () => {
    throwIfRefused(await deleteStored(permissionWrite, there))
    return { result: { deleted: there.length } }
  })
}
