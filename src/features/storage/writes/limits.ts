// How large a file may be, and of which type. Pure.

import { DomainError } from '../../../errors.ts'

/** What a bucket says of the files in it. */
export interface BucketLimits {
  /** Bytes; null: the deployment's. */
  readonly fileSizeLimit: number | null
  readonly allowedMimeTypes: readonly string[] | null
}

/** What the deployment says of all files. */
export interface StorageLimits {
  readonly storageObjectMaxBytes: number
  readonly storageUploadMaxBytes: number
}

/** `single`: the file comes in one request. */
type Way = 'single' | 'any'

/** Most bytes of a file in the bucket. */
export function sizeLimitOf({ fileSizeLimit }: BucketLimits, config: StorageLimits, way: Way): number {
  const { storageObjectMaxBytes, storageUploadMaxBytes } = config
  return Math.min(
    fileSizeLimit ?? storageObjectMaxBytes,
    storageObjectMaxBytes,
    way === 'single' ? storageUploadMaxBytes : storageObjectMaxBytes,
  )
}

/** Throws `object_too_large` and `mime_type_not_allowed`. A size of undefined is not known yet. */
export function checkFile(
  { size, contentType }: { size: number | undefined; contentType: string },
  limits: BucketLimits,
  limit: number,
  way: Way = 'single',
): void {
  if (size !== undefined && size > limit) throw objectTooLarge(limit, way)
  checkMimeType(contentType, limits)
}

export function objectTooLarge(limit: number, way: Way = 'single'): DomainError {
  const raise = 'Raise file_size_limit of the bucket, if that is what ends it.'
  const resumable =
    'What is too large for one request goes by a resumable upload (TUS): POST /storage/v1/upload/resumable.'
  return new DomainError('object_too_large', 'The object exceeded the maximum allowed size', {
    detail: `The limit is ${limit} bytes.`,
    hint: way === 'single' ? `${raise} ${resumable}` : raise,
  })
}

/** Where the type of a file is said. */
export const SEND_TYPE =
  'Send it as Content-Type; a resumable upload says it as contentType of Upload-Metadata.'

/** Parameters of the type (`; charset=utf-8`) do not count. An empty list is none, as Supabase has it. */
function checkMimeType(contentType: string, { allowedMimeTypes }: BucketLimits): void {
  const [type = ''] = contentType.toLowerCase().split(';', 1)
  const [major] = type.trim().split('/', 1)
  const isAllowed = (allowed: string) => [type.trim(), `${major}/*`, '*/*'].includes(allowed.toLowerCase())
  if (allowedMimeTypes === null || allowedMimeTypes.length === 0 || allowedMimeTypes.some(isAllowed)) return
  throw new DomainError('mime_type_not_allowed', `mime type ${contentType.slice(0, 100)} is not supported`, {
    hint: `The bucket takes ${allowedMimeTypes.join(', ').slice(0, 300)}. ${SEND_TYPE}`,
  })
}
