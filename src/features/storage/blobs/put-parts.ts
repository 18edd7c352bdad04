// Stores a body of unknown length: in one put when it fits into a part, else in parts. The store wants all parts but
// the last of one size.

import { DomainError } from '../../../errors.ts'
import { ByteBuffer } from '../../../lib/byte-buffer.ts'
import {
  answerOf,
  type BlobOptions,
  type BucketDeps,
  type PartsUpload,
  type StoredBlob,
  tidyUp,
} from './bucket.ts'
import type { HeldBody } from './held-bytes.ts'
import { BODY_PART_BYTES, PARTS_MAX } from './part-sizes.ts'
import { putBytes } from './put-whole.ts'
import { type Source, sourceOf } from './read-source.ts'

interface PartsOptions extends BlobOptions {
  onParts: ((uploadId: string) => Promise<void>) | undefined
}

/**
 * Stores a body, of which one part is held at a time. Throws `storage_unavailable`, `object_too_large` for more than
 * `PARTS_MAX` parts, and what the body fails with; then nothing is stored.
 */
export async function putParts(
  deps: BucketDeps,
  key: string,
  body: ReadableStream<Uint8Array>,
  { onParts, ...options }: PartsOptions,
): Promise<StoredBlob> {
  const source = sourceOf(body, deps)
  const held = deps.held.open()
  try {
    const parts = partsOf(source, held)
    const first = await parts.next()
    if (first.value === undefined) return await putBytes(deps, key, new Uint8Array(), options)
    if (first.value.last) return await putBytes(deps, key, first.value.bytes, options)
    const upload = await answerOf(deps, () => deps.bucket.createMultipartUpload(key, options))
    return await orAbort(deps, key, upload, async () => {
      await onParts?.(upload.uploadId)
      return await uploadParts(deps, upload, first.value.bytes, parts)
    })
  } catch (err) {
    await source.cancel()
    throw err
  } finally {
    held.close()
  }
}

/** Drops the parts of the upload, and what it may have become, when the work fails. */
async function orAbort(
  deps: BucketDeps,
  key: string,
  upload: PartsUpload,
  work: () => Promise<StoredBlob>,
): Promise<StoredBlob> {
  try {
    return await work()
  } catch (err) {
    await tidyUp(deps, upload.abort())
    // It may be completed all the same, when the answer alone was lost.
    await tidyUp(deps, deps.bucket.delete([key]))
    throw err
  }
}

async function uploadParts(
  deps: BucketDeps,
  upload: PartsUpload,
  first: Uint8Array,
  others: AsyncIterable<Part>,
): Promise<StoredBlob> {
  const uploaded = [await answerOf(deps, () => upload.uploadPart(1, first))]
  for await (const { bytes } of others) {
    if (uploaded.length === PARTS_MAX) throw tooManyParts()
    uploaded.push(await answerOf(deps, () => upload.uploadPart(uploaded.length + 1, bytes)))
  }
  return await answerOf(deps, () => upload.complete(uploaded))
}

interface Part {
  /** Is overwritten when the next part is asked for. */
  bytes: Uint8Array
  last: boolean
}

/** The body in parts of `BODY_PART_BYTES`, of which the last has what is left; none for an empty body. */
async function* partsOf(source: Source, held: HeldBody): AsyncGenerator<Part, undefined> {
  const buffer = new ByteBuffer(BODY_PART_BYTES)
  let chunk = await source.read(buffer.room)
  while (chunk !== undefined) {
    held.grow(BODY_PART_BYTES - buffer.room + chunk.byteLength)
    buffer.append(chunk)
    // Of a full part nobody knows whether it is the last before the next chunk came.
    chunk = await source.read(buffer.room === 0 ? BODY_PART_BYTES : buffer.room)
    if (chunk !== undefined && buffer.room > 0) continue
    yield { bytes: buffer.view(), last: chunk === undefined }
    buffer.clear()
  }
}

function tooManyParts(): DomainError {
  const bytesMax = PARTS_MAX * BODY_PART_BYTES
  return new DomainError('object_too_large', `The body is larger than ${bytesMax} bytes.`, {
    hint: 'Store it in several objects.',
  })
}
