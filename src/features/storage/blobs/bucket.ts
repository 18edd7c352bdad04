// The store of files (R2) as far as it is used, written by shape, so that Node programs can read the types. Its own
// calls know no deadline and fail with errors of their own: both are settled here.

import { DomainError } from '../../../errors.ts'
import type { Deadline } from '../../../lib/deadline.ts'
import type { HeldBytes } from './held-bytes.ts'

/** The binding of a bucket. */
export interface Bucket {
  head(key: string): Promise<StoredBlob | null>
  get(
    key: string,
    options?: { range?: { offset: number; length: number } },
  ): Promise<{ readonly body: ReadableStream<Uint8Array>; readonly size: number } | null>
  put(key: string, body: ReadableStream<Uint8Array> | Uint8Array, options: BlobOptions): Promise<StoredBlob>
  createMultipartUpload(key: string, options: BlobOptions): Promise<PartsUpload>
  resumeMultipartUpload(key: string, uploadId: string): PartsUpload
  delete(keys: string[]): Promise<void>
  list(options: {
    limit: number
    startAfter?: string
    include: ['customMetadata']
  }): Promise<{ objects: StoredBlob[]; truncated: boolean }>
}

/** What is kept with a blob. */
export interface BlobOptions {
  customMetadata: Record<string, string>
}

/** What the store tells of a blob. */
export interface StoredBlob {
  readonly key: string
  readonly size: number
  readonly httpEtag: string
  readonly uploaded: Date
  readonly customMetadata?: Record<string, string>
}

/** An upload in parts. */
export interface PartsUpload {
  readonly uploadId: string
  uploadPart(number: number, body: ReadableStream<Uint8Array> | Uint8Array): Promise<UploadedPart>
  complete(parts: UploadedPart[]): Promise<StoredBlob>
  abort(): Promise<void>
}

/** A part that the store has. */
export interface UploadedPart {
  partNumber: number
  etag: string
}

/** The bucket, and how long it is waited for. */
export interface BucketDeps {
  bucket: Bucket
  deadline: Deadline
  /** For one call, or for one step of a stream: a store that moves nothing for so long has failed. */
  timeoutMs: number
  /** So long after it was written a key may be written again. */
  rewriteAfterMs: number
  /** What bodies of unknown length hold. */
  held: HeldBytes
}

const RETRY_AFTER_SECONDS = 5
/** The caller waits for it, with an error to be told of. */
const TIDY_TIMEOUT_MS = 10_000

/** The answer of one call of the store. Throws `storage_unavailable` when it fails or takes too long. */
export async function answerOf<T>(
  { deadline, timeoutMs }: Pick<BucketDeps, 'deadline' | 'timeoutMs'>,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await deadline(timeoutMs, call())
  } catch (cause) {
    throw storageUnavailable(cause)
  }
}

/** For a store that failed. */
export function storageUnavailable(cause: unknown): DomainError {
  return new DomainError('storage_unavailable', 'The store of files does not answer.', {
    hint: 'Try again soon.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  })
}

/** Cleans up after a failure as well as it can: what stays all the same is the sweep's to find. Never throws. */
export async function tidyUp(
  { deadline, timeoutMs }: Pick<BucketDeps, 'deadline' | 'timeoutMs'>,
  ...works: readonly Promise<unknown>[]
): Promise<void> {
  await deadline(Math.min(timeoutMs, TIDY_TIMEOUT_MS), Promise.allSettled(works)).catch(() => undefined)
}
