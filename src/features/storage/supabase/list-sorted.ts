// Lists by time, which no index has: all names below the prefix are read, then sorted. Folders come first, by name.

import { rowsAsCaller, type StorageCall, type StorageDeps } from '../call.ts'
import type { ListEntry } from '../list/list-objects.ts'
import { behindPrefix, folderSql } from '../list/name-range.ts'
import { isStorable } from '../names.ts'
import { OBJECT_JSON, type ObjectRow } from '../object-row.ts'

export type TimeColumn = 'updated_at' | 'created_at' | 'last_accessed_at'

export interface SortedQuery {
  readonly bucketId: string
  readonly prefix: string
  readonly hasFolders: boolean
  readonly column: TimeColumn
  readonly descending: boolean
  readonly offset: number
  readonly limit: number
}

/** A page, with one entry more than `limit` where there are more. Equal times are ordered by name. */
export async function listSorted(
  deps: StorageDeps,
  call: StorageCall,
  query: SortedQuery,
): Promise<ListEntry[]> {
  const { bucketId, prefix, hasFolders, limit, offset } = query
  if (!isStorable(bucketId) || !isStorable(prefix)) return []
  const params = [
    bucketId,
    prefix,
    String(hasFolders),
    String(limit + 1),
    String(offset),
    behindPrefix(prefix),
  ]
  const statement = { sql: sortedSql(query), params }
  const rows = await rowsAsCaller<{ folder: string | null; object: ObjectRow }>(deps, call, statement, {
    readOnly: true,
  })
  return rows.map(({ folder, object }) => (folder === null ? { object } : { folder }))
}

/** The column and the direction are one of a few words of ours. */
function sortedSql({ column, descending }: Pick<SortedQuery, 'column' | 'descending'>): string {
  const order = descending ? 'desc' : 'asc'
  return `
    with found as (
      select o.id, o.name, o.${column} as at, ${folderSql('$2', '$3::boolean')} as folder
      from storage.objects o
      where o.bucket_id = $1 and o.name collate "C" >= $2 and o.name collate "C" < $6
    ), entries as (
      select distinct folder, null::uuid as id, null::timestamptz as at, folder as key from found
        where folder is not null
      union all
      select null, id, at, name from found where folder is null
    )
    select json_build_object('folder', e.folder, 'object', case when e.folder is null then
      (select ${OBJECT_JSON}::json from storage.objects o where o.id = e.id) end)::text
    from entries e
    order by e.folder is null, e.at ${order}, e.key collate "C" ${order}
    limit $4::integer offset $5::integer`
}
