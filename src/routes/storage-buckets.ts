// Buckets: who reads their files, and which they take. What is in them: `storage-objects.ts`. The same for clients of
// Supabase: `supabase-storage-buckets.ts`.

import { findBucket } from '../features/storage/buckets/bucket-rows.ts'
import {
  createBucket,
  deleteBucket,
  emptyBucketAudited,
  updateBucket,
} from '../features/storage/buckets/change-buckets.ts'
import { listBuckets } from '../features/storage/buckets/list-buckets.ts'
import { AS_CALLER } from '../features/storage/documented.ts'
import {
  Bucket,
  BucketIn,
  BucketList,
  BucketListQuery,
  BucketName,
  BucketPatch,
  EmptiedBucket,
} from '../features/storage/schemas.ts'
import { ownerOf, storageCall } from '../features/storage/storage-call.ts'
import { defineRoute } from '../http/route.ts'

const BUCKETS = { '/v1/storage/buckets': 'any_key', '/api/storage/buckets': 'admin' } as const
const BUCKET = { '/v1/storage/buckets/:bucket': 'any_key', '/api/storage/buckets/:bucket': 'admin' } as const

export const storageBucketRoutes = [
  defineRoute({
    id: 'storage.list_buckets',
    method: 'get',
    mounts: BUCKETS,
    summary: 'List buckets by name, with their objects counted',
    description: `Counts and bytes are those of the objects that the caller may see. ${AS_CALLER}`,
    query: BucketListQuery,
    response: BucketList,
    handle: input => listBuckets(input.deps, storageCall(input, 'bucket.list'), input.query),
  }),
  defineRoute({
    id: 'storage.create_bucket',
    method: 'post',
    mounts: BUCKETS,
    summary: 'Create a bucket',
    description: AS_CALLER,
    body: BucketIn,
    example: { name: 'avatars', allowed_mime_types: ['image/*'] },
    response: Bucket,
    status: 201,
    handle: input =>
      createBucket(input.deps, input.caller, storageCall(input, 'bucket.create'), input.body, ownerOf(input)),
  }),
  defineRoute({
    id: 'storage.read_bucket',
    method: 'get',
    mounts: BUCKET,
    params: { bucket: BucketName },
    summary: 'One bucket',
    description: AS_CALLER,
    response: Bucket,
    handle: input => findBucket(input.deps, storageCall(input, 'bucket.get'), input.params.bucket),
  }),
  defineRoute({
    id: 'storage.update_bucket',
    method: 'patch',
    mounts: BUCKET,
    params: { bucket: BucketName },
    summary: 'Change who reads a bucket, or what it takes',
    description: `Fields that are left out stay; files that are there stay too. ${AS_CALLER}`,
    body: BucketPatch,
    example: { public: true },
    response: Bucket,
    handle: input =>
      updateBucket(
        input.deps,
        input.caller,
        storageCall(input, 'bucket.update'),
        input.params.bucket,
        input.body,
      ),
  }),
  defineRoute({
    id: 'storage.empty_bucket',
    method: 'post',
    mounts: {
      '/v1/storage/buckets/:bucket/empty': 'any_key',
      '/api/storage/buckets/:bucket/empty': 'admin',
    },
    params: { bucket: BucketName },
    summary: 'Delete the objects of a bucket',
    description: `Those that the caller may delete, as many as fit into 15 s. ${AS_CALLER}`,
    response: EmptiedBucket,
    handle: input =>
      emptyBucketAudited(input.deps, input.caller, storageCall(input, 'bucket.empty'), input.params.bucket),
  }),
  defineRoute({
    id: 'storage.delete_bucket',
    method: 'delete',
    mounts: BUCKET,
    params: { bucket: BucketName },
    summary: 'Delete an empty bucket',
    description: AS_CALLER,
    response: Bucket,
    handle: input =>
      deleteBucket(input.deps, input.caller, storageCall(input, 'bucket.delete'), input.params.bucket),
  }),
]
