// Writing relation tuples, each once: the permission server itself would store a tuple again that it has (Spec,
// Dashboard API: permission management).

import { insertTuples, type RelationTuple } from '../../clients/permission-server.ts'
import { audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { type LeaseDeps, withLease } from '../leases/with-lease.ts'
import { refuseUnknownNames } from './declared-names.ts'
import type { PermissionWriteDeps } from './permission-deps.ts'
import type { TupleImport, TupleWritten } from './schemas.ts'
import { findStored } from './stored-tuples.ts'
import { throwIfRefused } from './tuple-errors.ts'
import { distinctTuples, readTuple, readTuples } from './tuple-input.ts'
import { printTuple } from './tuple-text.ts'

export type WriteTuplesDeps = PermissionWriteDeps & LeaseDeps

/**
 * Writes those tuples that are not there yet, in one call and all or none. Throws `too_many_tuples`, `invalid_tuple`,
 * `unknown_namespace` and `unknown_relation`, with the index of the first bad tuple; nothing is written then.
 */
export async function importTuples(
  deps: WriteTuplesDeps,
  caller: Caller,
  values: readonly unknown[],
): Promise<TupleImport> {
  const sent = readTuples(values)
  await refuseUnknownNames(deps, sent, 'store')
  const written = await writeNew(deps, caller, distinctTuples(sent))
  return { imported: written.length, skipped_duplicates: sent.length - written.length }
}

/** Writes one tuple, unless it is there. Throws as `importTuples` does. */
export async function writeTuple(
  deps: WriteTuplesDeps,
  caller: Caller,
  value: unknown,
): Promise<TupleWritten> {
  const sent = readTuple(value, 'body')
  await refuseUnknownNames(deps, [sent], 'store')
  const written = await writeNew(deps, caller, [sent.tuple])
  return { tuple: sent.tuple, created: written.length === 1 }
}

function writeNew(
  deps: WriteTuplesDeps,
  caller: Caller,
  tuples: readonly RelationTuple[],
): Promise<RelationTuple[]> {
  const { permissionRead, permissionWrite } = deps.upstreams
  // Quoin's writers wait for each other: between looking and writing no other one writes.
  return withLease(deps, `permissions at ${permissionWrite.baseUrl}`, async stillMine => {
    const stored = await findStored(permissionRead, tuples)
    const missing = tuples.filter(tuple => !stored.has(printTuple(tuple)))
    if (missing.length === 0) return []
    const texts = missing.map(printTuple)
    const change = {
      targetKind: 'relation_tuples',
      targetId: texts.length === 1 ? (texts[0] ?? null) : null,
    }
    return audited(deps, caller, change, async () => {
      stillMine()
      throwIfRefused(await insertTuples(permissionWrite, missing))
      return { result: missing, after: { tuples: texts } }
    })
  })
}
