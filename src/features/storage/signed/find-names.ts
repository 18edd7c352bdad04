// Which of many names the caller may read.

import { rowsAsCaller, type StorageDeps } from '../as-caller.ts'
import { isStorable } from '../names.ts'
import type { StorageCall } from '../storage-call.ts'

const FIND = `select to_json(o.name)::text from storage.objects o where o.bucket_id = $1
  and o.name in (select jsonb_array_elements_text($2::jsonb) collate "C") and o.version is not null`

const FIND_PUBLIC = `select to_json(o.name)::text from storage.objects o join storage.buckets b on b.id = o.bucket_id
  where b.public and o.bucket_id = $1
    and o.name in (select jsonb_array_elements_text($2::jsonb) collate "C") and o.version is not null`

/** Those of the names that have a file for this caller; in a public bucket, all that are there. */
export async function findNames(
  deps: StorageDeps,
  call: StorageCall,
  bucketId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const storable = names.filter(isStorable)
  const params = [bucketId, JSON.stringify(storable)]
  const own = await rowsAsCaller<string>(deps, call, { sql: FIND, params }, { readOnly: true })
  if (own.length === new Set(names).size) return new Set(own)
  const anybodys = await deps.platform.texts(FIND_PUBLIC, params, 'repeatable')
  return new Set([...own, ...anybodys.map(([json]) => JSON.parse(json ?? '""') as string)])
}
