// How large a file may be, and of which type. Pure.

import { DomainError } from '../../../errors.ts'

/** What a bucket says of the files in it. */
export interface BucketLimits {
  /** Bytes; null: the deployment's. */
  readonly fileSizeLimit: number | null
  readonly allowedMimeTypes: readonly string[] | null
}

/** Most bytes of a file in the bucket, where one deployment takes `bytesMax` at most. */
export function sizeLimitOf({ fileSizeLimit }: BucketLimits, bytesMax: number): number {
  return Math.min(fileSizeLimit ?? bytesMax, bytesMax)
}

/** Throws `object_too_large` where the size is known and beyond the limit. */
export function checkSize(size: number | undefined, limit: number): void {
  if (size === undefined || size <= limit) return
  throw objectTooLarge(limit)
}

export function objectTooLarge(limit: number): DomainError {
  return new DomainError('object_too_large', 'The object exceeded the maximum allowed size', {
    detail: `The limit is ${limit} bytes.`,
    hint:
      'Raise file_size_limit of the bucket, if that is what ends it. What is too large for one request goes by a ' +
      'resumable upload (TUS): POST /storage/v1/upload/resumable.',
  })
}

/** Throws `mime_type_not_allowed`. Parameters of the type (`; charset=utf-8`) do not count. */
export function checkMimeType(contentType: string, { allowedMimeTypes }: BucketLimits): void {
  const [type = ''] = contentType.toLowerCase().split(';', 1)
  const [major] = type.trim().split('/', 1)
  const isAllowed = (allowed: string) => [type.trim(), `${major}/*`, '*/*'].includes(allowed.toLowerCase())
  if (allowedMimeTypes === null || allowedMimeTypes.some(isAllowed)) return
  throw new DomainError('mime_type_not_allowed', `mime type ${contentType.slice(0, 100)} is not supported`, {
    hint: `The bucket takes ${allowedMimeTypes.join(', ').slice(0, 300)}. Send the type as Content-Type.`,
  })
}
