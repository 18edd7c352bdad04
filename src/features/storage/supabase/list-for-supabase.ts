// The two lists of storage-js: the older one counts by an offset and shows one folder, the newer one has a cursor.

import type * as z from 'zod'
import { DomainError } from '../../../errors.ts'
import { decodeBase64Url, encodeBase64Url } from '../../../lib/base64url.ts'
import type { StorageDeps } from '../as-caller.ts'
import { readCursor, writeCursor } from '../list/cursor.ts'
import { type ListEntry, listEntries, positionOf } from '../list/list-entries.ts'
import type { StorageCall } from '../storage-call.ts'
import type { ListBody, ListV2Body } from './bodies.ts'
import { listSorted, type TimeColumn } from './list-sorted.ts'
import { toListedFolder, toListedObject, toSupabaseObject } from './shapes.ts'

/**
 * One folder: `prefix` is its name, with a final slash or without; `search` is what the names in it begin with, in any
 * case.
 */
export async function listFolder(
  deps: StorageDeps,
  call: StorageCall,
  bucketId: string,
  { prefix, limit, offset, search, sortBy }: z.output<typeof ListBody>,
) {
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`
  const query = {
    bucketId,
    prefix: folder,
    hasFolders: true,
    descending: sortBy?.order === 'desc',
  }
  const column = sortBy?.column ?? 'name'
  const entries =
    column === 'name' && search === ''
      ? (await listEntries(deps, call, { ...query, offset, limit, after: null })).entries
      : (await listSorted(deps, call, { ...query, search, column, offset, limit })).slice(0, limit)
  return entries.map(entry =>
    'folder' in entry
      ? toListedFolder(entry.folder.slice(folder.length, -1))
      : toListedObject(entry.object, entry.object.name.slice(folder.length)),
  )
}

/** A page with objects and folders apart, by name or by time. Throws `invalid_parameter` for a cursor that is none. */
export async function listV2(
  deps: StorageDeps,
  call: StorageCall,
  bucketId: string,
  { prefix, limit, cursor, with_delimiter: hasFolders, sortBy }: z.output<typeof ListV2Body>,
) {
  const query = { bucketId, prefix, hasFolders, limit, descending: sortBy?.order === 'desc' }
  const column = sortBy?.column ?? 'name'
  if (column !== 'name') return await pageByTime(deps, call, { ...query, column }, cursor)
  const { entries, hasMore } = await listEntries(deps, call, { ...query, after: readCursor(cursor) })
  const last = hasMore ? entries.at(-1) : undefined
  return pageOf(entries, last === undefined ? undefined : writeCursor(positionOf(last)))
}

/** The cursor counts: what is written in between may be passed over or come twice. */
async function pageByTime(
  deps: StorageDeps,
  call: StorageCall,
  query: Omit<Parameters<typeof listSorted>[2], 'offset' | 'search'> & { column: TimeColumn },
  cursor: string | undefined,
) {
  const offset = cursor === undefined ? 0 : readOffset(cursor)
  const entries = await listSorted(deps, call, { ...query, search: '', offset })
  const isLast = entries.length <= query.limit
  const next = isLast ? undefined : encodeBase64Url(new TextEncoder().encode(String(offset + query.limit)))
  return pageOf(entries.slice(0, query.limit), next)
}

function pageOf(entries: readonly ListEntry[], nextCursor: string | undefined) {
  return {
    hasNext: nextCursor !== undefined,
    ...(nextCursor === undefined ? {} : { nextCursor, nextCursorKey: keyOf(entries.at(-1)) }),
    folders: entries.flatMap(entry =>
      'folder' in entry ? [{ name: entry.folder, key: lastPart(entry.folder) }] : [],
    ),
    objects: entries.flatMap(entry =>
      'object' in entry ? [{ ...toSupabaseObject(entry.object), key: lastPart(entry.object.name) }] : [],
    ),
  }
}

/** What a folder or an object is called in its folder; Supabase calls that its key. */
function lastPart(name: string): string {
  return name.replace(/\/$/, '').split('/').at(-1) ?? name
}

function keyOf(entry: ListEntry | undefined): string | undefined {
  if (entry === undefined) return undefined
  return 'folder' in entry ? entry.folder : entry.object.name
}

function readOffset(cursor: string): number {
  const text = new TextDecoder().decode(decodeBase64Url(cursor))
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new DomainError('invalid_parameter', 'cursor: not a cursor of this list.', {
    hint: 'Send nextCursor of the page before as it is, with the same sortBy, or leave it out.',
  })
}
