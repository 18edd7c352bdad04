// An upload of storage-js: the file is the body itself, or the one file of a form.

import { DomainError } from '../../../errors.ts'
import { isForm } from '../form/part-headers.ts'
import { readForm } from '../form/read-form.ts'
import { asMetadata, checkedType, readCacheControl, readUploadHeaders } from '../objects/upload-headers.ts'
import type { Upload } from '../objects/upload-object.ts'

type SentFile = Omit<Upload, 'mode' | 'ownerId'>

/** The file and what is said of it. Throws `invalid_body` and `invalid_parameter` for what cannot be read. */
export async function readSentFile(
  headers: Headers,
  body: ReadableStream<Uint8Array> | null,
): Promise<SentFile> {
  const contentType = headers.get('content-type')
  if (!isForm(contentType) || body === null) return { ...readUploadHeaders(headers), body }
  const length = headers.get('content-length')
  const { fields, file } = await readForm(body, {
    contentType,
    contentLength: length === null ? undefined : Number(length),
  })
  const said = () => ({
    cacheControl: cacheControlOf(fields.get('cacheControl')),
    userMetadata: metadataOf(fields.get('metadata')),
  })
  return {
    ...said(),
    saidAtEnd: said,
    body: file.body,
    length: undefined,
    likelyLength: file.likelyLength,
    contentType: checkedType(fields.get('contentType') ?? file.contentType ?? null),
  }
}

function cacheControlOf(said: string | undefined): string {
  const read = readCacheControl(said)
  if (read !== undefined) return read
  throw new DomainError(
    'invalid_parameter',
    'The field cacheControl is neither seconds nor a Cache-Control.',
    {
      hint: 'Send seconds, of at most ten digits, or at most 255 characters of printable ASCII.',
    },
  )
}

function metadataOf(json: string | undefined): SentFile['userMetadata'] {
  if (json === undefined || json === '') return null
  try {
    return asMetadata(json)
  } catch (cause) {
    if (cause instanceof DomainError) throw cause
    throw new DomainError('invalid_parameter', 'The field metadata is not a JSON object.', {
      hint: 'Send JSON.stringify({ ... }).',
      cause,
    })
  }
}
