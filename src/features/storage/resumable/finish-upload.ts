// Makes an object of an upload whose bytes are stored: once, however often it is asked for.

import type { StorageDeps } from '../as-caller.ts'
import type { Blob } from '../blobs/blob-store.ts'
import type { StorageCall } from '../storage-call.ts'
import type { Claim } from '../writes/claims.ts'
import { blobMetadata, finishWrite } from '../writes/write-row.ts'
import type { UploadPlan } from './upload-contract.ts'

const IS_WRITTEN_SQL = `
  select 1 where exists (select from storage.objects where bucket_id = $1 and version = $2)
    or exists (select from quoin.lost_versions where bucket_id = $1 and version = $2)`

/**
 * Writes the row as the caller. `isRetry` says that it was begun before and nobody knows its end: then it is looked
 * whether a row had the version, since the claim of one that had is used up. Throws what `finishWrite` throws.
 */
export async function finishUpload(
  deps: StorageDeps,
  call: StorageCall,
  plan: UploadPlan,
  { blob, isRetry }: { blob: Blob; isRetry: boolean },
): Promise<void> {
  if (isRetry && (await isWritten(deps, plan.claim))) return
  await finishWrite(deps, call, plan.claim, blobMetadata(blob, plan), plan.write)
}

async function isWritten({ platform }: Pick<StorageDeps, 'platform'>, claim: Claim): Promise<boolean> {
  const rows = await platform.texts(IS_WRITTEN_SQL, [claim.place.bucketId, claim.version])
  return rows.length > 0
}
