// The list of /v1: objects and folders of one page, apart.

import type { StorageDeps } from '../as-caller.ts'
import { toStoredObject } from '../object-row.ts'
import type { ObjectList, ObjectListQuery } from '../schemas.ts'
import type { StorageCall } from '../storage-call.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { listEntries, positionOf } from './list-entries.ts'

/** One page by name. Throws `invalid_parameter` for a cursor that is none. A bucket that is not there is empty. */
export async function listObjects(
  deps: StorageDeps,
  call: StorageCall,
  bucketId: string,
  { prefix, delimiter, limit, cursor }: ObjectListQuery,
): Promise<ObjectList> {
  const after = readCursor(cursor)
  const query = { bucketId, prefix, hasFolders: delimiter === '/', limit, descending: false, after }
  const { entries, hasMore } = await listEntries(deps, call, query)
  const last = hasMore ? entries.at(-1) : undefined
  return {
    data: entries.flatMap(entry => ('object' in entry ? [toStoredObject(entry.object)] : [])),
    folders: entries.flatMap(entry => ('folder' in entry ? [entry.folder] : [])),
    next_cursor: last === undefined ? null : writeCursor(positionOf(last)),
  }
}
