// Lists of a bucket's objects by name, with what lies in folders told as the folder. One step of the index an entry,
// however much a folder holds.

import { rowsAsCaller, type StorageCall, type StorageDeps } from '../call.ts'
import { OBJECT_JSON, type ObjectRow } from '../object-row.ts'
import type { ListPosition } from './cursor.ts'

export interface ListQuery {
  readonly bucketId: string
  readonly prefix: string
  /** True: what has a slash behind the prefix is told as a folder. */
  readonly hasFolders: boolean
  readonly limit: number
  readonly descending: boolean
  /** The last entry of the page before; null: from the beginning. */
  readonly after: ListPosition | null
}

/** Objects and folders in their common order. */
export type ListEntry = { readonly folder: string } | { readonly object: ObjectRow }

/**
 * One page of what the caller may see, and whether there is more. Names compare as bytes of UTF-8. A name that SQL made
 * with a control character may be passed over behind one that it begins with.
 */
export async function listEntries(
  deps: StorageDeps,
  call: StorageCall,
  query: ListQuery,
): Promise<{ entries: ListEntry[]; hasMore: boolean }> {
  const { bucketId, prefix, hasFolders, limit, descending, after } = query
  const sql = descending ? DESCENDING : ASCENDING
  const params = [
    bucketId,
    prefix,
    String(hasFolders),
    String(limit + 1),
    after?.name ?? null,
    String(after?.isFolder ?? false),
  ]
  const rows = await rowsAsCaller<{ folder: string | null; object: ObjectRow | null }>(
    deps,
    call,
    { sql, params },
    { readOnly: true },
  )
  const entries = rows.slice(0, limit).map(({ folder, object }): ListEntry => {
    if (folder !== null) return { folder }
    if (object === null) throw new Error('an entry is a folder or an object')
    return { object }
  })
  return { entries, hasMore: rows.length > limit }
}

/** The folder of a name below the prefix, null for what lies right there. */
const FOLDER = `case when $3::boolean and strpos(substr(o.name, length($2) + 1), '/') > 0
  then left(o.name, length($2) + strpos(substr(o.name, length($2) + 1), '/')) end`

/** The first text behind an entry: 0 follows the slash of a folder, and U+0001 is in no name. */
const behind = (at: string, isFolder: string) =>
  `case when ${isFolder} then left(${at}, -1) || '0' else ${at} || chr(1) end`

const IN_PREFIX = `o.bucket_id = $1 and o.name collate "C" >= $2 and starts_with(o.name, $2)`

const step = (where: string, order: string) => `
  select o.id, o.name, ${FOLDER} as folder from storage.objects o
  where ${IN_PREFIX} and ${where} order by o.name collate "C" ${order} limit 1`

const list = (first: string, next: string, order: string) => `
  with recursive entries (n, id, at, folder) as (
    (select 1, s.id, coalesce(s.folder, s.name), s.folder from (${step(first, order)}) s)
    union all
    select e.n + 1, s.id, coalesce(s.folder, s.name), s.folder
    from entries e cross join lateral (${step(next, order)}) s
    where e.n < $4::integer
  )
  select json_build_object('folder', e.folder,
    'object', case when e.folder is null then (select ${OBJECT_JSON}::json from storage.objects o where o.id = e.id) end
  )::text
  from entries e order by e.n`

const ASCENDING = list(
  `($5::text is null or o.name collate "C" >= (${behind('$5::text', '$6::boolean')}))`,
  `o.name collate "C" >= (${behind('e.at', 'e.folder is not null')})`,
  'asc',
)
/** Before a folder's first name comes what is less than the folder itself. */
const DESCENDING = list(
  `($5::text is null or o.name collate "C" < $5::text) and $6::boolean is not null`,
  `o.name collate "C" < e.at`,
  'desc',
)

/** Where the entry stands, for the page behind it. */
export function positionOf(entry: ListEntry): ListPosition {
  return 'folder' in entry
    ? { name: entry.folder, isFolder: true }
    : { name: entry.object.name, isFolder: false }
}
