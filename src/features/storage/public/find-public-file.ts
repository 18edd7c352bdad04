// Files for those without a key: of a public bucket, or by a signed address.

import type { PlatformDatabase } from '../../../db/database.ts'
import { projectPaused } from '../../../errors.ts'
import type { ObjectPlace } from '../names.ts'
import { type FileRow, hasFile } from '../object-row.ts'
import { objectNotFound } from '../objects/find-object.ts'
import { missingToken } from '../signed/signed-token.ts'
import type { DownloadForm, Maker, SignedUpload, SignedUrls } from '../signed/signed-urls.ts'
import { bucketNotFound } from '../writes/claims.ts'
import { type PublicRows, readPublicRow } from './public-row.ts'

export interface PublicDeps {
  readonly platform: Pick<PlatformDatabase, 'forReading'>
  readonly publicRows: PublicRows
  readonly signedUrls: SignedUrls
  readonly now: () => Date
}

/**
 * The file of a public bucket. Throws `bucket_not_found`, also for a bucket that is not public: who
 * has no key learns nothing of those.
 */
export async function findPublicFile(deps: PublicDeps, place: ObjectPlace): Promise<FileRow> {
  const { row, isPublic } = await readPublicRow(deps, place, null)
  if (!isPublic) throw bucketNotFound()
  if (row === null || !hasFile(row)) throw objectNotFound()
  return row
}

/** The file that a token is for, and the image's form in it. Throws as `verifyDownload`, and `project_paused`. */
export async function findSignedFile(
  deps: PublicDeps,
  place: ObjectPlace,
  token: string | null,
  form: DownloadForm,
): Promise<{ row: FileRow; transformations: string | undefined }> {
  if (!token) throw missingToken()
  const signed = await deps.signedUrls.verifyDownload(token, place, form, deps.now())
  const { row, isPaused } = await readPublicRow(deps, place, signed.projectId)
  if (isPaused) throw projectPaused()
  if (row === null || !hasFile(row)) throw objectNotFound()
  return { row, transformations: signed.transformations }
}

/** What a token lets its holder write. Throws as `verifyUpload`, and `project_paused`. */
export async function findSignedUpload(
  deps: PublicDeps,
  place: ObjectPlace,
  token: string | null,
): Promise<SignedUpload> {
  if (!token) throw missingToken()
  const signed = await deps.signedUrls.verifyUpload(token, place, deps.now())
  if (signed.projectId !== null && (await readPublicRow(deps, place, signed.projectId)).isPaused)
    throw projectPaused()
  return signed
}

/**
 * Lets the holder of a token go on with an upload that it began, and answers who has made it. Throws
 * `invalid_signature` and `project_paused`.
 */
export async function checkBegunUpload(deps: PublicDeps, token: string): Promise<Maker> {
  const maker = await deps.signedUrls.verifyUploadBegun(token)
  const { projectId } = maker
  if (projectId !== null && (await readPublicRow(deps, NO_PLACE, projectId)).isPaused) throw projectPaused()
  return maker
}

/** The project alone is asked about. */
const NO_PLACE: ObjectPlace = { bucketId: '', name: '' }
