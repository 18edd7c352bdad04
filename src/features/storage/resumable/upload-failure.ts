// What callers are told of an upload that does not go on. Pure.

import type { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError } from '../../../errors.ts'
import { fromErrorRecord } from './error-record.ts'
import type { UploadFailure } from './upload-contract.ts'

/** The error of a failure. Some words are Supabase's, whose clients look for them. */
export function failureError(failure: UploadFailure): DomainError | PostgresError {
  switch (failure.outcome) {
    case 'unknown':
      return uploadNotFound()
    case 'locked':
      return uploadLocked()
    case 'elsewhere':
      return new DomainError('upload_conflict', 'Upload-Offset conflict', {
        detail: `The upload stands at ${failure.offset}.`,
        hint: 'Ask with HEAD where the upload stands, and send from there.',
      })
    case 'other_length':
      return new DomainError('validation_failed', 'Upload-Length is not the length of this upload.', {
        detail: failure.length === null ? 'More is stored already.' : `It was said to be ${failure.length}.`,
        hint: 'The length is said once, when the upload begins or later.',
      })
    case 'too_large':
      return tooLarge(failure.bytesMax)
    case 'broke_off':
      return new DomainError('invalid_body', 'The body broke off.', {
        detail: 'What came of it is stored.',
        hint: 'Ask with HEAD where the upload stands, and send from there.',
      })
    case 'unavailable':
    case 'refused':
      return fromErrorRecord(failure.error)
  }
}

export function uploadNotFound(): DomainError {
  return new DomainError('upload_not_found', 'Upload not found', {
    detail: 'It was cancelled, has expired after a day, or belongs to somebody else.',
    hint: 'Begin a new one.',
  })
}

/** 423 is what tus-js-client tries again in place of beginning anew. */
export function uploadLocked(cause?: unknown): DomainError {
  return new DomainError('upload_locked', 'The upload is in use by another request', {
    hint: 'Try again soon.',
    retryAfterSeconds: 1,
    cause,
  })
}

export function tooLarge(bytesMax: number): DomainError {
  return new DomainError('object_too_large', `The limit is ${bytesMax} bytes.`, {
    hint: 'The limit is that of the bucket, of the deployment, or the length that was said.',
  })
}
