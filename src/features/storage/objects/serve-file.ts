// A file as an answer: whole or a range of it, or that nothing has changed. The row is found and allowed before.

import type { BlobStore } from '../blobs/blob-store.ts'
import type { FileRow } from '../object-row.ts'
import { checkConditions, readRange } from './conditions.ts'
import { type ContentOptions, contentHeaders } from './content-headers.ts'
import { readBlob } from './read-blob.ts'

/** The makings of a response. */
export interface FileAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReadableStream<Uint8Array> | null
}

/** What of the request decides how much of the file goes out. */
export interface FileRequest {
  readonly method: string
  readonly headers: Headers
}

/** The answer. Throws `invalid_range`, and `object_not_found` when the store has other bytes or none. */
export async function serveFile(
  deps: { blobs: Pick<BlobStore, 'get' | 'head'> },
  row: FileRow,
  request: FileRequest,
  options: ContentOptions,
): Promise<FileAnswer> {
  const headers = contentHeaders(row, options)
  const condition = checkConditions(request.headers, row.metadata)
  if (condition === 'not_modified') return { status: 304, headers, body: null }
  if (condition === 'precondition_failed') return { status: 412, headers: {}, body: null }
  const { size } = row.metadata
  const range = readRange(request.headers, row.metadata)
  const part = {
    ...headers,
    'content-length': String(range?.length ?? size),
    ...(range && { 'content-range': `bytes ${range.offset}-${range.offset + range.length - 1}/${size}` }),
  }
  const status = range === undefined ? 200 : 206
  if (request.method === 'HEAD') return { status, headers: part, body: null }
  return { status, headers: part, body: await readBlob(deps, row, range) }
}
