// Tells how far a resumable upload is.

import { findUpload, type ReachDeps } from './find-upload.ts'
import { checkVersion } from './protocol.ts'
import type { UploadState } from './upload-contract.ts'
import { failureError, uploadLocked } from './upload-failure.ts'
import type { UploadWriter } from './upload-writer.ts'

/**
 * Answers what is stored. Clients take a whole upload for an object, so it is made one first, where its last request
 * did not come so far. Throws `upload_not_found`, `upload_locked`, and for a whole upload what the database refuses.
 */
export async function readUpload(
  deps: ReachDeps,
  { identity, call }: UploadWriter,
  uploadId: string,
  headers: Headers,
): Promise<UploadState> {
  checkVersion(headers)
  // At any other status than 423 tus-js-client begins anew, with the first byte: for an object that is being moved too.
  const outcome = await findUpload(deps, uploadId)
    .read({ identity, call })
    .catch(cause => {
      throw isMoving(cause) ? uploadLocked(cause) : cause
    })
  if (outcome.outcome === 'stored') return outcome.state
  const error = failureError(outcome)
  throw outcome.outcome === 'unavailable' ? uploadLocked(error) : error
}

/** Whether the platform says that the object will answer again: it was reset by a deployment, or has too much to do. */
function isMoving(cause: unknown): boolean {
  const { retryable, overloaded } = Object(cause) as { retryable?: unknown; overloaded?: unknown }
  return retryable === true || overloaded === true
}
