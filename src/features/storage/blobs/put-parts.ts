// Stores a body of unknown length: in one put when it fits into a part, else in parts. The store wants all parts but
// the last of one size.

import { DomainError } from '../../../errors.ts'
import { answerOf, type BlobOptions, type BucketDeps, type StoredBlob, tidyUp } from './bucket.ts'
import { putBytes } from './put-whole.ts'
import { type Source, sourceOf } from './read-source.ts'

/** How much of a body is held at once. The store takes parts of 5 MiB and more. */
const PART_BYTES = 8 * 1024 * 1024
/** The store takes no more. */
const PARTS_MAX = 10_000
/** A buffer begins with this and doubles: most bodies are small. */
const BUFFER_BYTES_MIN = 64 * 1024

/**
 * Stores a body, of which one part is held at a time. Throws `storage_unavailable`, `object_too_large` for more than
 * `PARTS_MAX` parts, and what the body fails with; then nothing is stored.
 */
export async function putParts(
  deps: BucketDeps,
  key: string,
  body: ReadableStream<Uint8Array>,
  options: BlobOptions,
): Promise<StoredBlob> {
  const source = sourceOf(body, deps)
  try {
    const parts = partsOf(source)
    const first = await parts.next()
    if (first.done || first.value.last)
      return await putBytes(deps, key, first.value?.bytes ?? new Uint8Array(), options)
    return await uploadParts(deps, key, options, first.value.bytes, parts)
  } catch (err) {
    await source.cancel()
    throw err
  }
}

async function uploadParts(
  deps: BucketDeps,
  key: string,
  options: BlobOptions,
  first: Uint8Array,
  rest: AsyncIterable<Part>,
): Promise<StoredBlob> {
  const upload = await answerOf(deps, () => deps.bucket.createMultipartUpload(key, options))
  try {
    const uploaded = [await answerOf(deps, () => upload.uploadPart(1, first))]
    for await (const { bytes } of rest) {
      if (uploaded.length === PARTS_MAX) throw tooManyParts()
      uploaded.push(await answerOf(deps, () => upload.uploadPart(uploaded.length + 1, bytes)))
    }
    return await answerOf(deps, () => upload.complete(uploaded))
  } catch (err) {
    await tidyUp(deps, upload.abort())
    // Completed it may be all the same, when the answer alone was lost.
    await tidyUp(deps, deps.bucket.delete([key]))
    throw err
  }
}

interface Part {
  /** Is overwritten when the next part is asked for. */
  bytes: Uint8Array
  last: boolean
}

/** The body in parts of `PART_BYTES`; the last is what is left, and is empty for an empty body alone. */
async function* partsOf(source: Source): AsyncGenerator<Part, undefined> {
  let buffer = new Uint8Array(BUFFER_BYTES_MIN)
  let size = 0
  for (;;) {
    let chunk = await source.read()
    if (chunk === undefined) break
    while (chunk.byteLength > 0) {
      if (size === PART_BYTES) {
        yield { bytes: buffer, last: false }
        size = 0
      }
      const taken: Uint8Array = chunk.subarray(0, PART_BYTES - size)
      buffer = grown(buffer, size, size + taken.byteLength)
      buffer.set(taken, size)
      size += taken.byteLength
      chunk = chunk.subarray(taken.byteLength)
    }
  }
  yield { bytes: buffer.subarray(0, size), last: true }
}

/** The buffer, or a larger one with its first `used` bytes, that has room for `needed`. */
function grown(buffer: Uint8Array<ArrayBuffer>, used: number, needed: number): Uint8Array<ArrayBuffer> {
  if (needed <= buffer.byteLength) return buffer
  const larger = new Uint8Array(Math.min(PART_BYTES, Math.max(needed, 2 * buffer.byteLength)))
  larger.set(buffer.subarray(0, used))
  return larger
}

function tooManyParts(): DomainError {
  return new DomainError('object_too_large', `The body is larger than ${PARTS_MAX * PART_BYTES} bytes.`, {
    hint: 'Store it in several objects.',
  })
}
