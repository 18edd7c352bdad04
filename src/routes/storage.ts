// Files: buckets, and the objects in them. Supabase's face of the same engine is in `supabase-storage.ts`.

import { findBucket } from '../features/storage/buckets/bucket-rows.ts'
import {
  createBucket,
  deleteBucket,
  emptyBucketAudited,
  updateBucket,
} from '../features/storage/buckets/change-buckets.ts'
import { listBuckets } from '../features/storage/buckets/list-buckets.ts'
import { makerOf, ownerOf, storageCall } from '../features/storage/caller.ts'
import { DOWNLOAD, IMAGE, UPLOAD } from '../features/storage/documented.ts'
import { serveImage } from '../features/storage/images/serve-image.ts'
import { Transformation } from '../features/storage/images/transformation.ts'
import { listObjects } from '../features/storage/list/list-page.ts'
import { placeOf } from '../features/storage/names.ts'
import { toStoredObject, toUploadedObject } from '../features/storage/object-row.ts'
import { copyObject } from '../features/storage/objects/copy-object.ts'
import { deleteObject, deleteObjects } from '../features/storage/objects/delete-objects.ts'
import { findFile, findObject } from '../features/storage/objects/find-object.ts'
import { moveObject } from '../features/storage/objects/move-object.ts'
import { serveFile } from '../features/storage/objects/serve-file.ts'
import { readUploadHeaders } from '../features/storage/objects/upload-headers.ts'
import { uploadObject } from '../features/storage/objects/upload-object.ts'
import { readStoragePolicies, StoragePolicies } from '../features/storage/policies.ts'
import { recorded } from '../features/storage/recorded.ts'
import {
  Bucket,
  BucketIn,
  BucketList,
  BucketListQuery,
  BucketName,
  BucketPatch,
  DeletedObjects,
  DownloadAddressesIn,
  DownloadQuery,
  EmptiedBucket,
  MovedObject,
  ObjectList,
  ObjectListQuery,
  ObjectMove,
  ObjectName,
  ObjectNames,
  ObjectTransfer,
  SignedAddresses,
  StoredObject,
  UploadAddressesIn,
  UploadedObject,
} from '../features/storage/schemas.ts'
import { signDownloadAddresses, signUploadAddresses } from '../features/storage/signed/addresses.ts'
import { defineRoute, type HandlerInput } from '../http/route.ts'
import { NoQuery } from '../lib/no-query.ts'

const BUCKETS = { '/v1/storage/buckets': 'any_key', '/api/storage/buckets': 'admin' } as const
const BUCKET = { '/v1/storage/buckets/:bucket': 'any_key', '/api/storage/buckets/:bucket': 'admin' } as const
const OBJECTS = { '/v1/storage/objects/:bucket': 'any_key', '/api/storage/objects/:bucket': 'admin' } as const
const OBJECT = {
  '/v1/storage/objects/:bucket/:name{.+}': 'any_key',
  '/api/storage/objects/:bucket/:name{.+}': 'admin',
} as const

type Input = Pick<
  HandlerInput<typeof BUCKETS, undefined, undefined>,
  'principal' | 'caller' | 'request' | 'path' | 'deps'
>

/** The log has the names, and no token. */
function recordedSigning(
  input: Input & { body: { bucket: string; names: string[]; expires_in: number } },
  caller: Input['caller'],
  perform: () => Promise<SignedAddresses>,
) {
  const { bucket, names, expires_in } = input.body
  const place = { bucketId: bucket, name: names.length === 1 ? (names[0] ?? '') : '' }
  return recorded(input.deps, input.principal, caller, place, perform, () => ({ names, expires_in }))
}

const AS_CALLER =
  'Policies on storage.buckets and storage.objects decide. Under /api it acts as service_role, past them.'

type ObjectInput = Input &
  Pick<HandlerInput<typeof OBJECT, undefined, undefined>, 'bodyStream'> & {
    params: { bucket: string; name: string }
  }

async function upload(input: ObjectInput, caller: Input['caller'], mode: 'create' | 'replace') {
  const { deps, request, params, bodyStream } = input
  const place = placeOf(params)
  const file = { ...readUploadHeaders(request.headers), body: bodyStream, mode, ownerId: ownerOf(input) }
  return await recorded(deps, input.principal, caller, place, async () => {
    const operation = mode === 'create' ? 'object.upload' : 'object.upload_update'
    return toUploadedObject(place, await uploadObject(deps, storageCall(input, operation), place, file))
  })
}

const KEPT = 'The bytes live on for STORAGE_RETENTION, so that a restored database finds them.'
const TRANSFER_EXAMPLE = {
  from: { bucket: 'avatars', name: 'ada/portrait.png' },
  to: { bucket: 'avatars', name: 'ada/old-portrait.png' },
}

const UPLOADS = {
  params: { bucket: BucketName, name: ObjectName },
  streamsBody: true,
  bodyBytesMax: (config: { storageUploadMaxBytes: number }) => config.storageUploadMaxBytes,
  unaudited: 'key_data',
  response: UploadedObject,
  documented: UPLOAD,
} as const

const MADE_OF = 'The body is the file, `Content-Type` its type, `Cache-Control` what downloads of it say.'

export const storageRoutes = [
  defineRoute({
    id: 'storage.list_buckets',
    method: 'get',
    mounts: BUCKETS,
    summary: 'List buckets by name, with their objects counted',
    description: `Counts and bytes are those of the objects that the caller may see. ${AS_CALLER}`,
    query: BucketListQuery,
    response: BucketList,
    handle: input => listBuckets(input.deps, storageCall(input, 'bucket.list'), input.query),
  }),
  defineRoute({
    id: 'storage.create_bucket',
    method: 'post',
    mounts: BUCKETS,
    summary: 'Create a bucket',
    description: AS_CALLER,
    body: BucketIn,
    example: { name: 'avatars', allowed_mime_types: ['image/*'] },
    response: Bucket,
    status: 201,
    handle: input =>
      createBucket(input.deps, input.caller, storageCall(input, 'bucket.create'), input.body, ownerOf(input)),
  }),
  defineRoute({
    id: 'storage.read_bucket',
    method: 'get',
    mounts: BUCKET,
    params: { bucket: BucketName },
    summary: 'One bucket',
    description: AS_CALLER,
    response: Bucket,
    handle: input => findBucket(input.deps, storageCall(input, 'bucket.get'), input.params.bucket),
  }),
  defineRoute({
    id: 'storage.update_bucket',
    method: 'patch',
    mounts: BUCKET,
    params: { bucket: BucketName },
    summary: 'Change who reads a bucket, or what it takes',
    description: `Fields that are left out stay; files that are there stay too. ${AS_CALLER}`,
    body: BucketPatch,
    example: { public: true },
    response: Bucket,
    handle: input =>
      updateBucket(
        input.deps,
        input.caller,
        storageCall(input, 'bucket.update'),
        input.params.bucket,
        input.body,
      ),
  }),
  defineRoute({
    id: 'storage.empty_bucket',
    method: 'post',
    mounts: {
      '/v1/storage/buckets/:bucket/empty': 'any_key',
      '/api/storage/buckets/:bucket/empty': 'admin',
    },
    params: { bucket: BucketName },
    summary: 'Delete the objects of a bucket',
    description: `Those that the caller may delete, as many as fit into 15 s. ${AS_CALLER}`,
    response: EmptiedBucket,
    handle: input =>
      emptyBucketAudited(input.deps, input.caller, storageCall(input, 'bucket.empty'), input.params.bucket),
  }),
  defineRoute({
    id: 'storage.delete_bucket',
    method: 'delete',
    mounts: BUCKET,
    params: { bucket: BucketName },
    summary: 'Delete an empty bucket',
    description: AS_CALLER,
    response: Bucket,
    handle: input =>
      deleteBucket(input.deps, input.caller, storageCall(input, 'bucket.delete'), input.params.bucket),
  }),
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
      const { names } = input.body
      const place = { bucketId: input.params.bucket, name: names.length === 1 ? (names[0] ?? '') : '' }
      return recorded(input.deps, input.principal, input.caller, place, async () => {
        const rows = await deleteObjects(
          input.deps,
          storageCall(input, 'object.delete_many'),
          place.bucketId,
          names,
        )
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
    ...UPLOADS,
    status: 201,
    handle: input => upload(input, input.caller, 'create'),
  }),
  defineRoute({
    id: 'storage.replace',
    method: 'put',
    mounts: OBJECT,
    summary: 'Upload an object, new or in place of one',
    description: `${MADE_OF} To replace one, policies must allow SELECT and UPDATE too. ${KEPT}`,
    ...UPLOADS,
    handle: input => upload(input, input.caller, 'replace'),
  }),
  defineRoute({
    id: 'storage.download',
    method: 'get',
    mounts: OBJECT,
    params: { bucket: BucketName, name: ObjectName },
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
    params: { bucket: BucketName, name: ObjectName },
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
    params: { bucket: BucketName, name: ObjectName },
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
  defineRoute({
    id: 'storage.render',
    method: 'get',
    mounts: {
      '/v1/storage/render/:bucket/:name{.+}': 'any_key',
      '/api/storage/render/:bucket/:name{.+}': 'admin',
    },
    params: { bucket: BucketName, name: ObjectName },
    summary: 'An image in another size or format',
    description:
      'Of JPEG, PNG, WebP, AVIF and GIF up to 20 MB and 50 million pixels, where the deployment has the binding ' +
      `IMAGES. It is kept by version and options. ${AS_CALLER}`,
    query: Transformation,
    documented: IMAGE,
    handle: async input => {
      const { deps, request, params, query, caller } = input
      const row = await findFile(deps, storageCall(input, 'render.image_authenticated'), placeOf(params))
      const countNew = () => deps.addressGate.count('render', caller.address)
      return await serveImage(deps, row, query, {
        request,
        options: { download: undefined, isPublic: false },
        countNew,
      })
    },
  }),
  defineRoute({
    id: 'storage.sign_downloads',
    method: 'post',
    mounts: { '/v1/storage/sign/download': 'any_key', '/api/storage/sign/download': 'admin' },
    summary: 'Make addresses that anybody can read files by, for a time',
    description:
      'For files that the caller may read. An address outlives a rotation of the API key; it rests while the ' +
      'project is paused.',
    body: DownloadAddressesIn,
    example: { bucket: 'avatars', names: ['ada/portrait.png'], expires_in: 3_600 },
    unaudited: 'key_data',
    response: SignedAddresses,
    handle: input => {
      const call = storageCall(input, 'object.sign_many')
      return recordedSigning(input, input.caller, () =>
        signDownloadAddresses(input.deps, call, makerOf(input), input.body),
      )
    },
  }),
  defineRoute({
    id: 'storage.sign_uploads',
    method: 'post',
    mounts: { '/v1/storage/sign/upload': 'any_key', '/api/storage/sign/upload': 'admin' },
    summary: 'Make addresses that anybody can upload a file to, for a time',
    description:
      'By PUT, for files that the caller may write now. Policies are not asked again. The same token is taken as ' +
      '`x-signature` of a resumable upload.',
    body: UploadAddressesIn,
    example: { bucket: 'avatars', names: ['ada/portrait.png'] },
    unaudited: 'key_data',
    response: SignedAddresses,
    handle: input => {
      const call = storageCall(input, 'object.sign_upload_url')
      return recordedSigning(input, input.caller, () =>
        signUploadAddresses(input.deps, call, makerOf(input), input.body),
      )
    },
  }),
  defineRoute({
    id: 'storage.policies',
    method: 'get',
    mounts: { '/api/storage/policies': 'admin' },
    summary: 'Policies of buckets and objects, and what anon reaches by them',
    description: 'As `/v1/database/tables` has it of tables that are served; these two are not.',
    query: NoQuery,
    response: StoragePolicies,
    handle: ({ deps }) => readStoragePolicies(deps),
  }),
]
