// The list of buckets as storage-js asks for it: by offset, searched and sorted.

import type * as z from 'zod'
import { type CallerDeps, rowsAsCaller } from '../as-caller.ts'
import { BUCKET_FIELDS } from '../buckets/bucket-rows.ts'
import type { Bucket } from '../schemas.ts'
import type { StorageCall } from '../storage-call.ts'
import type { BucketsQuery } from './bodies.ts'
import { toListedBucket } from './shapes.ts'

/** The buckets whose name has the search text in it. Sorted by name unless said; without a limit 1 000 at most. */
export async function searchBuckets(
  deps: CallerDeps,
  call: StorageCall,
  {
    limit = 1_000,
    offset = 0,
    search = '',
    sortColumn = 'name',
    sortOrder = 'asc',
  }: z.output<typeof BucketsQuery>,
) {
  // Both words come out of the schema's short lists.
  const sql = `
    select json_build_object(${BUCKET_FIELDS})::text from storage.buckets b
    where strpos(lower(b.name), lower($1)) > 0
    order by b.${sortColumn} ${sortOrder}, b.id collate "C" limit $2::integer offset $3::integer`
  const params = [search.toWellFormed().replaceAll('\0', ''), String(limit), String(offset)]
  return (await rowsAsCaller<Bucket>(deps, call, { sql, params }, { readOnly: true })).map(toListedBucket)
}
