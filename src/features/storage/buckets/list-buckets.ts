// Buckets with what is in them, counted as the caller sees it: by query, so no counter can drift.

import { rowsAsCaller, type StorageCall, type StorageDeps } from '../call.ts'
import { readCursor, writeCursor } from '../list/cursor.ts'
import type { BucketCounted, BucketList, BucketListQuery } from '../schemas.ts'
import { BUCKET_FIELDS } from './bucket-rows.ts'

const LIST = `
  select json_build_object(${BUCKET_FIELDS}, 'objects', c.objects, 'bytes', c.bytes)::text
  from storage.buckets b cross join lateral (
    select count(*) as objects, coalesce(sum((o.metadata ->> 'size')::bigint), 0) as bytes
    from storage.objects o where o.bucket_id = b.id
  ) c
  where $1::text is null or b.id collate "C" > $1::text
  order by b.id collate "C" limit $2::integer`

/** One page of the caller's buckets, by name. */
export async function listBuckets(
  deps: Pick<StorageDeps, 'data' | 'config'>,
  call: StorageCall,
  { limit, cursor }: BucketListQuery,
): Promise<BucketList> {
  const params = [readCursor(cursor)?.name ?? null, String(limit + 1)]
  const rows = await rowsAsCaller<BucketCounted>(deps, call, { sql: LIST, params }, { readOnly: true })
  const data = rows.slice(0, limit)
  const last = rows.length > limit ? data.at(-1) : undefined
  return { data, next_cursor: last === undefined ? null : writeCursor({ name: last.id, isFolder: false }) }
}
