// What storage-js and clients of TUS are told when something is refused. The expected answers are those of Supabase's
// storage server and of its acceptance suite.

import { expect, it, vi } from 'vitest'
import { PostgresError } from '../../../../src/db/postgres-error.ts'
import { DomainError, type ErrorCode } from '../../../../src/errors.ts'
import { answerOf } from '../../../../src/http/error-response.ts'
import { wireOf } from '../../../../src/http/wires/wires.ts'

vi.spyOn(console, 'error').mockImplementation(() => {})

const KEYED = { authorization: 'Bearer not-a-jwt' }

function refuse(err: unknown, path = '/object/b/n', headers: Record<string, string> = KEYED) {
  const answer = answerOf(err, { requestId: 'r', isAnonymous: true, route: null })
  const refused = {
    request: new Request('http://quoin.test', { headers }),
    path: `/storage/v1${path}`,
  }
  return wireOf(refused.path)?.refusal(answer, refused)
}
const bodyOf = (answer: ReturnType<typeof refuse>) => JSON.parse(String(answer?.body))
const domain = (code: ErrorCode) => new DomainError(code, 'ours', { detail: 'more', hint: 'do this' })

it.each([
  ['bucket_not_found', 400, '404', 'Bucket not found', 'NoSuchBucket', 'Bucket not found'],
  ['object_not_found', 400, '404', 'not_found', 'NoSuchKey', 'Object not found'],
  ['object_exists', 400, '409', 'Duplicate', 'KeyAlreadyExists', 'The resource already exists'],
  ['bucket_exists', 400, '409', 'Duplicate', 'BucketAlreadyExists', 'The resource already exists'],
  [
    'bucket_not_empty',
    400,
    '409',
    'ResourceNotEmpty',
    'ResourceNotEmpty',
    'The bucket you tried to delete is not empty',
  ],
  ['invalid_object_name', 400, '400', 'InvalidKey', 'InvalidKey', 'ours'],
  ['mime_type_not_allowed', 400, '415', 'invalid_mime_type', 'InvalidMimeType', 'ours'],
  [
    'object_too_large',
    400,
    '413',
    'Payload too large',
    'EntityTooLarge',
    'The object exceeded the maximum allowed size',
  ],
  ['invalid_signature', 400, '400', 'InvalidSignature', 'InvalidSignature', 'ours'],
  ['signature_expired', 400, '400', 'ExpiredToken', 'ExpiredToken', 'ours'],
  ['invalid_api_key', 400, '403', 'Unauthorized', 'AccessDenied', 'ours'],
  ['validation_failed', 400, '400', 'Error', 'InvalidRequest', 'ours'],
  // Clients try again by these, and players read the third.
  ['rate_limited', 429, '429', 'SlowDown', 'SlowDown', 'ours'],
  ['storage_unavailable', 503, '503', 'storage_unavailable', 'storage_unavailable', 'ours'],
  ['invalid_range', 416, '416', 'invalid_range', 'InvalidRange', 'ours'],
  ['not_found', 404, '404', 'Not Found', 'InvalidRequest', 'ours'],
] as const)('says %s as storage-js knows it', (ours, status, statusCode, error, code, message) => {
  const answer = refuse(domain(ours))
  expect(answer?.status).toBe(status)
  expect(bodyOf(answer)).toEqual({
    statusCode,
    error,
    code,
    message,
    detail: message === 'ours' ? 'more' : 'ours more',
    hint: 'do this',
    request_id: 'r',
  })
})

it('says in Postgres’ words that a policy refused a row, whoever asked', () => {
  const message = 'new row violates row-level security policy for table "objects"'
  const answer = refuse(new PostgresError({ code: '42501', message }))
  expect([answer?.status, bodyOf(answer)]).toMatchObject([
    400,
    { statusCode: '403', error: 'Unauthorized', code: 'AccessDenied', message },
  ])
})

it('asks for the header that whoever shows nothing has left out', () => {
  const answer = refuse(domain('invalid_api_key'), '/bucket', {})
  expect([answer?.status, bodyOf(answer)]).toMatchObject([
    400,
    { statusCode: '400', error: 'Error', message: "headers must have required property 'authorization'" },
  ])
  expect(bodyOf(refuse(domain('invalid_api_key'), '/bucket', { apikey: 'x' }))).toMatchObject({
    statusCode: '403',
  })
})

it('keeps 500, and says nothing of what failed', () => {
  const answer = refuse(new Error('postgres://owner:secret@db'))
  expect([answer?.status, bodyOf(answer)]).toMatchObject([500, { statusCode: '500', error: 'Internal' }])
  expect(String(answer?.body)).not.toContain('secret')
})

it.each([
  ['upload_conflict', 409, 'ours. more. do this.'],
  ['upload_not_found', 404, 'Upload not found. ours. more. do this.'],
  ['bucket_not_found', 404, 'Bucket not found. ours. more. do this.'],
  ['object_too_large', 413, 'Maximum size exceeded. ours. more. do this.'],
  ['rate_limited', 429, 'ours. more. do this.'],
  ['invalid_api_key', 401, 'ours. more. do this.'],
] as const)('says %s to a client of TUS by its real status and a text', (code, status, text) => {
  for (const path of ['/upload/resumable', '/upload/resumable/id', '/upload/resumable/sign']) {
    const answer = refuse(domain(code), path)
    expect(answer).toMatchObject({ status, body: text, headers: { 'tus-resumable': '1.0.0' } })
    expect(answer?.headers['content-type']).toMatch(/^text\/plain/)
  }
})

it('says it once to a client of TUS where our words are those of Supabase', () => {
  const taken = new DomainError('object_exists', 'The resource already exists', { hint: 'Replace it.' })
  expect(refuse(taken, '/upload/resumable')?.body).toBe('The resource already exists. Replace it.')
  const large = new DomainError('object_too_large', 'The object exceeded the maximum allowed size')
  expect(refuse(large, '/upload/resumable')?.body).toBe('Maximum size exceeded.')
})

it('speaks under its own prefix alone', () => {
  expect(wireOf('/storage/v1')?.prefix).toBe('/storage/v1')
  for (const path of ['/v1/storage/buckets', '/storage/v10', '/storage', '/api/storage/v1/'])
    expect(wireOf(path)).toBeUndefined()
})
