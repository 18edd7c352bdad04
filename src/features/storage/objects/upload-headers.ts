// What the headers of an upload say of the file. Pure.

import { DomainError } from '../../../errors.ts'
import { SEND_TYPE } from '../writes/limits.ts'
import type { Upload } from './upload-object.ts'

/** Of a file that came without a type. */
const UNKNOWN_TYPE = 'application/octet-stream'
const TYPE_CHARACTERS_MAX = 255

type Described = Pick<Upload, 'contentType' | 'cacheControl' | 'length' | 'userMetadata'>

/** Content-Type, Cache-Control, Content-Length and X-Metadata (base64 of a JSON object). Throws `invalid_parameter`. */
export function readUploadHeaders(headers: Headers): Described {
  const length = headers.get('content-length')
  return {
    contentType: checkedType(headers.get('content-type')),
    cacheControl: (headers.get('cache-control') ?? 'no-cache').slice(0, TYPE_CHARACTERS_MAX),
    length: length === null ? undefined : Number(length),
    userMetadata: readMetadata(headers.get('x-metadata')),
  }
}

/**
 * As `readUploadHeaders`, where the body is the file itself. Throws `mime_type_not_allowed` for a form, and for the
 * type that curl says of a body when its user says none.
 */
export function readFileHeaders(headers: Headers): Described {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const hint = FORM_HINTS.get(type)
  if (hint === undefined) return readUploadHeaders(headers)
  throw new DomainError('mime_type_not_allowed', `mime type ${type} is not supported`, { hint })
}

const FORM_HINTS: ReadonlyMap<string, string> = new Map([
  [
    'multipart/form-data',
    'Send the file as the body: curl -T FILE -H "Content-Type: image/png". A form is taken by POST ' +
      '/storage/v1/object/:bucket/:name.',
  ],
  [
    'application/x-www-form-urlencoded',
    'Say the type of the file: curl --data-binary @FILE -H "Content-Type: image/png". Where none is said, curl says ' +
      'this one.',
  ],
])

/** The type as it was said. Throws `mime_type_not_allowed` for what is none. */
export function checkedType(type: string | null): string {
  const said = type?.trim() || UNKNOWN_TYPE
  if (said.length <= TYPE_CHARACTERS_MAX && /^[\w.+-]+\/[\w.+-]+\s*(?:;[\x20-\x7e]*)?$/.test(said))
    return said
  throw new DomainError('mime_type_not_allowed', `mime type ${said.slice(0, 100)} is not supported`, {
    hint: `A type looks like image/png. ${SEND_TYPE}`,
  })
}

const CACHE_CONTROL = /^[\x20-\x7e]{1,255}$/

/** Seconds, as Supabase's clients say them, or the header as it is to be; undefined for what is neither. */
export function readCacheControl(said: string | undefined): string | undefined {
  if (said === undefined || said === '') return 'no-cache'
  if (/^\d{1,10}$/.test(said)) return `max-age=${said}`
  return CACHE_CONTROL.test(said) ? said : undefined
}

/** Throws `invalid_parameter`. */
export function readMetadata(encoded: string | null): Described['userMetadata'] {
  if (encoded === null || encoded === '') return null
  try {
    const bytes = Uint8Array.from(atob(encoded), character => character.charCodeAt(0))
    return asMetadata(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch (cause) {
    if (cause instanceof DomainError) throw cause
    throw new DomainError('invalid_parameter', 'The header X-Metadata is not base64 of a JSON object.', {
      hint: 'Send btoa(JSON.stringify({ ... })).',
      cause,
    })
  }
}

/** A page of a list has a thousand of them. What Postgres makes of them it bounds by itself. */
const METADATA_BYTES_MAX = 8_192

/** The JSON object in a text. Throws for anything else, and for what Postgres cannot store. */
export function asMetadata(json: string): Readonly<Record<string, unknown>> {
  if (new TextEncoder().encode(json).byteLength > METADATA_BYTES_MAX) throw metadataTooLarge()
  const value: unknown = JSON.parse(json)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object')
  const text = JSON.stringify(value)
  if (/\\u0000/.test(text) || !text.isWellFormed() || /\\ud[89a-f]/i.test(text))
    throw new Error('not storable')
  return value as Readonly<Record<string, unknown>>
}

/** Of metadata that are too large as they came, or as Postgres writes them. */
export function metadataTooLarge(): DomainError {
  return new DomainError('invalid_parameter', 'The metadata of the file are too large.', {
    detail: `They may have ${METADATA_BYTES_MAX} bytes of JSON, with numbers written out.`,
    hint: 'Keep more than that in a table of your own, or in a file.',
  })
}
