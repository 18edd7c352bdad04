// Buckets for unmodified clients of Supabase: its paths and shapes over the verbs of `storage-buckets.ts`.

import { findBucket } from '../features/storage/buckets/bucket-rows.ts'
import {
  createBucket,
  deleteBucket,
  emptyBucketAudited,
  updateBucket,
} from '../features/storage/buckets/change-buckets.ts'
import { BucketName } from '../features/storage/schemas.ts'
import { ownerOf, storageCall } from '../features/storage/storage-call.ts'
import { BucketsQuery, SupabaseBucketIn, SupabaseBucketPatch } from '../features/storage/supabase/bodies.ts'
import { searchBuckets } from '../features/storage/supabase/search-buckets.ts'
import { toSupabaseBucket } from '../features/storage/supabase/shapes.ts'
import { defineRoute, jsonAnswer } from '../http/route.ts'

/** As Supabase says it, where it is done by now. */
const EMPTIED = 'Empty bucket has been queued. Completion may take up to an hour.'
const SOME_LEFT = 'Some objects are left: call again, unless policies keep them.'

export const supabaseBucketRoutes = [
  defineRoute({
    id: 'storage.supabase_list_buckets',
    method: 'get',
    mounts: { '/storage/v1/bucket': 'any_key' },
    summary: 'storage-js: listBuckets',
    query: BucketsQuery,
    handle: async input =>
      jsonAnswer(await searchBuckets(input.deps, storageCall(input, 'bucket.list'), input.query)),
  }),
  defineRoute({
    id: 'storage.supabase_read_bucket',
    method: 'get',
    mounts: { '/storage/v1/bucket/:bucket': 'any_key' },
    params: { bucket: BucketName },
    summary: 'storage-js: getBucket',
    handle: async input =>
      jsonAnswer(
        toSupabaseBucket(await findBucket(input.deps, storageCall(input, 'bucket.get'), input.params.bucket)),
      ),
  }),
  defineRoute({
    id: 'storage.supabase_create_bucket',
    method: 'post',
    mounts: { '/storage/v1/bucket': 'any_key' },
    summary: 'storage-js: createBucket',
    body: SupabaseBucketIn,
    example: { id: 'avatars', name: 'avatars', public: false },
    handle: async input => {
      const { name, public: isPublic = false, file_size_limit = null, allowed_mime_types = null } = input.body
      const bucket = { name, public: isPublic, file_size_limit, allowed_mime_types }
      const call = storageCall(input, 'bucket.create')
      await createBucket(input.deps, input.caller, call, bucket, ownerOf(input))
      return jsonAnswer({ name })
    },
  }),
  defineRoute({
    id: 'storage.supabase_update_bucket',
    method: 'put',
    mounts: { '/storage/v1/bucket/:bucket': 'any_key' },
    params: { bucket: BucketName },
    summary: 'storage-js: updateBucket',
    body: SupabaseBucketPatch,
    example: { public: true },
    handle: async input => {
      const call = storageCall(input, 'bucket.update')
      await updateBucket(input.deps, input.caller, call, input.params.bucket, input.body)
      return jsonAnswer({ message: 'Successfully updated' })
    },
  }),
  defineRoute({
    id: 'storage.supabase_delete_bucket',
    method: 'delete',
    mounts: { '/storage/v1/bucket/:bucket': 'any_key' },
    params: { bucket: BucketName },
    summary: 'storage-js: deleteBucket',
    handle: async input => {
      await deleteBucket(input.deps, input.caller, storageCall(input, 'bucket.delete'), input.params.bucket)
      return jsonAnswer({ message: 'Successfully deleted' })
    },
  }),
  defineRoute({
    id: 'storage.supabase_empty_bucket',
    method: 'post',
    mounts: { '/storage/v1/bucket/:bucket/empty': 'any_key' },
    params: { bucket: BucketName },
    summary: 'storage-js: emptyBucket',
    handle: async input => {
      const call = storageCall(input, 'bucket.empty')
      const { complete } = await emptyBucketAudited(input.deps, input.caller, call, input.params.bucket)
      return jsonAnswer({ message: complete ? EMPTIED : SOME_LEFT })
    },
  }),
]
