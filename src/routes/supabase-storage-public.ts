// Files for those without a key, under Supabase's paths, and the tokens that open them. A limit per client address.

import { IMAGE } from '../features/storage/documented.ts'
import { serveImage } from '../features/storage/images/serve-image.ts'
import {
  parseTransformationText,
  readTransformation,
  type Transformation,
  transformationText,
} from '../features/storage/images/transformation.ts'
import { placeOf } from '../features/storage/names.ts'
import type { FileRow } from '../features/storage/object-row.ts'
import { serveFile } from '../features/storage/objects/serve-file.ts'
import { uploadObject } from '../features/storage/objects/upload-object.ts'
import {
  checkBegunUpload,
  findPublicFile,
  findSignedFile,
  findSignedUpload,
} from '../features/storage/public/find-public-file.ts'
import { BucketName, OBJECT_PARAMS } from '../features/storage/schemas.ts'
import { signDownload, signDownloads, signUpload } from '../features/storage/signed/sign-tokens.ts'
import { makerOf, storageCall, tokenCall } from '../features/storage/storage-call.ts'
import { SignBody, SignManyBody } from '../features/storage/supabase/bodies.ts'
import { readSentFile } from '../features/storage/supabase/read-sent-file.ts'
import { toSignedUrl, toSupabaseInfo } from '../features/storage/supabase/shapes.ts'
import { defineRoute, type HandlerInput, jsonAnswer, type RawAnswer } from '../http/route.ts'

const PUBLIC = { '/storage/v1/object/public/:bucket/:name{.+}': 'public' } as const

type Input = Pick<
  HandlerInput<typeof PUBLIC, undefined, undefined>,
  'caller' | 'request' | 'path' | 'search' | 'params' | 'bodyStream' | 'deps'
>

const parameter = ({ search }: Pick<Input, 'search'>, name: string) => new URLSearchParams(search).get(name)

function image(
  input: Input,
  row: FileRow,
  transformation: Transformation,
  isPublic: boolean,
): Promise<RawAnswer> {
  const download = parameter(input, 'download') ?? undefined
  return serveImage(input.deps, row, transformation, input, { download, isPublic })
}

/** How long an upload address lasts, as Supabase has it. */
const UPLOAD_EXPIRES_IN_SECONDS = 7_200

export const supabasePublicRoutes = [
  defineRoute({
    id: 'storage.supabase_public',
    method: 'get',
    mounts: PUBLIC,
    params: OBJECT_PARAMS,
    summary: 'A file of a public bucket',
    handle: async input => {
      const row = await findPublicFile(input.deps, placeOf(input.params))
      const download = parameter(input, 'download') ?? undefined
      return await serveFile(input.deps, row, input.request, { download, isPublic: true })
    },
  }),
  defineRoute({
    id: 'storage.supabase_public_info',
    method: 'get',
    mounts: { '/storage/v1/object/info/public/:bucket/:name{.+}': 'public' },
    params: OBJECT_PARAMS,
    summary: 'What is known of a file of a public bucket',
    handle: async input => {
      const row = await findPublicFile(input.deps, placeOf(input.params))
      return jsonAnswer(toSupabaseInfo(row), { etag: row.metadata.eTag })
    },
  }),
  defineRoute({
    id: 'storage.supabase_signed',
    method: 'get',
    mounts: { '/storage/v1/object/sign/:bucket/:name{.+}': 'public' },
    params: OBJECT_PARAMS,
    summary: 'A file by a signed address',
    handle: async input => {
      const token = parameter(input, 'token')
      const { row } = await findSignedFile(input.deps, placeOf(input.params), token, 'file')
      const download = parameter(input, 'download') ?? undefined
      return await serveFile(input.deps, row, input.request, { download, isPublic: false })
    },
  }),
  defineRoute({
    id: 'storage.supabase_render_public',
    method: 'get',
    mounts: { '/storage/v1/render/image/public/:bucket/:name{.+}': 'public' },
    params: OBJECT_PARAMS,
    summary: 'An image of a public bucket in another size',
    documented: IMAGE,
    handle: async input => {
      const row = await findPublicFile(input.deps, placeOf(input.params))
      const query = new URLSearchParams(input.search)
      return await image(input, row, readTransformation(Object.fromEntries(query)), true)
    },
  }),
  defineRoute({
    id: 'storage.supabase_render_signed',
    method: 'get',
    mounts: { '/storage/v1/render/image/sign/:bucket/:name{.+}': 'public' },
    params: OBJECT_PARAMS,
    summary: 'An image in another size by a signed address',
    documented: IMAGE,
    handle: async input => {
      const token = parameter(input, 'token')
      const { row, transformations } = await findSignedFile(input.deps, placeOf(input.params), token, 'image')
      return await image(input, row, parseTransformationText(transformations ?? ''), false)
    },
  }),
  defineRoute({
    id: 'storage.supabase_sign_many',
    method: 'post',
    mounts: { '/storage/v1/object/sign/:bucket': 'any_key' },
    params: { bucket: BucketName },
    summary: 'storage-js: createSignedUrls',
    body: SignManyBody,
    example: { expiresIn: 60, paths: ['ada/portrait.png'] },
    unaudited: 'no_change',
    handle: async input => {
      const { paths, expiresIn: expiresInSeconds } = input.body
      const { bucket } = input.params
      const call = storageCall(input, 'object.sign_many')
      const options = { ...makerOf(input), expiresInSeconds }
      const tokens = await signDownloads(input.deps, call, bucket, paths, options)
      return jsonAnswer(paths.map((path, i) => toSignedUrl({ bucketId: bucket, name: path }, tokens[i])))
    },
  }),
  defineRoute({
    id: 'storage.supabase_sign_upload',
    method: 'post',
    mounts: { '/storage/v1/object/upload/sign/:bucket/:name{.+}': 'any_key' },
    params: OBJECT_PARAMS,
    summary: 'storage-js: createSignedUploadUrl',
    unaudited: 'no_change',
    handle: async input => {
      const upsert = input.request.headers.get('x-upsert') === 'true'
      const call = storageCall(input, 'object.sign_upload_url')
      const options = { ...makerOf(input), upsert, expiresInSeconds: UPLOAD_EXPIRES_IN_SECONDS }
      const token = await signUpload(input.deps, call, placeOf(input.params), options)
      const { bucket, name } = input.params
      return jsonAnswer({ url: `/object/upload/sign/${bucket}/${name}?token=${token}`, token })
    },
  }),
  defineRoute({
    id: 'storage.supabase_upload_signed',
    method: 'put',
    mounts: { '/storage/v1/object/upload/sign/:bucket/:name{.+}': 'public' },
    params: OBJECT_PARAMS,
    streamsBody: true,
    bodyBytesMax: config => config.storageUploadMaxBytes,
    unaudited: 'key_data',
    summary: 'storage-js: uploadToSignedUrl',
    handle: async input => {
      const { deps, request, params, bodyStream } = input
      const token = parameter(input, 'token')
      const { owner, upsert } = await findSignedUpload(deps, placeOf(params), token)
      const file = await readSentFile(request.headers, bodyStream)
      const mode = upsert ? 'replace' : 'create'
      // Who was let in may send slowly, and the project may be paused meanwhile.
      const write = {
        ...file,
        mode,
        ownerId: owner,
        confirm: () => checkBegunUpload(deps, token ?? ''),
      } as const
      const call = tokenCall(input, 'object.upload_signed')
      const { id } = await uploadObject(deps, call, placeOf(params), write)
      return jsonAnswer({ Id: id, Key: `${params.bucket}/${params.name}` })
    },
  }),
  defineRoute({
    id: 'storage.supabase_sign',
    method: 'post',
    mounts: { '/storage/v1/object/sign/:bucket/:name{.+}': 'any_key' },
    params: OBJECT_PARAMS,
    summary: 'storage-js: createSignedUrl',
    body: SignBody,
    example: { expiresIn: 60 },
    unaudited: 'no_change',
    handle: async input => {
      const { expiresIn: expiresInSeconds, transform } = input.body
      const { bucket, name } = input.params
      // Clients send an empty one for no image too.
      const isImage = transform !== undefined && Object.keys(transform).length > 0
      const transformations = isImage ? transformationText(readTransformation(textsOf(transform))) : undefined
      const options = { ...makerOf(input), expiresInSeconds, transformations }
      const token = await signDownload(
        input.deps,
        storageCall(input, 'object.sign'),
        placeOf(input.params),
        options,
      )
      const folder = transformations === undefined ? 'object/sign' : 'render/image/sign'
      return jsonAnswer({ signedURL: `/${folder}/${bucket}/${name}?token=${token}` })
    },
  }),
]

const textsOf = (transform: Record<string, string | number>) =>
  Object.fromEntries(Object.entries(transform).map(([name, value]) => [name, String(value)]))
