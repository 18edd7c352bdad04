// Refusals under /storage/v1 as Supabase's storage server says them, for storage-js and for clients of TUS. Its body
// has the real status as a text; the status of HTTP is 400 for most. Ours go beside: `detail`, `hint`, `request_id`.

import * as z from 'zod'
import type { ErrorCode } from '../../errors.ts'
import type { ErrorAnswer } from '../error-response.ts'
import type { RawAnswer } from '../route.ts'
import type { Wire } from './wire.ts'

/** What of a refusal is said in Supabase's words. */
interface Words {
  /** The older name of what went wrong, which applications compare; the code unless said. */
  error?: string
  code: string
  /** What clients and suites compare; ours is in `detail` then. */
  message?: string
  /** The real status, where Supabase has another. */
  statusCode?: number
}

const DENIED: Words = { error: 'Unauthorized', code: 'AccessDenied', statusCode: 403 }
const INVALID: Words = { error: 'Error', code: 'InvalidRequest' }
const TAKEN = { error: 'Duplicate', message: 'The resource already exists' }
const TOO_LARGE: Words = {
  error: 'Payload too large',
  code: 'EntityTooLarge',
  message: 'The object exceeded the maximum allowed size',
}
const BAD_TYPE: Words = { error: 'invalid_mime_type', code: 'InvalidMimeType' }
const SLOW_DOWN: Words = { code: 'SlowDown' }

/** By our code or Postgres' SQLSTATE; whatever is not here is said under its own. */
const WORDS: Partial<Record<ErrorCode | '42501', Words>> = {
  '42501': DENIED,
  admission_unavailable: SLOW_DOWN,
  bucket_exists: { ...TAKEN, code: 'BucketAlreadyExists' },
  bucket_not_empty: { code: 'ResourceNotEmpty', message: 'The bucket you tried to delete is not empty' },
  bucket_not_found: { error: 'Bucket not found', code: 'NoSuchBucket', message: 'Bucket not found' },
  image_not_possible: {
    code: 'InvalidRequest',
    message: 'The source image is invalid or unsupported for rendering',
  },
  insufficient_role: DENIED,
  internal_error: { error: 'Internal', code: 'InternalError' },
  invalid_access_token: DENIED,
  invalid_api_key: DENIED,
  invalid_body: INVALID,
  invalid_bucket_name: {
    error: 'Invalid Input',
    code: 'InvalidBucketName',
    message: 'Bucket name invalid',
  },
  invalid_object_name: { code: 'InvalidKey' },
  invalid_parameter: INVALID,
  invalid_range: { error: 'invalid_range', code: 'InvalidRange' },
  invalid_signature: { code: 'InvalidSignature' },
  method_not_allowed: { error: 'Method Not Allowed', code: 'InvalidRequest' },
  mime_type_not_allowed: BAD_TYPE,
  not_found: { error: 'Not Found', code: 'InvalidRequest' },
  object_exists: { ...TAKEN, code: 'KeyAlreadyExists' },
  object_not_found: { error: 'not_found', code: 'NoSuchKey', message: 'Object not found' },
  object_too_large: TOO_LARGE,
  payload_too_large: TOO_LARGE,
  project_paused: DENIED,
  rate_limited: SLOW_DOWN,
  signature_expired: { code: 'ExpiredToken' },
  too_many_uploads: SLOW_DOWN,
  unsupported_media_type: BAD_TYPE,
  upload_not_found: { code: 'NoSuchUpload', message: 'Upload not found' },
  validation_failed: INVALID,
}

/** Who shows nothing at all is told so by the check of headers, before any key is looked at. */
const NO_CREDENTIAL: Words = {
  ...INVALID,
  message: "headers must have required property 'authorization'",
  statusCode: 400,
}

/** Refusals of the resumable uploads are for clients of TUS, which read the status and show the text. */
const TUS_PATH = /^\/storage\/v1\/upload\/resumable(?:\/|$)/

const StorageError = z
  .object({
    statusCode: z.string().describe('the status; that of HTTP is 400 for most'),
    error: z.string().describe('the older name of what went wrong'),
    message: z.string(),
    code: z.string().describe("Supabase's code, or one of ours that Supabase has none for"),
    detail: z.string().nullable().describe('more about it'),
    hint: z.string().nullable().describe('what to do'),
    request_id: z.string(),
  })
  .meta({
    id: 'StorageError',
    examples: [
      {
        statusCode: '404',
        error: 'not_found',
        message: 'Object not found',
        code: 'NoSuchKey',
        detail: null,
        hint: null,
        request_id: '8c1f4ab0-6f5c-4a0e-9f0b-3d1b7a5f2c9e',
      },
    ],
  })

/** The paths of Supabase's storage. */
export const STORAGE_WIRE: Wire = {
  prefix: '/storage/v1',
  documented: {
    name: 'StorageError',
    content: { 'application/json': StorageError, 'text/plain': z.string() },
  },
  refusal: (answer, refused) =>
    TUS_PATH.test(refused.path) ? tusRefusal(answer) : restRefusal(answer, refused.request),
}

function restRefusal({ status, headers, body }: ErrorAnswer, { headers: sent }: Request): RawAnswer {
  const hasCredential = sent.has('authorization') || sent.has('apikey')
  const words = status === 401 && !hasCredential ? NO_CREDENTIAL : wordsOf(body.code)
  const { code, error = code, message = body.error, statusCode = status } = words
  const own = words.message === undefined || words.message === body.error ? undefined : body.error
  const detail = [own, body.detail].filter(Boolean).join(' ') || null
  const { hint, request_id } = body
  return {
    status: keepsStatus(status, body.code) ? status : 400,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify({ statusCode: String(statusCode), error, message, code, detail, hint, request_id }),
  }
}

function wordsOf(code: string): Words {
  return WORDS[code as keyof typeof WORDS] ?? { code }
}

/**
 * Whether HTTP says the status itself. Clients try again on 429 and 5xx, and players read 416. What is not served at
 * all is 404 or 405 in Supabase's server too.
 */
function keepsStatus(status: number, code: string): boolean {
  return (
    status >= 500 || status === 429 || status === 416 || code === 'not_found' || code === 'method_not_allowed'
  )
}

/** The second is asked for with a 412, and harms nowhere. */
const TUS_VERSIONS = { 'tus-resumable': '1.0.0', 'tus-version': '1.0.0' }

/** A client of TUS goes on by the status: 409 asks for the offset, 404 and 410 begin anew. */
function tusRefusal({ status, headers, body: { code, error, detail, hint } }: ErrorAnswer): RawAnswer {
  const words = wordsOf(code)
  const theirs = words === TOO_LARGE ? 'Maximum size exceeded' : words.message
  const own = error === words.message ? undefined : error
  const text = [theirs, own, detail, hint].filter(isSaid).map(asSentence).join(' ')
  const type = { 'content-type': 'text/plain; charset=utf-8' }
  return { status, headers: { ...type, ...TUS_VERSIONS, ...headers }, body: text }
}

const isSaid = (text: string | null | undefined): text is string => !!text
const asSentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)
