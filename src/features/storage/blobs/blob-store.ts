// Blobs: bytes under a key, which are written once and never changed. Every failure of the store is
// `storage_unavailable`, and every call of it is bounded in time.

import { type Deadline, deadline } from '../../../lib/deadline.ts'
import { answerOf, type Bucket, type BucketDeps, type PartsUpload, type StoredBlob } from './bucket.ts'
import { type HeldBytes, isolateHeld } from './held-bytes.ts'
import { putLikely } from './put-likely.ts'
import { putParts } from './put-parts.ts'
import { putBytes, putStream } from './put-whole.ts'
import { sourceOf, wrongLength } from './read-source.ts'

/** What is known of a blob. */
export interface Blob {
  /** In bytes. */
  size: number
  /** Quoted, as HTTP has it. */
  etag: string
}

/** A blob of a list. */
export interface ListedBlob extends Blob {
  key: string
  /** The database whose blob it is; null where nothing says so. */
  database: string | null
  uploadedAt: Date
}

/** What is known of a body before it came, and what is kept with the blob. */
export interface PutOptions {
  /** In bytes; undefined: not known. */
  length: number | undefined
  /** A guess where the length is not known: the body may have less, or up to 4 KiB more. */
  likelyLength?: number | undefined
  /** Told of the upload in parts that it becomes, before the first part. */
  onParts?: (uploadId: string) => Promise<void>
  /** The database whose blob it is. */
  database: string
}

/** Where blobs are. All of it throws `storage_unavailable`. */
export interface BlobStore {
  /**
   * Stores a body whole or not at all. With a length, or a likely one, it is handed through; a wrong guess costs a
   * second and another turn of the bytes. With neither it goes in equal parts of 8 MiB, of which one is held at a time.
   * Throws `invalid_body` for a body that breaks off or has another length, and a `DomainError` that the body itself
   * fails with.
   */
  put(key: string, body: ReadableStream<Uint8Array> | Uint8Array | null, options: PutOptions): Promise<Blob>
  /**
   * Null: there is none. The size is that of the whole. The range must lie inside of the blob. Who reads the body must
   * bound how long it takes.
   */
  get(
    key: string,
    range?: { offset: number; length: number },
  ): Promise<{ body: ReadableStream<Uint8Array>; size: number } | null>
  /** Null: there is none. */
  head(key: string): Promise<Blob | null>
  /** At most 1000; a key without a blob is no failure. */
  delete(keys: readonly string[]): Promise<void>
  /** In the order of keys, those behind `after`; `complete` when there are no more than these. */
  list(options: { after?: string; limit: number }): Promise<{ blobs: ListedBlob[]; complete: boolean }>
  /** Begins an upload in parts, over several requests, and answers its id. */
  beginParts(key: string, options: { database: string }): Promise<string>
  /** Stores a part; numbers begin with 1, and all parts but the last have the same size of 5 MiB or more. */
  putPart(key: string, uploadId: string, number: number, body: Uint8Array): Promise<{ etag: string }>
  /** Makes the parts a blob. */
  completeParts(
    key: string,
    uploadId: string,
    parts: readonly { number: number; etag: string }[],
  ): Promise<Blob>
  /** Drops the parts; an upload that is gone already is no failure. */
  abortParts(key: string, uploadId: string): Promise<void>
}

const TIMEOUT_MS = 60_000
/** R2 takes one write a second under one key (its limits). */
const REWRITE_AFTER_MS = 1_100
/** R2's code for an upload in parts that was completed or aborted. */
const NO_SUCH_UPLOAD = /\(10024\)/

export interface BlobStoreOptions {
  /** A Durable Object hands its shared one. */
  deadline?: Deadline
  /** Bounds one call and each step of a stream, never the whole of it. */
  timeoutMs?: number
  rewriteAfterMs?: number
  held?: HeldBytes
}

/** The store in a bucket. */
export function makeBlobStore(
  bucket: Bucket,
  {
    deadline: bounded = deadline,
    timeoutMs = TIMEOUT_MS,
    rewriteAfterMs = REWRITE_AFTER_MS,
    held = isolateHeld,
  }: BlobStoreOptions = {},
): BlobStore {
  const deps: BucketDeps = { bucket, deadline: bounded, timeoutMs, rewriteAfterMs, held }
  return {
    put: async (key, body, options) => blobOf(await putBody(deps, key, body, options)),
    get: (key, range) => answerOf(deps, () => bucket.get(key, range === undefined ? {} : { range })),
    async head(key) {
      const found = await answerOf(deps, () => bucket.head(key))
      return found === null ? null : blobOf(found)
    },
    delete: keys => answerOf(deps, () => bucket.delete([...keys])),
    list: options => listBlobs(deps, options),
    ...partsMethods(deps),
  }
}

async function putBody(
  deps: BucketDeps,
  key: string,
  body: ReadableStream<Uint8Array> | Uint8Array | null,
  { length, likelyLength, database, onParts }: PutOptions,
): Promise<StoredBlob> {
  const options = optionsOf(database)
  if (body instanceof ReadableStream) {
    if (length !== undefined) return await putStream(deps, key, sourceOf(body, deps), { ...options, length })
    if (likelyLength !== undefined) return await putLikely(deps, key, body, { ...options, likelyLength })
    return await putParts(deps, key, body, { ...options, onParts })
  }
  const bytes = body ?? new Uint8Array()
  if (length !== undefined && length !== bytes.byteLength) {
    throw wrongLength(length, bytes.byteLength > length ? 'more' : 'less')
  }
  return await putBytes(deps, key, bytes, options)
}

async function listBlobs(
  deps: BucketDeps,
  { after, limit }: { after?: string; limit: number },
): Promise<{ blobs: ListedBlob[]; complete: boolean }> {
  const { objects, truncated } = await answerOf(deps, () =>
    deps.bucket.list({
      limit,
      include: ['customMetadata'],
      ...(after !== undefined && { startAfter: after }),
    }),
  )
  const blobs = objects.map(object => ({
    ...blobOf(object),
    key: object.key,
    database: object.customMetadata?.database ?? null,
    uploadedAt: object.uploaded,
  }))
  return { blobs, complete: !truncated }
}

function partsMethods(
  deps: BucketDeps,
): Pick<BlobStore, 'beginParts' | 'putPart' | 'completeParts' | 'abortParts'> {
  const { bucket } = deps
  return {
    async beginParts(key, { database }) {
      const upload = await answerOf(deps, () => bucket.createMultipartUpload(key, optionsOf(database)))
      return upload.uploadId
    },
    async putPart(key, uploadId, number, body) {
      const { etag } = await answerOf(deps, () =>
        bucket.resumeMultipartUpload(key, uploadId).uploadPart(number, body),
      )
      return { etag }
    },
    async completeParts(key, uploadId, parts) {
      const uploaded = parts.map(({ number, etag }) => ({ partNumber: number, etag }))
      return blobOf(
        await answerOf(deps, () => bucket.resumeMultipartUpload(key, uploadId).complete(uploaded)),
      )
    },
    abortParts: (key, uploadId) => answerOf(deps, () => abort(bucket.resumeMultipartUpload(key, uploadId))),
  }
}

async function abort(upload: PartsUpload): Promise<void> {
  try {
    await upload.abort()
  } catch (err) {
    if (!(err instanceof Error && NO_SUCH_UPLOAD.test(err.message))) throw err
  }
}

const optionsOf = (database: string) => ({ customMetadata: { database } })

function blobOf({ size, httpEtag }: StoredBlob): Blob {
  return { size, etag: httpEtag }
}
