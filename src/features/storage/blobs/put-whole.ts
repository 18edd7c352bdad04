// Stores a body of known length in one put. The store refuses a stream of unknown length, so the body goes through one
// that states it.

import {
  answerOf,
  type BlobOptions,
  type BucketDeps,
  type StoredBlob,
  storageUnavailable,
  tidyUp,
} from './bucket.ts'
import { type Source, sourceOf, wrongLength } from './read-source.ts'

/** workerd's own: what reads the one end is told the length. */
declare const FixedLengthStream: new (
  length: number,
) => { readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> }

/** Stores bytes. Throws `storage_unavailable`. */
export async function putBytes(
  deps: BucketDeps,
  key: string,
  bytes: Uint8Array,
  options: BlobOptions,
): Promise<StoredBlob> {
  try {
    return await answerOf(deps, () => deps.bucket.put(key, bytes, options))
  } catch (err) {
    await tidyUp(deps, deps.bucket.delete([key]))
    throw err
  }
}

/**
 * Stores a body of `length` bytes while it comes. Throws `storage_unavailable`, `invalid_body` for a body of another
 * length, and what the body fails with; then nothing is stored.
 */
export async function putStream(
  deps: BucketDeps,
  key: string,
  body: ReadableStream<Uint8Array>,
  { length, ...options }: BlobOptions & { length: number },
): Promise<StoredBlob> {
  const source = sourceOf(body, deps)
  const { readable, writable } = new FixedLengthStream(length)
  const sink = writable.getWriter()
  const stored = deps.bucket.put(key, readable, options)
  // A store that fails need not say so to whoever writes to it.
  const failed = stored.then(
    () => new Promise<never>(() => undefined),
    cause => Promise.reject(storageUnavailable(cause)),
  )
  try {
    await Promise.race([pump(deps, source, sink, length), failed])
    return await answerOf(deps, () => stored)
  } catch (err) {
    await tidyUp(deps, source.cancel(), sink.abort(err), stored)
    await tidyUp(deps, deps.bucket.delete([key]))
    throw err
  }
}

async function pump(
  deps: BucketDeps,
  source: Source,
  sink: WritableStreamDefaultWriter<Uint8Array>,
  length: number,
): Promise<void> {
  let size = 0
  for (;;) {
    const chunk = await source.read()
    if (chunk === undefined) break
    size += chunk.byteLength
    if (size > length) throw wrongLength(length, 'more')
    await answerOf(deps, () => sink.write(chunk))
  }
  if (size < length) throw wrongLength(length, 'less')
  await answerOf(deps, () => sink.close())
}
