// Buckets and objects in the shapes that storage-js reads. Pure.

import type { ObjectPlace } from '../names.ts'
import type { ObjectRow } from '../object-row.ts'
import type { Bucket } from '../schemas.ts'

/** `owner` is never null there. */
export function toSupabaseBucket({ owner_id, ...bucket }: Bucket) {
  return { ...bucket, owner: owner_id ?? '' }
}

/** The list alone says the type, of which there is one here. */
export function toListedBucket(bucket: Bucket) {
  return { ...toSupabaseBucket(bucket), type: 'STANDARD' }
}

export function toSupabaseObject({ owner_id, ...row }: ObjectRow) {
  return { ...row, owner: owner_id ?? '', owner_id }
}

/** What `info()` reads: `metadata` is an object, whether the upload brought one or not. */
export function toSupabaseInfo({ metadata, user_metadata, updated_at, ...row }: ObjectRow) {
  const { id, name, version, bucket_id, created_at } = row
  return {
    ...{ id, name, version, bucket_id, created_at },
    size: metadata?.size ?? null,
    content_type: metadata?.mimetype ?? null,
    cache_control: metadata?.cacheControl ?? null,
    etag: metadata?.eTag ?? null,
    metadata: user_metadata ?? {},
    last_modified: updated_at,
  }
}

/** An entry of the older list: names are relative to the folder, and a folder has nothing but its name. */
export function toListedObject(
  { id, updated_at, created_at, last_accessed_at, metadata }: ObjectRow,
  name: string,
) {
  return { name, id, updated_at, created_at, last_accessed_at, metadata }
}

export function toListedFolder(name: string) {
  return { name, id: null, updated_at: null, created_at: null, last_accessed_at: null, metadata: null }
}

/** One of several addresses: with a token, or why there is none. */
export function toSignedUrl({ bucketId, name: path }: ObjectPlace, token: string | null | undefined) {
  if (token != null)
    return { error: null, path, signedURL: `/object/sign/${bucketId}/${path}?token=${token}` }
  return { error: NOT_SIGNED, path, signedURL: null }
}

const NOT_SIGNED = 'Either the object does not exist or you do not have access to it'
