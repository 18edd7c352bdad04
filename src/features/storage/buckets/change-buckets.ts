// Changes of buckets, each with its row in the audit log: a bucket decides who reaches many files.

import { type AuditDeps, audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import type { StorageDeps } from '../as-caller.ts'
import type { Bucket, BucketIn, BucketPatch, EmptiedBucket } from '../schemas.ts'
import type { StorageCall } from '../storage-call.ts'
import { deleteBucketRow, findBucket, insertBucket, readBucket, updateBucketRow } from './bucket-rows.ts'
import { emptyBucket } from './empty-bucket.ts'

type Deps = StorageDeps & AuditDeps

/** Makes a bucket and answers it. Throws `invalid_bucket_name`, `bucket_exists`, and what policies refuse. */
export async function createBucket(
  deps: Deps,
  caller: Caller,
  call: StorageCall,
  bucket: BucketIn,
  ownerId: string | null,
): Promise<Bucket> {
  return await audited(
    deps,
    caller,
    { targetKind: 'bucket', targetId: bucket.name.slice(0, 200) },
    async () => {
      await insertBucket(deps, call, bucket, ownerId)
      const result = await readBucket(deps, bucket.name)
      return { result, after: result }
    },
  )
}

/** Changes the fields that are there, and answers the bucket. Throws `bucket_not_found`, also for what is hidden. */
export async function updateBucket(
  deps: Deps,
  caller: Caller,
  call: StorageCall,
  id: string,
  patch: BucketPatch,
): Promise<Bucket> {
  const before = await findBucket(deps, call, id)
  return await audited(deps, caller, { targetKind: 'bucket', targetId: id, before }, async () => {
    const result = await updateBucketRow(deps, call, id, patch)
    return { result, after: result }
  })
}

/** Deletes an empty bucket and answers what it was. Throws `bucket_not_found` and `bucket_not_empty`. */
export async function deleteBucket(
  deps: Deps,
  caller: Caller,
  call: StorageCall,
  id: string,
): Promise<Bucket> {
  const before = await findBucket(deps, call, id)
  return await audited(deps, caller, { targetKind: 'bucket', targetId: id, before }, async () => ({
    result: await deleteBucketRow(deps, call, id),
  }))
}

/** Deletes the objects of a bucket that the caller may delete; `complete: false` where some are left. */
export async function emptyBucketAudited(
  deps: Deps,
  caller: Caller,
  call: StorageCall,
  id: string,
): Promise<EmptiedBucket> {
  await findBucket(deps, call, id)
  return await audited(deps, caller, { targetKind: 'bucket', targetId: id }, async () => {
    const result = await emptyBucket(deps, call, id)
    return { result, after: result }
  })
}
