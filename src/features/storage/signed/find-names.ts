// Which of many names the caller may read.

import { rowsAsCaller, type StorageDeps } from '../as-caller.ts'
import { isStorable } from '../names.ts'
import type { StorageCall } from '../storage-call.ts'

const FIND = `select pg_catalog.to_json(o.name)::text from storage.objects o where o.bucket_id = $1
  and o.name in (select pg_catalog.jsonb_array_elements_text($2::jsonb) collate "C") and o.version is not null`

/** Those of the names that have a file for this caller. */
export async function findNames(
  deps: StorageDeps,
  call: StorageCall,
  bucketId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const storable = names.filter(isStorable)
  const params = [bucketId, JSON.stringify(storable)]
  return new Set(await rowsAsCaller<string>(deps, call, { sql: FIND, params }, { readOnly: true }))
}
