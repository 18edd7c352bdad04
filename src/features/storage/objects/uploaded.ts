// What an upload or a copy answers under /v1. Pure.

import type { ObjectPlace } from '../names.ts'
import type { UploadedObject } from '../schemas.ts'
import type { WrittenObject } from '../writes/write-row.ts'

export function toUploadedObject(
  { bucketId, name }: ObjectPlace,
  { id, version, metadata }: WrittenObject,
): UploadedObject {
  const { size, mimetype: content_type, eTag: etag } = metadata
  return { id, bucket_id: bucketId, name, version, size, content_type, etag }
}
