// Files for unmodified clients of Supabase: its paths and shapes over the verbs of `storage-objects.ts`. What needs no
// key is in `supabase-storage-public.ts`, what is resumable in `supabase-storage-tus.ts`.

import { IMAGE } from '../features/storage/documented.ts'
import { serveImage } from '../features/storage/images/serve-image.ts'
import { readTransformation } from '../features/storage/images/transformation.ts'
import { placeOf } from '../features/storage/names.ts'
import { copyObject } from '../features/storage/objects/copy-object.ts'
import { deleteObject, deleteObjects } from '../features/storage/objects/delete-objects.ts'
import { findFile, findObject } from '../features/storage/objects/find-object.ts'
import { moveObject } from '../features/storage/objects/move-object.ts'
import { serveFile } from '../features/storage/objects/serve-file.ts'
import { uploadObject } from '../features/storage/objects/upload-object.ts'
import { BucketName, OBJECT_PARAMS } from '../features/storage/schemas.ts'
import { ownerOf, storageCall } from '../features/storage/storage-call.ts'
import {
  ListBody,
  ListV2Body,
  Prefixes,
  SupabaseCopy,
  SupabaseTransfer,
  transferOf,
} from '../features/storage/supabase/bodies.ts'
import { copyOptions } from '../features/storage/supabase/copy-options.ts'
import { listFolder, listV2 } from '../features/storage/supabase/list-for-supabase.ts'
import { readSentFile } from '../features/storage/supabase/read-sent-file.ts'
import { toSupabaseInfo, toSupabaseObject } from '../features/storage/supabase/shapes.ts'
import { defineRoute, type HandlerInput, jsonAnswer, type RawAnswer } from '../http/route.ts'

const OBJECT = { '/storage/v1/object/:bucket/:name{.+}': 'any_key' } as const

type Input = Pick<
  HandlerInput<typeof OBJECT, undefined, undefined>,
  'principal' | 'caller' | 'request' | 'path' | 'search' | 'params' | 'bodyStream' | 'deps'
>

async function upload(input: Input, operation: string, isUpsert: boolean): Promise<RawAnswer> {
  const { deps, request, params, bodyStream } = input
  const file = await readSentFile(request.headers, bodyStream)
  const write = { ...file, mode: isUpsert ? 'replace' : 'create', ownerId: ownerOf(input) } as const
  const { id } = await uploadObject(deps, storageCall(input, operation), placeOf(params), write)
  return jsonAnswer({ Id: id, Key: `${params.bucket}/${params.name}` })
}

async function download(input: Input): Promise<RawAnswer> {
  const { deps, request, params, search } = input
  const row = await findFile(deps, storageCall(input, 'object.get_authenticated'), placeOf(params))
  return await serveFile(deps, row, request, {
    download: new URLSearchParams(search).get('download') ?? undefined,
    isPublic: false,
  })
}

async function info(input: Input): Promise<RawAnswer> {
  const row = await findObject(
    input.deps,
    storageCall(input, 'object.get_authenticated_info'),
    placeOf(input.params),
  )
  return jsonAnswer(toSupabaseInfo(row), row.metadata === null ? {} : { etag: row.metadata.eTag })
}

const STREAMED = {
  params: OBJECT_PARAMS,
  streamsBody: true,
  bodyBytesMax: (config: { storageUploadMaxBytes: number }) => config.storageUploadMaxBytes,
  unaudited: 'key_data',
} as const

const PURGE = {
  description: 'Nothing of ours keeps a file under its name: what a version was is never another one.',
  unaudited: 'no_change',
  handle: async () => jsonAnswer({ message: 'success' }),
} as const

export const supabaseObjectRoutes = [
  defineRoute({
    id: 'storage.supabase_list',
    method: 'post',
    mounts: { '/storage/v1/object/list/:bucket': 'any_key' },
    params: { bucket: BucketName },
    summary: 'storage-js: list',
    body: ListBody,
    example: { prefix: '' },
    unaudited: 'no_change',
    handle: async input =>
      jsonAnswer(
        await listFolder(input.deps, storageCall(input, 'object.list'), input.params.bucket, input.body),
      ),
  }),
  defineRoute({
    id: 'storage.supabase_list_page',
    method: 'post',
    mounts: { '/storage/v1/object/list-v2/:bucket': 'any_key' },
    params: { bucket: BucketName },
    summary: 'storage-js: listV2',
    body: ListV2Body,
    example: { prefix: '' },
    unaudited: 'no_change',
    handle: async input =>
      jsonAnswer(
        await listV2(input.deps, storageCall(input, 'object.list_v2'), input.params.bucket, input.body),
      ),
  }),
  defineRoute({
    id: 'storage.supabase_move',
    method: 'post',
    mounts: { '/storage/v1/object/move': 'any_key' },
    summary: 'storage-js: move',
    body: SupabaseTransfer,
    example: { bucketId: 'avatars', sourceKey: 'a.png', destinationKey: 'b.png' },
    unaudited: 'key_data',
    handle: async input => {
      const { from, to } = transferOf(input.body)
      const { id } = await moveObject(input.deps, storageCall(input, 'object.move'), { from, to })
      return jsonAnswer({ message: 'Successfully moved', Id: id, Key: to.name })
    },
  }),
  defineRoute({
    id: 'storage.supabase_copy',
    method: 'post',
    mounts: { '/storage/v1/object/copy': 'any_key' },
    summary: 'storage-js: copy',
    body: SupabaseCopy,
    example: { bucketId: 'avatars', sourceKey: 'a.png', destinationKey: 'b.png' },
    unaudited: 'key_data',
    handle: async input => {
      const { from, to } = transferOf(input.body)
      const call = storageCall(input, 'object.copy')
      const copy = copyOptions(input.request.headers, input.body, ownerOf(input))
      const { id, version, metadata } = await copyObject(input.deps, call, { from, to }, copy)
      const key = `${to.bucketId}/${to.name}`
      return jsonAnswer({
        Id: id,
        Key: key,
        id,
        version,
        metadata,
        bucket_id: to.bucketId,
        name: to.name,
      })
    },
  }),
  defineRoute({
    id: 'storage.supabase_upload',
    method: 'post',
    mounts: OBJECT,
    ...STREAMED,
    summary: 'storage-js: upload',
    description: 'The file itself, or a form with one. `x-upsert: true` replaces an object.',
    handle: input => upload(input, 'object.upload', input.request.headers.get('x-upsert') === 'true'),
  }),
  defineRoute({
    id: 'storage.supabase_replace',
    method: 'put',
    mounts: OBJECT,
    ...STREAMED,
    summary: 'storage-js: update',
    handle: input => upload(input, 'object.upload_update', true),
  }),
  defineRoute({
    id: 'storage.supabase_info',
    method: 'get',
    mounts: {
      '/storage/v1/object/info/authenticated/:bucket/:name{.+}': 'any_key',
      '/storage/v1/object/info/:bucket/:name{.+}': 'any_key',
    },
    params: OBJECT_PARAMS,
    summary: 'storage-js: info',
    handle: info,
  }),
  defineRoute({
    id: 'storage.supabase_download',
    method: 'get',
    mounts: { '/storage/v1/object/authenticated/:bucket/:name{.+}': 'any_key', ...OBJECT },
    params: OBJECT_PARAMS,
    summary: 'storage-js: download, and exists by HEAD',
    handle: download,
  }),
  defineRoute({
    id: 'storage.supabase_render',
    method: 'get',
    mounts: { '/storage/v1/render/image/authenticated/:bucket/:name{.+}': 'any_key' },
    params: OBJECT_PARAMS,
    summary: 'storage-js: download with transform',
    documented: IMAGE,
    handle: async input => {
      const { deps, params, search } = input
      const query = new URLSearchParams(search)
      const transformation = readTransformation(Object.fromEntries(query))
      const row = await findFile(deps, storageCall(input, 'render.image_authenticated'), placeOf(params))
      const options = { download: query.get('download') ?? undefined, isPublic: false }
      return await serveImage(deps, row, transformation, input, options)
    },
  }),
  defineRoute({
    id: 'storage.supabase_purge',
    method: 'delete',
    mounts: { '/storage/v1/cdn/:bucket/:name{.+}': 'service_role' },
    params: OBJECT_PARAMS,
    summary: 'storage-js: purgeCache',
    ...PURGE,
  }),
  defineRoute({
    id: 'storage.supabase_purge_bucket',
    method: 'delete',
    mounts: { '/storage/v1/cdn/:bucket': 'service_role' },
    params: { bucket: BucketName },
    summary: 'storage-js: purgeBucketCache',
    ...PURGE,
  }),
  defineRoute({
    id: 'storage.supabase_purge_all',
    method: 'delete',
    mounts: { '/storage/v1/cdn': 'service_role' },
    summary: 'The same of all buckets',
    ...PURGE,
  }),
  defineRoute({
    id: 'storage.supabase_delete',
    method: 'delete',
    mounts: OBJECT,
    params: OBJECT_PARAMS,
    summary: 'Delete one object',
    unaudited: 'key_data',
    handle: async input => {
      await deleteObject(input.deps, storageCall(input, 'object.delete'), placeOf(input.params))
      return jsonAnswer({ message: 'Successfully deleted' })
    },
  }),
  defineRoute({
    id: 'storage.supabase_remove',
    method: 'delete',
    mounts: { '/storage/v1/object/:bucket': 'any_key' },
    params: { bucket: BucketName },
    summary: 'storage-js: remove',
    body: Prefixes,
    example: { prefixes: ['ada/portrait.png'] },
    unaudited: 'key_data',
    handle: async input => {
      const call = storageCall(input, 'object.delete_many')
      const rows = await deleteObjects(input.deps, call, input.params.bucket, input.body.prefixes)
      return jsonAnswer(rows.map(toSupabaseObject))
    },
  }),
]
