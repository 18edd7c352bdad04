// Reads an upload that comes as a form (multipart/form-data): fields, and one file that is handed through.

import { type Deadline, deadline } from '../../../lib/deadline.ts'
import { sourceOf } from '../blobs/read-source.ts'
import { FormParts } from './form-parts.ts'
import { badForm, boundaryOf, type PartHeaders } from './part-headers.ts'

/** A form whose file has begun. */
export interface UploadForm {
  /**
   * By name; of several with one name the first counts. Fields behind the file are there once its body was read to its
   * end.
   */
  fields: ReadonlyMap<string, string>
  file: UploadFile
}

export interface UploadFile {
  /** As it was sent, which may be a path. */
  filename: string | undefined
  contentType: string | undefined
  /** Bytes, as clients send forms: not before the end is it known. Undefined: nothing is known. */
  likelyLength: number | undefined
  /**
   * Fails with `invalid_body` and `payload_too_large` for what is behind the file, and with what the form fails with.
   */
  body: ReadableStream<Uint8Array>
}

/** What the headers of the request say. */
export interface FormHeaders {
  contentType: string
  /** In bytes; undefined: not known. */
  contentLength: number | undefined
}

/** No byte of a body came for so long: it is given up. */
const TIMEOUT_MS = 60_000

/**
 * Reads up to the file. Throws `invalid_body` for what is no form with a file, `payload_too_large` for more fields than
 * are read, and what the body fails with.
 */
export async function readForm(
  body: ReadableStream<Uint8Array>,
  { contentType, contentLength }: FormHeaders,
  { deadline: bounded = deadline, timeoutMs = TIMEOUT_MS }: { deadline?: Deadline; timeoutMs?: number } = {},
): Promise<UploadForm> {
  const source = sourceOf(body, { deadline: bounded, timeoutMs })
  try {
    const parts = new FormParts(source, boundaryOf(contentType))
    const fields = new Map<string, string>()
    await parts.begin()
    const headers = await takeFields(parts, fields)
    if (headers === undefined) throw badForm('The form has no file.')
    const { filename, contentType: fileType } = headers
    const likelyLength = contentLength === undefined ? undefined : parts.likelyLength(contentLength)
    return {
      fields,
      file: { filename, contentType: fileType, likelyLength, body: fileOf(parts, fields, source) },
    }
  } catch (err) {
    await source.cancel()
    throw err
  }
}

/** Adds the fields up to the next file, whose headers it answers; undefined where there is none. */
async function takeFields(parts: FormParts, fields: Map<string, string>): Promise<PartHeaders | undefined> {
  for (;;) {
    const headers = await parts.next()
    if (headers === undefined || headers.isFile) return headers
    const value = await parts.takeField()
    if (!fields.has(headers.name)) fields.set(headers.name, value)
  }
}

function fileOf(
  parts: FormParts,
  fields: Map<string, string>,
  source: { cancel(): Promise<void> },
): ReadableStream<Uint8Array> {
  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const bytes = await parts.takeOfFile()
    if (bytes !== undefined) return controller.enqueue(bytes)
    if ((await takeFields(parts, fields)) !== undefined) throw badForm('The form has more than one file.')
    await parts.end()
    controller.close()
  }
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          await pull(controller)
        } catch (err) {
          await source.cancel()
          throw err
        }
      },
      cancel: () => source.cancel(),
    },
    // Nothing is read before somebody asks for it.
    { highWaterMark: 0 },
  )
}
