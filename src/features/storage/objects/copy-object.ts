// Copies: within a bucket two rows name the same bytes; into another bucket the bytes are copied, since a blob's key
// begins with its bucket.

import type { StorageCall, StorageDeps } from '../call.ts'
import { blobKey, type ObjectPlace } from '../names.ts'
import type { BlobMetadata, FileRow } from '../object-row.ts'
import { type Claim, type OpenedClaim, openClaim, openCopyClaim } from '../writes/claims.ts'
import { checkMimeType, checkSize, sizeLimitOf } from '../writes/limits.ts'
import { finishWrite, probeWrite, type RowWrite, takeBack, type WrittenObject } from '../writes/write-row.ts'
import { findOwnFile, objectNotFound } from './find-object.ts'

export interface Copy extends Pick<RowWrite, 'mode' | 'ownerId'> {
  /** In place of the source's; undefined: the source's. */
  readonly userMetadata?: RowWrite['userMetadata'] | undefined
  /** Of the copy's type and Cache-Control, what is to differ. */
  readonly changes?: Partial<Pick<BlobMetadata, 'mimetype' | 'cacheControl'>>
}

/** The copy, and the row that it was made of. */
export interface CopiedObject extends WrittenObject {
  readonly source: FileRow
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
): Promise<CopiedObject> {
  const source = await findOwnFile(deps, call, from)
  const metadata = { ...source.metadata, ...changes, lastModified: new Date().toISOString() }
  const opened = await openFor(deps, source, to, metadata)
  const write = {
    mode,
    ownerId,
    userMetadata: userMetadata === undefined ? source.user_metadata : userMetadata,
  }
  await checkLimits(deps, opened, metadata)
  await probeWrite(deps, call, opened.claim, write)
  if (!opened.claim.sharesBlob) await copyBlob(deps, source, opened)
  return { ...(await finishWrite(deps, call, opened.claim, metadata, write)), source }
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

async function checkLimits(
  deps: StorageDeps,
  { claim, limits }: OpenedClaim,
  metadata: BlobMetadata,
): Promise<void> {
  try {
    checkSize(metadata.size, sizeLimitOf(limits, deps.config.storageObjectMaxBytes))
    checkMimeType(metadata.mimetype, limits)
  } catch (err) {
    await takeBack(deps, claim)
    throw err
  }
}

/** Copies the bytes under the claim's key. Throws `object_not_found` when they are not there. */
export async function copyBlob(
  deps: Pick<StorageDeps, 'blobs' | 'platform'>,
  source: FileRow,
  { claim, database }: { claim: Claim; database: string },
): Promise<void> {
  try {
    const blob = await deps.blobs.get(blobKey(source.bucket_id, source.version))
    if (blob === null) throw objectNotFound()
    await deps.blobs.put(claim.key, blob.body, { length: source.metadata.size, database })
  } catch (err) {
    await takeBack(deps, claim)
    throw err
  }
}
