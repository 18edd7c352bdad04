// Buckets with what is in them, counted as the caller sees it: by query, so no counter can drift.

import { rowsAsCaller, type StorageDeps } from '../as-caller.ts'
import { readCursor, writeCursor } from '../list/cursor.ts'
import type { BucketCounted, BucketList, BucketListQuery } from '../schemas.ts'
import type { StorageCall } from '../storage-call.ts'
import { readSweepFigures } from '../sweep/read-figures.ts'
import { BYTES_SQL } from '../totals-sql.ts'
import { BUCKET_FIELDS } from './bucket-rows.ts'

const LIST = `
  select json_build_object(${BUCKET_FIELDS}, 'objects', c.objects, 'bytes', c.bytes)::text
  from storage.buckets b cross join lateral (
    select count(*) as objects, ${BYTES_SQL} as bytes
    from storage.objects o where o.bucket_id = b.id
  ) c
  where $1::text is null or b.id collate "C" > $1::text
  order by b.id collate "C" limit $2::integer`

/** One page of the caller's buckets, by name; whoever is past all policies is told what the sweep has found. */
export async function listBuckets(
  deps: Pick<StorageDeps, 'data' | 'config' | 'platform' | 'publicRows'>,
  call: StorageCall,
  { limit, cursor }: BucketListQuery,
): Promise<BucketList> {
  const params = [readCursor(cursor)?.name ?? null, String(limit + 1)]
  const [rows, leftovers] = await Promise.all([
    rowsAsCaller<BucketCounted>(deps, call, { sql: LIST, params }, { readOnly: true }),
    call.role === 'service_role' ? readSweepFigures(deps) : null,
  ])
  const data = rows.slice(0, limit)
  const last = rows.length > limit ? data.at(-1) : undefined
  const next_cursor = last === undefined ? null : writeCursor({ name: last.id, isFolder: false })
  return { data, next_cursor, leftovers }
}
