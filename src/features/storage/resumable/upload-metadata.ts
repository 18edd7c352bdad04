// What a resumable upload says of its file: the header Upload-Metadata of TUS, with the names that Supabase's clients
// send. Pure.

import { DomainError } from '../../../errors.ts'
import { decodeBase64 } from '../../../lib/base64.ts'
import type { ObjectPlace } from '../names.ts'
import { asMetadata, checkedType, readCacheControl } from '../objects/upload-headers.ts'

/** The file as its sender describes it. */
export interface UploadDescription {
  readonly place: ObjectPlace
  readonly contentType: string
  readonly cacheControl: string
  readonly userMetadata: Readonly<Record<string, unknown>> | null
}

const HEADER_CHARACTERS_MAX = 16_384

/** Reads the header. Throws `validation_failed`, which says what of it cannot be read, and `mime_type_not_allowed`. */
export function readUploadMetadata(header: string | null): UploadDescription {
  const fields = parseFields(header ?? '')
  const bucketId = fields.get('bucketName') ?? ''
  const name = fields.get('objectName') ?? ''
  if (bucketId === '' || name === '') {
    throw invalid('bucketName and objectName are needed.')
  }
  return {
    place: { bucketId, name },
    contentType: checkedType(fields.get('contentType') ?? null),
    cacheControl: cacheControlOf(fields.get('cacheControl')),
    userMetadata: userMetadataOf(fields.get('metadata')),
  }
}

/** Pairs of a name and base64 of its value, separated by commas; a name alone has the empty value. */
function parseFields(header: string): Map<string, string> {
  if (header.length > HEADER_CHARACTERS_MAX)
    throw invalid(`It is longer than ${HEADER_CHARACTERS_MAX} characters.`)
  const fields = new Map<string, string>()
  for (const pair of header.split(',')) {
    const [name = '', encoded = '', ...rest] = pair.trim().split(/ +/)
    if (name === '' && encoded === '') continue
    const value = decodeText(encoded)
    if (value === undefined || rest.length > 0 || fields.has(name)) {
      throw invalid(`The part ${fields.size + 1} is no name with base64 of UTF-8, or comes twice.`)
    }
    fields.set(name, value)
  }
  return fields
}

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeText(encoded: string): string | undefined {
  const bytes = decodeBase64(encoded)
  if (bytes === undefined) return undefined
  try {
    return strictDecoder.decode(bytes)
  } catch {
    return undefined
  }
}

function cacheControlOf(given: string | undefined): string {
  const read = readCacheControl(given)
  if (read !== undefined) return read
  throw invalid('cacheControl is neither seconds nor a Cache-Control of printable ASCII.')
}

function userMetadataOf(given: string | undefined): UploadDescription['userMetadata'] {
  if (given === undefined || given === '') return null
  try {
    return asMetadata(given)
  } catch {
    throw invalid('metadata is not the JSON text of an object that Postgres can store.')
  }
}

function invalid(detail: string): DomainError {
  return new DomainError('validation_failed', 'Upload-Metadata cannot be read.', {
    detail,
    hint:
      'Send pairs of a name and base64 of its value, separated by commas: bucketName, objectName, contentType, ' +
      'cacheControl, metadata.',
  })
}
