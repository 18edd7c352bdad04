// Files in buckets: listed, uploaded, downloaded, copied, moved and deleted. The same for clients of Supabase:
// `supabase-storage-objects.ts`.

import { AS_CALLER, DOWNLOAD, UPLOAD } from '../features/storage/documented.ts'
import { listObjects } from '../features/storage/list/list-objects.ts'
import { placeOf, placeOfAll } from '../features/storage/names.ts'
import { toStoredObject, toUploadedObject } from '../features/storage/object-row.ts'
import { copyObject } from '../features/storage/objects/copy-object.ts'
import { deleteObject, deleteObjects } from '../features/storage/objects/delete-objects.ts'
import { findFile, findObject } from '../features/storage/objects/find-object.ts'
import { moveObject } from '../features/storage/objects/move-object.ts'
import { serveFile } from '../features/storage/objects/serve-file.ts'
import { readFileHeaders } from '../features/storage/objects/upload-headers.ts'
import { uploadObject } from '../features/storage/objects/upload-object.ts'
import { recorded } from '../features/storage/recorded.ts'
import {
  BucketName,
  DeletedObjects,
  DownloadQuery,
  MovedObject,
  OBJECT_PARAMS,
  ObjectList,
  ObjectListQuery,
  ObjectMove,
  ObjectNames,
  ObjectTransfer,
  StoredObject,
  UploadedObject,
} from '../features/storage/schemas.ts'
import { ownerOf, storageCall } from '../features/storage/storage-call.ts'
import { defineRoute, type HandlerInput } from '../http/route.ts'

const OBJECTS = { '/v1/storage/objects/:bucket': 'any_key', '/api/storage/objects/:bucket': 'admin' } as const
const OBJECT = {
  '/v1/storage/objects/:bucket/:name{.+}': 'any_key',
  '/api/storage/objects/:bucket/:name{.+}': 'admin',
} as const

const MADE_OF = 'The body is the file, `Content-Type` its type, `Cache-Control` what downloads of it say.'
const KEPT = 'The bytes live on for STORAGE_RETENTION, so that a restored database finds them.'
const TRANSFER_EXAMPLE = {
  from: { bucket: 'avatars', name: 'ada/portrait.png' },
  to: { bucket: 'avatars', name: 'ada/old-portrait.png' },
}

type Input = Pick<
  HandlerInput<typeof OBJECT, undefined, undefined>,
  'principal' | 'caller' | 'request' | 'path' | 'params' | 'bodyStream' | 'deps'
>

async function upload(input: Input, caller: Input['caller'], mode: 'create' | 'replace') {
  const { deps, principal, request, params, bodyStream } = input
  const place = placeOf(params)
  const file = { ...readFileHeaders(request.headers), body: bodyStream, mode, ownerId: ownerOf(input) }
  return await recorded(deps, principal, caller, place, async () => {
    const operation = mode === 'create' ? 'object.upload' : 'object.upload_update'
    return toUploadedObject(place, await uploadObject(deps, storageCall(input, operation), place, file))
  })
}

const UPLOADED = {
  params: OBJECT_PARAMS,
  streamsBody: true,
  bodyBytesMax: (config: { storageUploadMaxBytes: number }) => config.storageUploadMaxBytes,
  unaudited: 'key_data',
  response: UploadedObject,
  documented: UPLOAD,
} as const

export const storageObjectRoutes = [
  defineRoute({
    id: 'storage.list_objects',
    method: 'get',
    mounts: OBJECTS,
    params: { bucket: BucketName },
    summary: 'List objects by name, with folders or without',
    description: `Of a bucket that is not there, or not for the caller, the list is empty. ${AS_CALLER}`,
    query: ObjectListQuery,
    response: ObjectList,
    handle: input =>
      listObjects(input.deps, storageCall(input, 'object.list_v2'), input.params.bucket, input.query),
  }),
  defineRoute({
    id: 'storage.delete_objects',
    method: 'delete',
    mounts: OBJECTS,
    params: { bucket: BucketName },
    summary: 'Delete up to 1 000 objects',
    description: `Names that are not there, or not for the caller to delete, are left out of the answer. ${KEPT}`,
    body: ObjectNames,
    example: { names: ['ada/portrait.png'] },
    unaudited: 'key_data',
    response: DeletedObjects,
    handle: input => {
      const { bucket } = input.params
      const { names } = input.body
      return recorded(input.deps, input.principal, input.caller, placeOfAll(bucket, names), async () => {
        const call = storageCall(input, 'object.delete_many')
        const rows = await deleteObjects(input.deps, call, bucket, names)
        return { data: rows.map(toStoredObject) }
      })
    },
  }),
  defineRoute({
    id: 'storage.upload',
    method: 'post',
    mounts: OBJECT,
    summary: 'Upload a new object',
    description: `${MADE_OF} A name that is taken is 409. ${AS_CALLER}`,
    ...UPLOADED,
    status: 201,
    handle: input => upload(input, input.caller, 'create'),
  }),
  defineRoute({
    id: 'storage.replace',
    method: 'put',
    mounts: OBJECT,
    summary: 'Upload an object, new or in place of one',
    description: `${MADE_OF} To replace one, policies must allow SELECT and UPDATE too. ${KEPT}`,
    ...UPLOADED,
    handle: input => upload(input, input.caller, 'replace'),
  }),
  defineRoute({
    id: 'storage.download',
    method: 'get',
    mounts: OBJECT,
    params: OBJECT_PARAMS,
    summary: 'Download an object',
    description:
      'Takes one `Range`, and the conditions of RFC 9110. What a browser could run comes with ' +
      '`Content-Disposition: attachment` and a CSP sandbox, HTML as plain text. Objects of public buckets are for ' +
      `every key. ${AS_CALLER}`,
    query: DownloadQuery,
    documented: DOWNLOAD,
    handle: async input => {
      const { deps, request, params, query } = input
      const row = await findFile(deps, storageCall(input, 'object.get_authenticated'), placeOf(params))
      return await serveFile(deps, row, request, { download: query.download, isPublic: false })
    },
  }),
  defineRoute({
    id: 'storage.delete',
    method: 'delete',
    mounts: OBJECT,
    params: OBJECT_PARAMS,
    summary: 'Delete an object',
    description: `${KEPT} ${AS_CALLER}`,
    unaudited: 'key_data',
    response: StoredObject,
    handle: input => {
      const place = placeOf(input.params)
      return recorded(input.deps, input.principal, input.caller, place, async () =>
        toStoredObject(await deleteObject(input.deps, storageCall(input, 'object.delete'), place)),
      )
    },
  }),
  defineRoute({
    id: 'storage.object_info',
    method: 'get',
    mounts: {
      '/v1/storage/info/:bucket/:name{.+}': 'any_key',
      '/api/storage/info/:bucket/:name{.+}': 'admin',
    },
    params: OBJECT_PARAMS,
    summary: 'What is known of an object',
    description: AS_CALLER,
    response: StoredObject,
    handle: async input =>
      toStoredObject(
        await findObject(
          input.deps,
          storageCall(input, 'object.get_authenticated_info'),
          placeOf(input.params),
        ),
      ),
  }),
  defineRoute({
    id: 'storage.copy',
    method: 'post',
    mounts: { '/v1/storage/copy': 'any_key', '/api/storage/copy': 'admin' },
    summary: 'Copy an object',
    description: `Within a bucket no byte is copied. Without \`replace\` a name that is taken is 409. ${AS_CALLER}`,
    body: ObjectTransfer,
    example: TRANSFER_EXAMPLE,
    unaudited: 'key_data',
    response: UploadedObject,
    status: 201,
    handle: input => {
      const [from, to] = [placeOf(input.body.from), placeOf(input.body.to)]
      const mode = input.body.replace ? 'replace' : 'create'
      return recorded(input.deps, input.principal, input.caller, to, async () => {
        const call = storageCall(input, 'object.copy')
        return toUploadedObject(
          to,
          await copyObject(input.deps, call, { from, to }, { mode, ownerId: ownerOf(input) }),
        )
      })
    },
  }),
  defineRoute({
    id: 'storage.move',
    method: 'post',
    mounts: { '/v1/storage/move': 'any_key', '/api/storage/move': 'admin' },
    summary: 'Move or rename an object',
    description: `A name that is taken is 409. Policies must allow SELECT and UPDATE. ${AS_CALLER}`,
    body: ObjectMove,
    example: TRANSFER_EXAMPLE,
    unaudited: 'key_data',
    response: MovedObject,
    handle: input => {
      const [from, to] = [placeOf(input.body.from), placeOf(input.body.to)]
      return recorded(input.deps, input.principal, input.caller, from, async () => {
        const { id } = await moveObject(input.deps, storageCall(input, 'object.move'), { from, to })
        return { id, bucket_id: to.bucketId, name: to.name }
      })
    },
  }),
]
