// Deletes objects: rows alone. A trigger notes their versions, and the sweep takes the bytes after STORAGE_RETENTION.

import { rowsAsCaller, type StorageDeps } from '../as-caller.ts'
import { isStorable, type ObjectPlace } from '../names.ts'
import { OBJECT_JSON, type ObjectRow } from '../object-row.ts'
import type { StorageCall } from '../storage-call.ts'
import { objectNotFound } from './find-object.ts'

const DELETE = `delete from storage.objects o
  where o.bucket_id = $1
    and o.name in (select pg_catalog.jsonb_array_elements_text($2::jsonb) collate "C") returning ${OBJECT_JSON}`

/** Deletes those of the names that are there and that policies give the caller; answers their rows. */
export async function deleteObjects(
  deps: StorageDeps,
  call: StorageCall,
  bucketId: string,
  names: readonly string[],
): Promise<ObjectRow[]> {
  const storable = names.filter(isStorable)
  const params = [bucketId, JSON.stringify(storable)]
  return await rowsAsCaller<ObjectRow>(deps, call, { sql: DELETE, params })
}

/** Deletes one object. Throws `object_not_found`. */
export async function deleteObject(
  deps: StorageDeps,
  call: StorageCall,
  place: ObjectPlace,
): Promise<ObjectRow> {
  const [row] = await deleteObjects(deps, call, place.bucketId, [place.name])
  if (row === undefined) throw objectNotFound()
  return row
}
