// The bytes that a row names.

import { DomainError } from '../../../errors.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { blobKey } from '../names.ts'
import type { FileRow } from '../object-row.ts'

/**
 * Opens them, whole or a range inside of the row's size. Throws `object_not_found` when the store has lost them, or has
 * others: of another size. Another ETag is none: a copy of the bucket can have given it one.
 */
export async function readBlob(
  { blobs }: { blobs: Pick<BlobStore, 'get' | 'head'> },
  { bucket_id, version, metadata }: FileRow,
  range?: { offset: number; length: number },
): Promise<ReadableStream<Uint8Array>> {
  const key = blobKey(bucket_id, version)
  const blob = await blobs.get(key, range).catch(async err => {
    // The store refuses a range that begins behind its end.
    const head = range === undefined ? null : await blobs.head(key).catch(() => null)
    if (head === null || head.size === metadata.size) throw err
    return { size: head.size, body: undefined }
  })
  if (blob?.body !== undefined && blob.size === metadata.size) return blob.body
  await blob?.body?.cancel()
  const found = blob === null ? 'no bytes' : `${blob.size} bytes instead of ${metadata.size}`
  throw new DomainError('object_not_found', 'Object not found', {
    detail: `The row is there, but the store has ${found} at ${key}.`,
    hint:
      'They were deleted or written past the storage API, or are older than STORAGE_RETENTION after a restore. ' +
      'Upload the file again, or delete the row.',
  })
}
