// Stores bytes, and a body of known length while it comes. The store refuses a stream of unknown length, so the body
// goes through one that states it.

import {
  answerOf,
  type BlobOptions,
  type BucketDeps,
  type StoredBlob,
  storageUnavailable,
  tidyUp,
} from './bucket.ts'
import { type Source, wrongLength } from './read-source.ts'

/** workerd's own: what reads the one end is told the length. */
declare const FixedLengthStream: new (
  length: number,
) => { readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> }

/**
 * Stores bytes. Throws `storage_unavailable`: then they may be there all the same. Nothing is deleted: a resumable
 * upload puts the same bytes again, and a deletion that comes late would take those.
 */
export async function putBytes(
  deps: BucketDeps,
  key: string,
  bytes: Uint8Array,
  options: BlobOptions,
): Promise<StoredBlob> {
  return await answerOf(deps, () => deps.bucket.put(key, bytes, options))
}

/**
 * Stores a body of `length` bytes. Throws `storage_unavailable`, `invalid_body` for a body of another length, and what
 * the body fails with; then nothing is stored.
 */
export async function putStream(
  deps: BucketDeps,
  key: string,
  source: Source,
  { length, ...options }: BlobOptions & { length: number },
): Promise<StoredBlob> {
  try {
    if (length > 0)
      return await pipe(deps, source, length, readable => deps.bucket.put(key, readable, options))
    await expectEnd(source, length)
  } catch (err) {
    await source.cancel()
    await tidyUp(deps, deps.bucket.delete([key]))
    throw err
  }
  return await putBytes(deps, key, new Uint8Array(), options)
}

/**
 * Hands the body to `store`, one byte or more. The last of them are handed over when it has ended well, so that the
 * store never has a whole body which failed.
 */
async function pipe<T>(
  deps: BucketDeps,
  source: Source,
  length: number,
  store: (readable: ReadableStream<Uint8Array>) => Promise<T>,
): Promise<T> {
  const { readable, writable } = new FixedLengthStream(length)
  const sink = writable.getWriter()
  const stored = store(readable)
  // A store that fails need not say so to whoever writes to it.
  const failed = stored.then(
    () => new Promise<never>(() => undefined),
    cause => Promise.reject(storageUnavailable(cause)),
  )
  try {
    await Promise.race([pump(deps, source, sink, length), failed])
    return await answerOf(deps, () => stored)
  } catch (err) {
    await tidyUp(deps, sink.abort(err), stored)
    throw err
  }
}

async function pump(
  deps: BucketDeps,
  source: Source,
  sink: WritableStreamDefaultWriter<Uint8Array>,
  length: number,
): Promise<void> {
  let left = length
  while (left > 0) {
    const chunk = await source.read(left)
    if (chunk === undefined) throw wrongLength(length, 'less')
    left -= chunk.byteLength
    if (left === 0) await expectEnd(source, length)
    await answerOf(deps, () => sink.write(chunk))
  }
  await answerOf(deps, () => sink.close())
}

async function expectEnd(source: Source, length: number): Promise<void> {
  if ((await source.read()) !== undefined) throw wrongLength(length, 'more')
}
