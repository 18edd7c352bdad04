// Copies: within a bucket two rows name the same bytes; into another bucket the bytes are copied, since a blob's key
// begins with its bucket.

import { DomainError } from '../../../errors.ts'
import type { StorageDeps } from '../as-caller.ts'
import { storageUnavailable } from '../blobs/bucket.ts'
import type { ObjectPlace } from '../names.ts'
import type { BlobMetadata, FileRow } from '../object-row.ts'
import type { StorageCall } from '../storage-call.ts'
import { type OpenedClaim, openClaim, openCopyClaim } from '../writes/claims.ts'
import { checkFile, sizeLimitOf } from '../writes/limits.ts'
import { orDrop, orTakeBack } from '../writes/undo.ts'
import { finishWrite, probeWrite, type RowWrite, type WrittenObject } from '../writes/write-row.ts'
import { findOwnFile } from './find-object.ts'
import { readBlob } from './read-blob.ts'

export interface Copy extends Pick<RowWrite, 'mode' | 'ownerId'> {
  /** In place of the source's; undefined: the source's. */
  readonly userMetadata?: RowWrite['userMetadata'] | undefined
  /** Of the copy's type and Cache-Control, what is to differ. */
  readonly changes?: Partial<Pick<BlobMetadata, 'mimetype' | 'cacheControl'>>
}

/**
 * Copies the object; the caller must be allowed to read the source and to write the copy. Throws `object_not_found`,
 * and what an upload throws.
 */
export async function copyObject(
  deps: StorageDeps,
  call: StorageCall,
  { from, to }: { from: ObjectPlace; to: ObjectPlace },
  { mode, ownerId, userMetadata, changes = {} }: Copy,
): Promise<WrittenObject> {
  const source = await findOwnFile(deps, call, from)
  const metadata = { ...source.metadata, ...changes, lastModified: new Date().toISOString() }
  const opened = await openFor(deps, source, to, metadata)
  const { claim } = opened
  const write = {
    mode,
    ownerId,
    userMetadata: userMetadata === undefined ? source.user_metadata : userMetadata,
  }
  await probeWrite(deps, call, claim, write)
  await checkCopy(deps, opened, metadata)
  const stored = claim.sharesBlob ? metadata : { ...metadata, ...(await copyBlob(deps, source, opened)) }
  return await finishWrite(deps, call, claim, stored, write)
}

async function openFor(
  deps: StorageDeps,
  { bucket_id, version }: FileRow,
  to: ObjectPlace,
  metadata: BlobMetadata,
): Promise<OpenedClaim> {
  if (bucket_id === to.bucketId) return await openCopyClaim(deps, to, { version, metadata })
  const { size, mimetype: contentType, cacheControl } = metadata
  return await openClaim(deps, to, { size, contentType, cacheControl })
}

/** Throws what an upload of the same file would. The claim is dropped then. */
export async function checkCopy(
  deps: StorageDeps,
  { claim, limits }: OpenedClaim,
  { size, mimetype: contentType }: BlobMetadata,
): Promise<void> {
  const limit = sizeLimitOf(limits, deps.config, 'any')
  await orDrop(deps, claim, async () => checkFile({ size, contentType }, limits, limit, 'any'))
}

/**
 * Copies the bytes under the claim's key, and answers their ETag: of a file that came in parts it is another one.
 * Throws as `readBlob` does.
 */
export async function copyBlob(
  deps: Pick<StorageDeps, 'blobs' | 'platform'>,
  source: FileRow,
  { claim, database }: OpenedClaim,
): Promise<Pick<BlobMetadata, 'eTag'>> {
  return await orTakeBack(deps, claim, async () => {
    const body = await readBlob(deps, source)
    const put = deps.blobs.put(claim.key, body, { length: source.metadata.size, database })
    const { etag: eTag } = await put.catch(blameStore)
    return { eTag }
  })
}

/** The body is the store's own: who asked for the copy has sent none that could break off. */
function blameStore(err: unknown): never {
  throw err instanceof DomainError && err.code === 'invalid_body' ? storageUnavailable(err) : err
}
