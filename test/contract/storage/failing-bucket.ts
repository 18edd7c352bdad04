// A store in memory that fails when it is told to: before it has done something, in the middle of a body, or behind it,
// when the answer alone is lost. As R2, it never has half of a body.

import { createHash } from 'node:crypto'
import type { BlobOptions, Bucket, StoredBlob } from '../../../src/features/storage/blobs/bucket.ts'

export type Fault = 'before' | 'middle' | 'after' | undefined

export interface MemoryBlob extends StoredBlob {
  readonly bytes: Uint8Array
}

/** One caller's view of the blobs, with the faults that this caller meets. */
export class FailingBucket implements Bucket {
  readonly #blobs: Map<string, MemoryBlob>
  readonly #nextFault: (call: 'get' | 'put' | 'delete') => Fault
  /** Keys that this caller has stored something under. */
  readonly stored: string[] = []
  /** Keys that this caller wanted to be gone. */
  readonly deleted: string[] = []
  /** Whether one of them could not be deleted, or nobody knows. */
  failedDelete = false

  constructor(
    blobs: Map<string, MemoryBlob>,
    nextFault: (call: 'get' | 'put' | 'delete') => Fault = () => undefined,
  ) {
    this.#blobs = blobs
    this.#nextFault = nextFault
  }

  async head(key: string) {
    return this.#blobs.get(key) ?? null
  }

  async get(key: string) {
    const fault = this.#nextFault('get')
    if (fault === 'before') throw new Error('R2 fails')
    const blob = this.#blobs.get(key)
    if (blob === undefined) return null
    const half = blob.bytes.subarray(0, blob.bytes.length >> 1)
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        if (fault === undefined) controller.enqueue(blob.bytes)
        else controller.enqueue(half)
      },
      pull(controller) {
        if (fault === undefined) controller.close()
        else controller.error(new Error('R2 breaks off'))
      },
    })
    return { body, size: blob.size }
  }

  async put(key: string, body: ReadableStream<Uint8Array> | Uint8Array, { customMetadata }: BlobOptions) {
    const fault = this.#nextFault('put')
    if (fault === 'before') throw new Error('R2 fails')
    const bytes = await read(body, fault === 'middle')
    if (this.#blobs.has(key)) throw new Error(`${key} is overwritten`)
    const etag = createHash('md5').update(bytes).digest('hex')
    const blob = {
      key,
      size: bytes.length,
      httpEtag: `"${etag}"`,
      uploaded: new Date(),
      customMetadata,
      bytes,
    }
    this.#blobs.set(key, blob)
    this.stored.push(key)
    if (fault === 'after') throw new Error('the answer of R2 is lost')
    return blob
  }

  async delete(keys: string[]) {
    const fault = this.#nextFault('delete')
    this.deleted.push(...keys)
    if (fault !== undefined) this.failedDelete = true
    if (fault !== 'before') for (const key of keys) this.#blobs.delete(key)
    if (fault !== undefined) throw new Error('R2 fails')
  }

  list(): never {
    throw new Error('nobody lists here')
  }

  createMultipartUpload(): never {
    throw new Error('nothing here is that large')
  }

  resumeMultipartUpload(): never {
    throw new Error('nothing here is that large')
  }
}

async function read(body: ReadableStream<Uint8Array> | Uint8Array, breaksOff: boolean): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    chunks.push(chunk)
    if (breaksOff) break
  }
  if (breaksOff) throw new Error('R2 breaks off')
  return Buffer.concat(chunks)
}
