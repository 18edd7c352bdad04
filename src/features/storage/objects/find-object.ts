// One object's row, for whoever may read it: by policies, or because its bucket is public.

import type { Statement } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import { rowsAsCaller, type StorageDeps } from '../as-caller.ts'
import { isStorable, type ObjectPlace } from '../names.ts'
import { type FileRow, hasFile, OBJECT_JSON, type ObjectRow } from '../object-row.ts'
import type { StorageCall } from '../storage-call.ts'
import { bucketNotFound } from '../writes/claims.ts'

const FIND = `select ${OBJECT_JSON} from storage.objects o where o.bucket_id = $1 and o.name = $2 collate "C"`

const FIND_PUBLIC = `
  select b.public::text, case when b.public then (${FIND}) end
  from storage.buckets b where b.id = $1`

/**
 * The row. Throws `object_not_found`, whether it is not there or not for this caller, and `bucket_not_found`. A public
 * bucket's objects are for everybody.
 */
export async function findObject(
  deps: StorageDeps,
  call: StorageCall,
  place: ObjectPlace,
): Promise<ObjectRow> {
  const [row] = await rowsAsCaller<ObjectRow>(deps, call, statementFor(place), { readOnly: true })
  if (row !== undefined) return row
  const { sql, params } = { ...statementFor(place), sql: FIND_PUBLIC }
  const [bucket] = await deps.platform.texts(sql, params, 'repeatable')
  if (bucket === undefined) throw bucketNotFound()
  const json = bucket[1]
  if (json == null) throw objectNotFound()
  return JSON.parse(json) as ObjectRow
}

/** As `findObject`, of an object with a file. Throws `object_not_found` for one that SQL made without. */
export async function findFile(deps: StorageDeps, call: StorageCall, place: ObjectPlace): Promise<FileRow> {
  const row = await findObject(deps, call, place)
  if (hasFile(row)) return row
  throw withoutFile()
}

/** As `findFile`, by the policies alone: what is copied or moved is the caller's own to see. */
export async function findOwnFile(
  deps: StorageDeps,
  call: StorageCall,
  place: ObjectPlace,
): Promise<FileRow> {
  const [row] = await rowsAsCaller<ObjectRow>(deps, call, statementFor(place), { readOnly: true })
  if (row === undefined) throw objectNotFound()
  if (hasFile(row)) return row
  throw withoutFile()
}

function statementFor({ bucketId, name }: ObjectPlace): Statement<string> {
  if (!isStorable(bucketId) || !isStorable(name)) throw objectNotFound()
  return { sql: FIND, params: [bucketId, name] }
}

export function objectNotFound(): DomainError {
  return new DomainError('object_not_found', 'Object not found', {
    hint: 'Look at its name, and whether a SELECT policy on storage.objects lets this caller see it.',
  })
}

function withoutFile(): DomainError {
  return new DomainError('object_not_found', 'Object not found', {
    detail: 'There is a row of that name, but no file: SQL made it, or the store lost the bytes.',
    hint: 'Upload the file again, replacing the row.',
  })
}
