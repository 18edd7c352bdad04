// Empties a bucket: deletes those of its objects that policies give the caller, in pieces that each stay short.

import { asCaller, type CallerDeps } from '../as-caller.ts'
import type { EmptiedBucket } from '../schemas.ts'
import type { StorageCall } from '../storage-call.ts'

const PIECE = 5_000
/** A call gives up here, long before its own time is over; the next one goes on. */
const WORK_MS_MAX = 15_000

const DELETE = `
  with piece as (select o.id from storage.objects o where o.bucket_id = $1 limit ${PIECE}), deleted as (
    delete from storage.objects o using piece where o.id = piece.id returning o.id
  )
  select (select count(*) from deleted)::text, (select count(*) from piece)::text`

/** Deletes what the caller may; what is left when its time is over is left to another call. */
export async function emptyBucket(deps: CallerDeps, call: StorageCall, id: string): Promise<EmptiedBucket> {
  const endsMs = Date.now() + WORK_MS_MAX
  let deleted = 0
  for (;;) {
    const [result] = await asCaller(deps, call, [{ sql: DELETE, params: [id] }])
    const [count, found] = (result?.rows[0] ?? []).map(Number)
    deleted += count ?? 0
    // What can be seen and not deleted would be found again and again.
    if (count !== found || found !== PIECE) return { deleted, complete: count === found }
    if (Date.now() > endsMs) return { deleted, complete: false }
  }
}
