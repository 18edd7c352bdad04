// Begins a resumable upload: policies are asked before a byte comes, then an object of its own keeps it for a day.

import type { StorageDeps } from '../as-caller.ts'
import { RESUMABLE_BYTES_MAX } from '../blobs/part-sizes.ts'
import { openClaim } from '../writes/claims.ts'
import { checkFile, sizeLimitOf } from '../writes/limits.ts'
import { orDrop } from '../writes/undo.ts'
import { probeWrite, type RowWrite } from '../writes/write-row.ts'
import { countUpload } from './count-upload.ts'
import {
  type ChunkHeaders,
  checkIsWhole,
  checkVersion,
  isChunk,
  readChunkHeaders,
  readNewLength,
} from './protocol.ts'
import type { ResumableUploads, UploadPlan, UploadState } from './upload-contract.ts'
import { readUploadMetadata } from './upload-metadata.ts'
import type { UploadWriter } from './upload-writer.ts'
import { writeBody } from './write-chunk.ts'

export interface UploadDeps extends StorageDeps {
  readonly uploads: ResumableUploads
  readonly now: () => Date
}

/** How long an upload may take. */
export const UPLOAD_LIFE_MS = 24 * 3_600_000

/**
 * Begins the upload that the headers of TUS describe, with the bytes that come at once, and answers its id. Throws what
 * headers are refused with, `bucket_not_found`, `object_too_large`, `mime_type_not_allowed`, `too_many_uploads`,
 * `invalid_signature` for a token that is not for the object, and what policies say.
 */
export async function createUpload(
  deps: UploadDeps,
  writer: UploadWriter,
  { headers, body }: { headers: Headers; body: ReadableStream<Uint8Array> | null },
): Promise<{ uploadId: string; state: UploadState }> {
  checkVersion(headers)
  checkIsWhole(headers)
  const chunk = firstChunk(headers)
  const plan = await openPlan(deps, writer, headers)
  // Not the claim's: who knows that could take it by SQL.
  const uploadId = crypto.randomUUID()
  const upload = deps.uploads.byId(uploadId)
  await orDrop(deps, plan.claim, () => upload.begin(plan))
  // Of a file without bytes the object is made now.
  if (chunk === undefined && plan.length !== 0) return { uploadId, state: { ...plan, offset: 0 } }
  try {
    const state = await writeBody(deps, writer, uploadId, chunk ?? NO_BYTES, chunk && body)
    return { uploadId, state }
  } catch (err) {
    // Nobody was told its address, so nobody could go on with it or end it.
    await upload.cancel(writer.identity).catch(() => undefined)
    throw err
  }
}

const NO_BYTES: ChunkHeaders = { offset: 0, length: undefined, bytes: 0 }

function firstChunk(headers: Headers): ChunkHeaders | undefined {
  if (!isChunk(headers)) return undefined
  const atStart = new Headers(headers)
  atStart.set('upload-offset', '0')
  return readChunkHeaders(atStart)
}

async function openPlan(deps: UploadDeps, writer: UploadWriter, headers: Headers): Promise<UploadPlan> {
  const length = readNewLength(headers)
  const metadataHeader = headers.get('upload-metadata') ?? ''
  const { place, contentType, cacheControl, userMetadata } = readUploadMetadata(metadataHeader)
  const asked = headers.get('x-upsert') === 'true' ? 'replace' : 'create'
  const { ownerId, mode = asked } = await writer.grantFor(place)
  const write: RowWrite = { mode, userMetadata, ownerId }
  const declared = { size: length ?? undefined, contentType, cacheControl }
  const { claim, limits, database } = await openClaim(deps, place, declared)
  const bytesMax = Math.min(sizeLimitOf(limits, deps.config, 'any'), RESUMABLE_BYTES_MAX)
  await probeWrite(deps, writer.call, claim, write)
  await orDrop(deps, claim, async () => {
    checkFile({ size: length ?? undefined, contentType }, limits, bytesMax, 'any')
    await countUpload(deps, claim, writer)
  })
  const { identity } = writer
  const expiresAtMs = deps.now().getTime() + UPLOAD_LIFE_MS
  return {
    claim,
    database,
    write,
    contentType,
    cacheControl,
    identity,
    metadataHeader,
    length,
    bytesMax,
    expiresAtMs,
  }
}
