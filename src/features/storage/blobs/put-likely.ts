// Stores a body whose length is guessed, as that of a form's file is. It is handed through as if the guess were right,
// so that a slow body holds nothing; where the guess was wrong, the blob is written once more.

import { ByteBuffer } from '../../../lib/byte-buffer.ts'
import { answerOf, type BlobOptions, type BucketDeps, type StoredBlob, storageUnavailable } from './bucket.ts'
import { putStream } from './put-whole.ts'
import { type Source, sourceOf, wrongLength } from './read-source.ts'

/** A body may be so much longer than was guessed: forms end in one line break more or less. */
const EXTRA_BYTES_MAX = 4 * 1024
const FILL_BYTES = 64 * 1024

/**
 * Stores a body of about `likelyLength` bytes: as many less as there are, or 4 KiB more. Throws `storage_unavailable`,
 * `invalid_body` for a longer body, and what the body fails with; then nothing is stored.
 */
export async function putLikely(
  deps: BucketDeps,
  key: string,
  body: ReadableStream<Uint8Array>,
  { likelyLength, ...options }: BlobOptions & { likelyLength: number },
): Promise<StoredBlob> {
  const fitted = new FittedSource(sourceOf(body, deps), likelyLength)
  const stored = await putStream(deps, key, fitted, { ...options, length: likelyLength })
  const { size, extra } = fitted
  if (size === likelyLength) return stored
  await new Promise(resolve => setTimeout(resolve, deps.rewriteAfterMs))
  const corrected = correctedSource(deps, key, { kept: Math.min(size, likelyLength), extra: extra.view() })
  return await putStream(deps, key, corrected, { ...options, length: size })
}

/** A body made to have a length: what it lacks is filled with zeros, what it has more is put aside. */
class FittedSource implements Source {
  readonly #body: Source
  readonly #length: number
  #left: number
  /** Bytes that came. */
  size = 0
  readonly extra = new ByteBuffer(EXTRA_BYTES_MAX)

  constructor(body: Source, length: number) {
    this.#body = body
    this.#length = length
    this.#left = length
  }

  async read(bytesMax = Number.POSITIVE_INFINITY): Promise<Uint8Array | undefined> {
    if (this.#left === 0) return await this.#readExtra()
    const wanted = Math.min(bytesMax, this.#left)
    const came = await this.#body.read(wanted)
    this.size += came?.byteLength ?? 0
    const bytes = came ?? new Uint8Array(Math.min(wanted, FILL_BYTES))
    this.#left -= bytes.byteLength
    return bytes
  }

  async #readExtra(): Promise<undefined> {
    for (let chunk = await this.#body.read(); chunk !== undefined; chunk = await this.#body.read()) {
      if (chunk.byteLength > this.extra.room) throw wrongLength(this.#length + EXTRA_BYTES_MAX, 'more')
      this.size += chunk.byteLength
      this.extra.append(chunk)
    }
  }

  cancel(): Promise<void> {
    return this.#body.cancel()
  }
}

/** The first `kept` bytes of the blob, and those that it lacks. */
function correctedSource(
  deps: BucketDeps,
  key: string,
  { kept, extra }: { kept: number; extra: Uint8Array },
): Source {
  let stored: Source | undefined
  let rest = extra

  /** A failure here is the store's, never the client's. */
  async function readStored(bytesMax: number | undefined): Promise<Uint8Array | undefined> {
    try {
      stored ??= sourceOf(await openStored(), deps)
      return await stored.read(bytesMax)
    } catch (cause) {
      throw storageUnavailable(cause)
    }
  }

  async function openStored(): Promise<ReadableStream<Uint8Array>> {
    const found = await answerOf(deps, () => deps.bucket.get(key, { range: { offset: 0, length: kept } }))
    if (found === null) throw new Error('the blob that was just stored is not there')
    return found.body
  }

  return {
    async read(bytesMax) {
      const bytes = kept > 0 ? await readStored(bytesMax) : undefined
      if (bytes !== undefined) return bytes
      const taken = rest.subarray(0, bytesMax)
      rest = rest.subarray(taken.byteLength)
      return taken.byteLength > 0 ? taken : undefined
    },
    cancel: async () => await stored?.cancel(),
  }
}
