// Lists by time, and searches without regard to case, which no index has: all names below the prefix are read, then
// sorted. By time, folders come first, by name.

import { rowsAsCaller, type StorageDeps } from '../as-caller.ts'
import type { ListEntry } from '../list/list-entries.ts'
import { behindPrefix, folderSql } from '../list/name-range.ts'
import { isStorable } from '../names.ts'
import { OBJECT_JSON, type ObjectRow } from '../object-row.ts'
import type { StorageCall } from '../storage-call.ts'

export type TimeColumn = 'updated_at' | 'created_at' | 'last_accessed_at'

export interface SortedQuery {
  readonly bucketId: string
  readonly prefix: string
  /** What follows the prefix in a name, in any case; empty: anything. */
  readonly search: string
  readonly hasFolders: boolean
  readonly column: TimeColumn | 'name'
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
  const { bucketId, prefix, search, hasFolders, limit, offset } = query
  if (![bucketId, prefix, search].every(isStorable)) return []
  const params = [
    bucketId,
    prefix,
    String(hasFolders),
    String(limit + 1),
    String(offset),
    behindPrefix(prefix),
    search,
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
  const byTime = column === 'name' ? '' : `e.folder is null, e.at ${order}, `
  return `
    with found as (
      select o.id, o.name, ${column === 'name' ? 'null::timestamptz' : `o.${column}`} as at,
        ${folderSql('($2 || $7)', '$3::boolean')} as folder
      from storage.objects o
      where o.bucket_id = $1 and o.name collate "C" >= $2 and o.name collate "C" < $6
        and pg_catalog.starts_with(
          pg_catalog.lower(pg_catalog.substr(o.name, pg_catalog.length($2) + 1)), pg_catalog.lower($7))
    ), entries as (
      select distinct folder, null::uuid as id, null::timestamptz as at, folder as key from found
        where folder is not null
      union all
      select null, id, at, name from found where folder is null
    )
    select pg_catalog.json_build_object('folder', e.folder, 'object', case when e.folder is null then
      (select ${OBJECT_JSON}::json from storage.objects o where o.id = e.id) end)::text
    from entries e
    order by ${byTime}e.key collate "C" ${order}
    limit $4::integer offset $5::integer`
}
