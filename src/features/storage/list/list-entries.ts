// Lists of a bucket's objects by name, with what lies in folders told as the folder. One step of the index an entry,
// however much a folder holds.

import { rowsAsCaller, type StorageDeps } from '../as-caller.ts'
import { isStorable } from '../names.ts'
import { OBJECT_JSON, type ObjectRow } from '../object-row.ts'
import type { StorageCall } from '../storage-call.ts'
import type { ListPosition } from './cursor.ts'
import { behindEntry, behindPrefix, folderSql } from './name-range.ts'

export interface ListQuery {
  readonly bucketId: string
  readonly prefix: string
  /** True: what has a slash behind the prefix is told as a folder. */
  readonly hasFolders: boolean
  readonly limit: number
  /** Entries to pass over, each of which is walked all the same. */
  readonly offset?: number
  readonly descending: boolean
  /** The last entry of the page before; null: from the beginning. */
  readonly after: ListPosition | null
}

/** Objects and folders in their common order. */
export type ListEntry = { readonly folder: string } | { readonly object: ObjectRow }

interface EntryRow {
  readonly folder: string | null
  readonly object: ObjectRow | null
}

/** One page of what the caller may see, and whether there is more. Names compare as bytes of UTF-8. */
export async function listEntries(
  deps: StorageDeps,
  call: StorageCall,
  query: ListQuery,
): Promise<{ entries: ListEntry[]; hasMore: boolean }> {
  const { bucketId, prefix, limit, descending } = query
  if (!isStorable(bucketId) || !isStorable(prefix)) return { entries: [], hasMore: false }
  const statement = { sql: descending ? DESCENDING : ASCENDING, params: paramsOf(query) }
  const rows = await rowsAsCaller<EntryRow>(deps, call, statement, { readOnly: true })
  return { entries: rows.slice(0, limit).map(toEntry), hasMore: rows.length > limit }
}

function paramsOf({
  bucketId,
  prefix,
  hasFolders,
  limit,
  offset = 0,
  descending,
  after,
}: ListQuery): string[] {
  const behind = behindPrefix(prefix)
  const start = descending ? (after?.name ?? behind) : after === null ? prefix : behindEntry(after)
  return [bucketId, prefix, String(hasFolders), behind, start, String(offset), String(limit + 1)]
}

function toEntry({ folder, object }: EntryRow): ListEntry {
  if (folder !== null) return { folder }
  if (object === null) throw new Error('an entry is a folder or an object')
  return { object }
}

/** What comes next within the prefix: one probe of the index. */
const step = (where: string, order: string) => `
  select o.id, o.name, ${folderSql('$2', '$3::boolean')} as folder from storage.objects o
  where o.bucket_id = $1 and o.name collate "C" >= $2 and o.name collate "C" < $4 and o.name collate "C" ${where}
  order by o.name collate "C" ${order} limit 1`

const list = (first: string, next: string) => `
  with recursive entries (n, id, at, folder) as (
    (select 1, s.id, coalesce(s.folder, s.name), s.folder from (${first}) s)
    union all
    select e.n + 1, s.id, coalesce(s.folder, s.name), s.folder from entries e cross join lateral (${next}) s
    where e.n < $6::integer + $7::integer
  )
  select pg_catalog.json_build_object('folder', e.folder,
    'object', case when e.folder is null then (select ${OBJECT_JSON}::json from storage.objects o where o.id = e.id) end
  )::text
  from entries e where e.n > $6::integer order by e.n`

/** As `behindEntry`: 0 follows the slash of a folder, and no name has U+0001. */
const BEHIND = `(case when e.folder is not null then pg_catalog.left(e.at, -1) || '0'
  else e.at || pg_catalog.chr(1) end)`

const ASCENDING = list(step('>= $5', 'asc'), step(`>= ${BEHIND}`, 'asc'))
/** Before a folder's first name comes what is less than the folder itself. */
const DESCENDING = list(step('< $5', 'desc'), step('< e.at', 'desc'))

/** Where the entry stands, for the page behind it. */
export function positionOf(entry: ListEntry): ListPosition {
  return 'folder' in entry
    ? { name: entry.folder, isFolder: true }
    : { name: entry.object.name, isFolder: false }
}
