// Resumable uploads (TUS 1.0.0) where clients of Supabase look for them. With a signed token in `x-signature` no key is
// needed below /sign. A refusal has its real status and a text.

import * as z from 'zod'
import { RESUMABLE_BYTES_MAX } from '../features/storage/blobs/part-sizes.ts'
import { header } from '../features/storage/documented.ts'
import { cancelUpload } from '../features/storage/resumable/cancel-upload.ts'
import { createUpload } from '../features/storage/resumable/create-upload.ts'
import {
  methodOf,
  optionsHeaders,
  stateHeaders,
  TUS_HEADERS,
} from '../features/storage/resumable/protocol.ts'
import { readUpload } from '../features/storage/resumable/read-upload.ts'
import { keyWriter, signedWriter, type UploadWriter } from '../features/storage/resumable/upload-writer.ts'
import { writeChunk } from '../features/storage/resumable/write-chunk.ts'
import { storageCall, tokenCall } from '../features/storage/storage-call.ts'
import { defineRoute, type HandlerInput, type RawAnswer } from '../http/route.ts'

const UPLOADS = {
  '/storage/v1/upload/resumable/sign': 'public',
  '/storage/v1/upload/resumable': 'any_key',
} as const
const UPLOAD = {
  '/storage/v1/upload/resumable/sign/:id': 'public',
  '/storage/v1/upload/resumable/:id': 'any_key',
} as const
const OPEN_UPLOADS = {
  '/storage/v1/upload/resumable/sign': 'public',
  '/storage/v1/upload/resumable': 'public',
} as const
const OPEN_UPLOAD = {
  '/storage/v1/upload/resumable/sign/:id': 'public',
  '/storage/v1/upload/resumable/:id': 'public',
} as const

type Input = Pick<
  HandlerInput<typeof UPLOADS, undefined, undefined>,
  'principal' | 'caller' | 'request' | 'path' | 'deps' | 'bodyStream'
>
type UploadInput = Input & { params: { id: string } }

/** As Supabase names them for policies; `_signed` follows where a token decides. */
function writerOf(input: Input, action: 'create' | 'part' | 'delete'): Promise<UploadWriter> {
  const { principal, deps, request } = input
  const token = request.headers.get('x-signature')
  if (principal === null || token !== null)
    return signedWriter(deps, tokenCall(input, `tus.upload.${action}_signed`), token)
  const call = storageCall({ ...input, principal }, `tus.upload.${action}`)
  const who = { apiKeyId: principal.key.id, subject: principal.endUser?.subject ?? null }
  return Promise.resolve(keyWriter(call, who))
}

async function create(input: Input): Promise<RawAnswer> {
  const { deps, request, path, bodyStream } = input
  const sent = { headers: request.headers, body: bodyStream }
  const { uploadId, state } = await createUpload(deps, await writerOf(input, 'create'), sent)
  const location = `${deps.config.baseUrl}${path.replace(/\/$/, '')}/${uploadId}`
  return { status: 201, headers: { ...stateHeaders(state), location }, body: null }
}

async function write(input: UploadInput): Promise<RawAnswer> {
  const { deps, request, params, bodyStream } = input
  const sent = { headers: request.headers, body: bodyStream }
  const state = await writeChunk(deps, await writerOf(input, 'part'), params.id, sent)
  return { status: 204, headers: stateHeaders(state), body: null }
}

async function read(input: UploadInput): Promise<RawAnswer> {
  const { deps, request, params } = input
  // It may have to do what the last part came for.
  const state = await readUpload(deps, await writerOf(input, 'part'), params.id, request.headers)
  const headers = { ...stateHeaders(state), 'upload-metadata': state.metadataHeader }
  return { status: 200, headers, body: null }
}

async function cancel(input: UploadInput): Promise<RawAnswer> {
  const { deps, request, params } = input
  await cancelUpload(deps, await writerOf(input, 'delete'), params.id, request.headers)
  return { status: 204, headers: TUS_HEADERS, body: null }
}

const override = (input: UploadInput) => (methodOf(input.request) === 'DELETE' ? cancel(input) : write(input))

function options({ storageObjectMaxBytes }: { storageObjectMaxBytes: number }): RawAnswer {
  const bytesMax = Math.min(storageObjectMaxBytes, RESUMABLE_BYTES_MAX)
  return { status: 204, headers: optionsHeaders(bytesMax), body: null }
}

const UPLOAD_PARAMS = { id: z.string().describe('id of the upload, the last part of its Location') }
/** What one request may bring is bounded by the upload's own length. */
const STREAMED = { streamsBody: true, bodyBytesMax: RESUMABLE_BYTES_MAX, unaudited: 'key_data' } as const
const CHUNK = { request: { 'application/offset+octet-stream': z.string().meta({ examples: ['bytes'] }) } }
const OFFSET = header('Upload-Offset', 'where in the file the bytes begin: what HEAD answered')

export const supabaseTusRoutes = [
  defineRoute({
    id: 'storage.options_uploads',
    method: 'options',
    mounts: OPEN_UPLOADS,
    summary: 'What of TUS is served',
    handle: async ({ deps }) => options(deps.config),
  }),
  defineRoute({
    id: 'storage.options_upload',
    method: 'options',
    mounts: OPEN_UPLOAD,
    params: UPLOAD_PARAMS,
    summary: 'What of TUS is served',
    handle: async ({ deps }) => options(deps.config),
  }),
  defineRoute({
    id: 'storage.create_upload',
    method: 'post',
    mounts: UPLOADS,
    ...STREAMED,
    summary: 'Begin a resumable upload (TUS 1.0.0)',
    description:
      'Location of the answer is where to send the bytes, for 24 hours. `x-upsert: true` replaces an object. A ' +
      'person, or all who show a key alone, have at most 100 uploads open.',
    documented: {
      parameters: [
        header('Upload-Length', 'bytes of the whole file; or Upload-Defer-Length: 1'),
        header(
          'Upload-Metadata',
          'bucketName, objectName, contentType, cacheControl, metadata, each with its base64',
        ),
      ],
      ...CHUNK,
      answers: { 201: { description: 'It is begun; Location says where.' } },
    },
    handle: create,
  }),
  defineRoute({
    id: 'storage.write_upload',
    method: 'patch',
    mounts: UPLOAD,
    params: UPLOAD_PARAMS,
    ...STREAMED,
    summary: 'Go on with a resumable upload',
    description: 'Chunks may have any size. The last makes the object, as whoever sends it.',
    documented: {
      parameters: [OFFSET],
      ...CHUNK,
      answers: { 204: { description: 'Upload-Offset says what is stored.' } },
    },
    handle: write,
  }),
  defineRoute({
    id: 'storage.write_upload_by_post',
    method: 'post',
    mounts: UPLOAD,
    params: UPLOAD_PARAMS,
    ...STREAMED,
    summary: 'The same, or the end of an upload, by X-HTTP-Method-Override',
    documented: {
      parameters: [OFFSET, header('X-HTTP-Method-Override', 'PATCH or DELETE')],
      ...CHUNK,
      answers: { 204: { description: 'As that of the method.' } },
    },
    handle: override,
  }),
  defineRoute({
    id: 'storage.read_upload',
    method: 'get',
    mounts: UPLOAD,
    params: UPLOAD_PARAMS,
    summary: 'How far a resumable upload is; meant for HEAD',
    documented: { answers: { 200: { description: 'Upload-Offset says what is stored.' } } },
    handle: read,
  }),
  defineRoute({
    id: 'storage.cancel_upload',
    method: 'delete',
    mounts: UPLOAD,
    params: UPLOAD_PARAMS,
    unaudited: 'key_data',
    summary: 'End a resumable upload and forget its bytes',
    documented: { answers: { 204: { description: 'It is gone.' } } },
    handle: cancel,
  }),
]
