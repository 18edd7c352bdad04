// Goes on with a resumable upload: bytes at an offset, the last of which make the object.

import { findUpload, type ReachDeps } from './find-upload.ts'
import type { ChunkHeaders } from './protocol.ts'
import { checkVersion, readChunkHeaders } from './protocol.ts'
import type { UploadState } from './upload-contract.ts'
import { failureError } from './upload-failure.ts'
import type { UploadWriter } from './upload-writer.ts'

/**
 * Stores the bytes and answers how far the upload is. Asked again for the last bytes, or for none behind them, it
 * answers the same. Throws `upload_not_found`, `upload_conflict`, `upload_locked`, `object_too_large`, `invalid_body`
 * for a body that broke off, what headers are refused with, and for the last bytes what the database says.
 */
export async function writeChunk(
  deps: ReachDeps,
  writer: UploadWriter,
  uploadId: string,
  { headers, body }: { headers: Headers; body: ReadableStream<Uint8Array> | null },
): Promise<UploadState> {
  checkVersion(headers)
  return await writeBody(deps, writer, uploadId, readChunkHeaders(headers), body)
}

/** The same with headers that were read already. */
export async function writeBody(
  deps: ReachDeps,
  { identity, call }: UploadWriter,
  uploadId: string,
  chunk: ChunkHeaders,
  body: ReadableStream<Uint8Array> | null = null,
): Promise<UploadState> {
  const outcome = await findUpload(deps, uploadId).write({ identity, call }, chunk, body)
  if (outcome.outcome === 'stored') return outcome.state
  throw failureError(outcome)
}
