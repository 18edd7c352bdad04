// A file that comes in one request: asked of the policies, streamed into the store, then given to its row.

import type { StorageDeps } from '../as-caller.ts'
import type { Blob } from '../blobs/blob-store.ts'
import type { ObjectPlace } from '../names.ts'
import type { StorageCall } from '../storage-call.ts'
import { type Claim, noteParts, openClaim } from '../writes/claims.ts'
import { checkFile, objectTooLarge, sizeLimitOf } from '../writes/limits.ts'
import { orDrop, orTakeBack } from '../writes/undo.ts'
import {
  blobMetadata,
  finishWrite,
  probeWrite,
  type RowWrite,
  type WrittenObject,
} from '../writes/write-row.ts'

/** A file as it comes, and the row that it is to have. */
export interface Upload extends RowWrite {
  readonly body: ReadableStream<Uint8Array> | null
  /** Bytes; undefined: not known before the end. */
  readonly length: number | undefined
  /** A guess where the length is not known. Policies are told it first, and asked again with what came. */
  readonly likelyLength?: number | undefined
  readonly contentType: string
  /** Value of Cache-Control for those who download it. */
  readonly cacheControl: string
  /** What is known of the file once its body has ended: a form may say it behind the file. */
  readonly saidAtEnd?: () => Pick<Upload, 'cacheControl' | 'userMetadata'>
  /** Asks once more, when the body has ended, whether it may be written. Throws where it may not. */
  readonly confirm?: () => Promise<unknown>
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
  const { length, likelyLength, contentType, cacheControl } = upload
  const size = length ?? likelyLength
  const { claim, limits, database } = await openClaim(deps, place, { size, contentType, cacheControl })
  // Whoever may not write learns nothing of the bucket.
  await probeWrite(deps, call, claim, upload)
  const limit = sizeLimitOf(limits, deps.config, 'single')
  await orDrop(deps, claim, async () => checkFile({ size: length, contentType }, limits, limit))
  const { blob, said } = await orTakeBack(deps, claim, async () => {
    const stored = await storeBody(deps, claim, upload, { limit, database })
    await upload.confirm?.()
    return { blob: stored, said: { ...upload, ...upload.saidAtEnd?.() } }
  })
  return await finishWrite(deps, call, claim, blobMetadata(blob, said), said)
}

async function storeBody(
  deps: StorageDeps,
  claim: Claim,
  { body, length, likelyLength }: Upload,
  { limit, database }: { limit: number; database: string },
): Promise<Blob> {
  const bounded = body !== null && length === undefined ? boundedTo(body, limit) : body
  return await deps.blobs.put(claim.key, bounded, {
    length: body === null ? 0 : length,
    likelyLength,
    database,
    onParts: multipartId => noteParts(deps, claim, multipartId),
  })
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
