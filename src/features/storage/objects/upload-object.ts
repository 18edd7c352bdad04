// A file that comes in one request: asked of the policies, streamed into the store, then given to its row.

import type { Blob } from '../blobs/blob-store.ts'
import type { StorageCall, StorageDeps } from '../call.ts'
import type { ObjectPlace } from '../names.ts'
import { type Claim, dropClaim, openClaim } from '../writes/claims.ts'
import { checkMimeType, checkSize, objectTooLarge, sizeLimitOf } from '../writes/limits.ts'
import {
  blobMetadata,
  finishWrite,
  probeWrite,
  type RowWrite,
  takeBack,
  type WrittenObject,
} from '../writes/write-row.ts'

/** A file as it comes, and the row that it is to have. */
export interface Upload extends RowWrite {
  readonly body: ReadableStream<Uint8Array> | null
  /** Bytes; undefined: not known before the end. */
  readonly length: number | undefined
  /** Where the length is not known: so many bytes it has at least, and hardly more. */
  readonly lengthMin?: number
  readonly contentType: string
  /** Value of Cache-Control for those who download it. */
  readonly cacheControl: string
  /** What is known of the file once its body has ended: a form may say it behind the file. */
  readonly saidAtEnd?: () => Pick<Upload, 'cacheControl' | 'userMetadata'>
}

/**
 * Stores the file and answers its row. Throws `object_too_large`, `mime_type_not_allowed`, `object_exists`,
 * `bucket_not_found`, `invalid_object_name`, what policies refuse, and what the body does: then nothing is stored.
 */
export async function uploadObject(
  deps: StorageDeps,
  call: StorageCall,
  place: ObjectPlace,
  upload: Upload,
): Promise<WrittenObject> {
  const { length, contentType, cacheControl } = upload
  const { claim, limits, database } = await openClaim(deps, place, {
    size: length,
    contentType,
    cacheControl,
  })
  const limit = sizeLimitOf(limits, deps.config.storageUploadMaxBytes)
  try {
    checkSize(length, limit)
    checkMimeType(contentType, limits)
  } catch (err) {
    await dropClaim(deps, claim)
    throw err
  }
  await probeWrite(deps, call, claim, upload)
  const blob = await storeBody(deps, claim, upload, { limit, database })
  return await finishUpload(deps, call, claim, { blob, upload })
}

async function finishUpload(
  deps: StorageDeps,
  call: StorageCall,
  claim: Claim,
  { blob, upload }: { blob: Blob; upload: Upload },
): Promise<WrittenObject> {
  let whole: Upload
  try {
    whole = { ...upload, ...upload.saidAtEnd?.() }
  } catch (err) {
    await takeBack(deps, claim)
    throw err
  }
  return await finishWrite(deps, call, claim, blobMetadata(blob, whole), whole)
}

async function storeBody(
  deps: StorageDeps,
  claim: Claim,
  { body, length, lengthMin = 0 }: Upload,
  { limit, database }: { limit: number; database: string },
) {
  try {
    const bounded = body !== null && length === undefined ? boundedTo(body, limit) : body
    return await deps.blobs.put(claim.key, bounded, {
      length: body === null ? 0 : length,
      lengthMin,
      database,
    })
  } catch (err) {
    await takeBack(deps, claim)
    throw err
  }
}

/** The same bytes; fails with `object_too_large` behind the limit. */
function boundedTo(body: ReadableStream<Uint8Array>, limit: number): ReadableStream<Uint8Array> {
  let size = 0
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength
      if (size > limit) controller.error(objectTooLarge(limit))
      else controller.enqueue(chunk)
    },
  })
  return body.pipeThrough(count)
}
