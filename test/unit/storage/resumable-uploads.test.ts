// What the headers of a resumable upload mean, and what becomes of a chunk.

import { describe, expect, it } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { DomainError } from '../../../src/errors.ts'
import { decideWrite } from '../../../src/features/storage/resumable/decide-write.ts'
import { fromErrorRecord, toErrorRecord } from '../../../src/features/storage/resumable/error-record.ts'
import {
  checkIsWhole,
  checkVersion,
  readChunkHeaders,
  readNewLength,
} from '../../../src/features/storage/resumable/protocol.ts'
import { readUploadMetadata } from '../../../src/features/storage/resumable/upload-metadata.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const header = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${base64(value)}`)
    .join(',')
const PLACE = { bucketName: 'avatars', objectName: 'ada/grüße.png' }

describe('Upload-Metadata', () => {
  it('says what the file is, in any Unicode', () => {
    const metadata = JSON.stringify({ taken_by: 'Ada' })
    const fields = { ...PLACE, contentType: 'image/png', cacheControl: '3600', metadata, filename: 'x' }
    expect(readUploadMetadata(header(fields))).toEqual({
      place: { bucketId: 'avatars', name: 'ada/grüße.png' },
      contentType: 'image/png',
      cacheControl: 'max-age=3600',
      userMetadata: { taken_by: 'Ada' },
    })
  })

  it('may leave out all but the place, and have empty values and blanks', () => {
    const described = readUploadMetadata(`${header(PLACE)}, metadata,cacheControl `)
    expect(described).toMatchObject({
      contentType: 'application/octet-stream',
      cacheControl: 'no-cache',
      userMetadata: null,
    })
  })

  it.each([
    ['nothing', null],
    ['no name', header({ bucketName: 'a' })],
    ['what is no base64', `${header(PLACE)},metadata ä`],
    ['what is no UTF-8', `${header(PLACE)},metadata /w==`],
    ['a name twice', `${header(PLACE)},${header(PLACE)}`],
    ['metadata that is no object', header({ ...PLACE, metadata: '[1]' })],
    ['metadata that Postgres cannot store', header({ ...PLACE, metadata: '{"a":"\\u0000"}' })],
    ['a Cache-Control with a line break', header({ ...PLACE, cacheControl: 'a\r\nx: y' })],
    ['more than is read', header({ ...PLACE, metadata: `"${'x'.repeat(20_000)}"` })],
  ])('is refused with %s', (_, text) => {
    expect(codeOf(() => readUploadMetadata(text))).toBe('validation_failed')
  })
})

describe('the headers of TUS', () => {
  it('name their version', () => {
    expect(codeOf(() => checkVersion(new Headers({ 'tus-resumable': '0.2.2' })))).toBe(
      'unsupported_tus_version',
    )
    expect(codeOf(() => checkVersion(new Headers()))).toBe('unsupported_tus_version')
  })

  it.each(['partial', 'final;/a /b'])('may not ask for what is not served: Upload-Concat: %s', concat => {
    expect(() => checkIsWhole(new Headers({ 'upload-concat': concat }))).toThrow('Upload-Concat')
    expect(() => checkIsWhole(new Headers())).not.toThrow()
  })

  it('say the length now or later, and not both', () => {
    expect(readNewLength(new Headers({ 'upload-length': '0' }))).toBe(0)
    expect(readNewLength(new Headers({ 'upload-defer-length': '1' }))).toBeNull()
    for (const headers of [
      {},
      { 'upload-length': '1', 'upload-defer-length': '1' },
      { 'upload-length': '-1' },
    ])
      expect(codeOf(() => readNewLength(new Headers(headers as Record<string, string>)))).toBe(
        'validation_failed',
      )
  })

  it('say where a chunk begins', () => {
    const type = { 'content-type': 'application/offset+octet-stream' }
    const read = (headers: Record<string, string>) => () => readChunkHeaders(new Headers(headers))
    expect(read({ ...type, 'upload-offset': '5', 'content-length': '2' })()).toEqual({
      offset: 5,
      length: undefined,
      bytes: 2,
    })
    expect(codeOf(read(type))).toBe('validation_failed')
    expect(codeOf(read({ ...type, 'upload-offset': '1e2' }))).toBe('validation_failed')
    expect(codeOf(read({ 'upload-offset': '0' }))).toBe('unsupported_media_type')
  })
})

describe('a chunk', () => {
  const bytesMax = 100
  const decide = (
    standing: { offset: number; length: number | null },
    chunk: { offset: number; length?: number; bytes?: number },
  ) => decideWrite({ ...standing, bytesMax }, { length: undefined, bytes: undefined, ...chunk })

  it('is received where the upload stands, up to the length', () => {
    const received = { outcome: 'receive', length: 10, bytesMax: 7 }
    expect(decide({ offset: 3, length: 10 }, { offset: 3, bytes: 7 })).toEqual(received)
    expect(decide({ offset: 3, length: null }, { offset: 3, length: 10 })).toEqual(received)
  })

  it('is not received at another offset', () => {
    expect(decide({ offset: 3, length: 10 }, { offset: 0, bytes: 3 })).toEqual({
      outcome: 'elsewhere',
      offset: 3,
    })
  })

  it('may be the last one again, or an empty one behind it', () => {
    const whole = { offset: 10, length: 10 }
    for (const chunk of [
      { offset: 7, bytes: 3 },
      { offset: 10, bytes: 0 },
      { offset: 7 },
      { offset: 0, bytes: 10 },
    ])
      expect(decide(whole, chunk).outcome).toBe('repeated')
    expect(decide(whole, { offset: 0, bytes: 3 }).outcome).toBe('elsewhere')
    expect(decide(whole, { offset: 10, bytes: 1 }).outcome).toBe('too_large')
  })

  it('is too large beyond the length, and beyond the limit where none is known', () => {
    expect(decide({ offset: 3, length: 10 }, { offset: 3, bytes: 8 }).outcome).toBe('too_large')
    expect(decide({ offset: 3, length: null }, { offset: 3, bytes: 98 }).outcome).toBe('too_large')
    expect(decide({ offset: 3, length: null }, { offset: 3, length: 101 }).outcome).toBe('too_large')
  })

  it('cannot say another length than was said, nor one behind which more is stored', () => {
    expect(decide({ offset: 3, length: 10 }, { offset: 3, length: 11 }).outcome).toBe('other_length')
    expect(decide({ offset: 3, length: null }, { offset: 3, length: 2 }).outcome).toBe('other_length')
  })
})

it('hands errors on with all that callers are told', () => {
  const ours = new DomainError('database_unavailable', 'away', {
    hint: 'wait',
    retryAfterSeconds: 5,
    outcomeUnknown: true,
  })
  const theirs = new PostgresError({
    message: 'no',
    code: '42501',
    schema: 'storage',
    table: 'objects',
    hint: 'h',
  })
  for (const err of [ours, theirs]) {
    const record = toErrorRecord(err)
    const copy = record && fromErrorRecord(structuredClone(record))
    expect(copy).toBeInstanceOf(err.constructor)
    expect({ ...copy }).toEqual({ ...err })
    expect(copy?.message).toBe(err.message)
  }
  expect(toErrorRecord(new Error('other'))).toBeUndefined()
})

function codeOf(work: () => unknown): string | undefined {
  try {
    work()
  } catch (err) {
    return err instanceof DomainError ? err.code : String(err)
  }
  return undefined
}
