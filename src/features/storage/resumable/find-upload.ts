// Finds the object of an upload by the id in its address.

import type { ResumableUpload, ResumableUploads } from './upload-contract.ts'
import { uploadNotFound } from './upload-failure.ts'

/** What reaches an upload. */
export interface ReachDeps {
  readonly uploads: ResumableUploads
}

const UPLOAD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Throws `upload_not_found` for what no upload is called, before an object is made for it. */
export function findUpload({ uploads }: ReachDeps, uploadId: string): ResumableUpload {
  if (!UPLOAD_ID.test(uploadId)) throw uploadNotFound()
  return uploads.byId(uploadId)
}
