// Ends a resumable upload before it is whole.

import { findUpload, type ReachDeps } from './find-upload.ts'
import { checkVersion } from './protocol.ts'
import { uploadLocked, uploadNotFound } from './upload-failure.ts'
import type { UploadWriter } from './upload-writer.ts'

/**
 * Forgets the upload and its bytes. Throws `upload_not_found`, also for one that has become an object, and
 * `upload_locked` for one that is becoming it.
 */
export async function cancelUpload(
  deps: ReachDeps,
  { identity }: UploadWriter,
  uploadId: string,
  headers: Headers,
): Promise<void> {
  checkVersion(headers)
  const outcome = await findUpload(deps, uploadId).cancel(identity)
  if (outcome === 'unknown') throw uploadNotFound()
  if (outcome === 'locked') throw uploadLocked()
}
