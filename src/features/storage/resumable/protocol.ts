// TUS 1.0.0 as headers: what requests say and answers carry (https://tus.io/protocols/resumable-upload). Pure.

import { DomainError } from '../../../errors.ts'
import type { UploadState } from './upload-contract.ts'

const VERSION = '1.0.0'
export const CHUNK_TYPE = 'application/offset+octet-stream'

/** What every answer carries, also one that refuses. */
export const TUS_HEADERS = { 'tus-resumable': VERSION, 'tus-version': VERSION } as const

/** What OPTIONS answers, where files have at most so many bytes. */
export function optionsHeaders(bytesMax: number): Record<string, string> {
  return {
    ...TUS_HEADERS,
    'tus-extension': 'creation,creation-with-upload,creation-defer-length,termination,expiration',
    'tus-max-size': String(bytesMax),
  }
}

/** Throws `unsupported_tus_version`. */
export function checkVersion(headers: Headers): void {
  if (headers.get('tus-resumable') === VERSION) return
  throw new DomainError('unsupported_tus_version', 'Tus-Resumable Required', {
    hint: `Send Tus-Resumable: ${VERSION}, which is the one version that is served.`,
  })
}

/** Throws `validation_failed` for an upload that is to be a part of another, or made of others. */
export function checkIsWhole(headers: Headers): void {
  if (!headers.has('upload-concat')) return
  throw new DomainError('validation_failed', 'Upload-Concat is not served.', {
    hint: 'Send the file as one upload, in as many chunks as you like. Tus-Extension of OPTIONS says what is served.',
  })
}

/** How long the whole will be; null: it is said later. Throws `validation_failed`. */
export function readNewLength(headers: Headers): number | null {
  const length = readWhole(headers, 'upload-length')
  const deferred = headers.get('upload-defer-length')
  if ((length === undefined) === (deferred === '1')) return length ?? null
  throw new DomainError('validation_failed', 'Either Upload-Length or Upload-Defer-Length: 1 is needed.', {
    hint: 'Send the bytes of the whole file as Upload-Length.',
  })
}

/** What a chunk says of itself. */
export interface ChunkHeaders {
  /** Where in the file it begins. */
  readonly offset: number
  /** Of the whole file, where it is said only now. */
  readonly length: number | undefined
  /** Bytes of the chunk; undefined: not known before its end. */
  readonly bytes: number | undefined
}

/** Throws `unsupported_media_type` and `validation_failed`. */
export function readChunkHeaders(headers: Headers): ChunkHeaders {
  if (!isChunk(headers)) {
    throw new DomainError('unsupported_media_type', `Content-Type must be ${CHUNK_TYPE}.`, {
      hint: `Send the bytes as they are, with Content-Type: ${CHUNK_TYPE}.`,
    })
  }
  const offset = readWhole(headers, 'upload-offset')
  if (offset === undefined) {
    throw new DomainError('validation_failed', 'Upload-Offset is needed.', {
      hint: 'Ask with HEAD where the upload stands, and send from there.',
    })
  }
  return { offset, length: readWhole(headers, 'upload-length'), bytes: readWhole(headers, 'content-length') }
}

/** Whether the body of the request is bytes of the file. */
export function isChunk(headers: Headers): boolean {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === CHUNK_TYPE
}

/** PATCH and DELETE may come as POST, from where nothing else can be sent. */
export function methodOf(request: Pick<Request, 'method' | 'headers'>): string {
  return (request.headers.get('x-http-method-override') ?? request.method).toUpperCase()
}

/** What an answer says of an upload. */
export function stateHeaders({ offset, length, expiresAtMs }: UploadState): Record<string, string> {
  return {
    ...TUS_HEADERS,
    'upload-offset': String(offset),
    'upload-expires': new Date(expiresAtMs).toUTCString(),
    ...(length === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(length) }),
  }
}

function readWhole(headers: Headers, name: string): number | undefined {
  const text = headers.get(name)
  if (text === null) return undefined
  const value = Number(text)
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(value)) return value
  throw new DomainError('validation_failed', `${name} must be a whole number.`)
}
