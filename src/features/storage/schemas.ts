// Buckets and objects as callers of /v1/storage see them, and what they may send.

import * as z from 'zod'
import { WholeNumber } from '../../lib/whole-number.ts'
import { ExpiresInSeconds } from './signed/signed-urls.ts'
import { StorageLeftovers } from './sweep/read-figures.ts'

const Time = z.iso.datetime({ offset: true })
const Cursor = z
  .string()
  .max(4_000)
  .optional()
  .describe('`next_cursor` of the page before, with the same query')
const NextCursor = z.string().nullable().describe('null: the list is complete')

/** In a path. */
export const BucketName = z
  .string()
  .describe('name of the bucket')
  .meta({ examples: ['avatars'] })
/** In a path: everything behind the bucket, slashes and all. */
const ObjectName = z
  .string()
  .describe('name of the object, with its folders')
  .meta({ examples: ['ada/portrait.png'] })
/** A path that names an object. */
export const OBJECT_PARAMS = { bucket: BucketName, name: ObjectName }

const BUCKET_EXAMPLE = {
  id: 'avatars',
  name: 'avatars',
  public: false,
  file_size_limit: 5_242_880,
  allowed_mime_types: ['image/*'],
  owner_id: null,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
}

const FIELDS = {
  public: z
    .boolean()
    .describe('true: whoever knows a name reads the file, without a key and past all policies'),
  file_size_limit: z
    .int()
    .min(1)
    .max(1_000_000_000_000)
    .nullable()
    .describe('most bytes of a file; null: as many as the deployment allows'),
  allowed_mime_types: z
    .array(z.string().regex(/^[\w.+-]+\/(?:\*|[\w.+-]+)$/, 'must be of the form image/png or image/*'))
    .min(1)
    .max(100)
    .nullable()
    .describe('types that are taken, as `image/png` or `image/*`; null: all'),
}

export const Bucket = z
  .object({
    id: z.string(),
    name: z.string(),
    ...FIELDS,
    file_size_limit: z.int().nullable(),
    allowed_mime_types: z.array(z.string()).nullable(),
    owner_id: z.string().nullable().describe('`sub` of whoever made it; null: a key alone, or a session'),
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'Bucket', examples: [BUCKET_EXAMPLE] })
export type Bucket = z.infer<typeof Bucket>

export const BucketIn = z
  .strictObject({
    name: z.string().max(200).describe('what addresses call it; it cannot be changed'),
    public: FIELDS.public.default(false),
    file_size_limit: FIELDS.file_size_limit.default(null),
    allowed_mime_types: FIELDS.allowed_mime_types.default(null),
  })
  .meta({ id: 'BucketIn' })
export type BucketIn = z.infer<typeof BucketIn>

export const BucketPatch = z
  .strictObject(FIELDS)
  .partial()
  .refine(patch => Object.keys(patch).length > 0, {
    error: 'names no field to change',
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'BucketPatch' })
export type BucketPatch = z.infer<typeof BucketPatch>

export const BucketCounted = Bucket.extend({
  objects: z.int().describe('objects that the caller may see, counted now'),
  bytes: z.int().describe('bytes of them'),
}).meta({ id: 'BucketCounted', examples: [{ ...BUCKET_EXAMPLE, objects: 12, bytes: 48_231 }] })
export type BucketCounted = z.infer<typeof BucketCounted>

export const BucketListQuery = z.strictObject({
  limit: WholeNumber.pipe(z.int().min(1).max(1_000)).default(100).describe('Buckets per page'),
  cursor: Cursor,
})
export type BucketListQuery = z.infer<typeof BucketListQuery>

export const BucketList = z
  .object({
    data: z.array(BucketCounted).describe('by name'),
    next_cursor: NextCursor,
    leftovers: StorageLeftovers.nullable().describe('what the sweep has found; null for anon keys'),
  })
  .meta({ id: 'BucketList' })
export type BucketList = z.infer<typeof BucketList>

export const EmptiedBucket = z
  .object({
    deleted: z.int().describe('objects that were deleted now'),
    complete: z.boolean().describe('false: some are left; call again, unless policies keep them'),
  })
  .meta({ id: 'EmptiedBucket', examples: [{ deleted: 12, complete: true }] })
export type EmptiedBucket = z.infer<typeof EmptiedBucket>

const OBJECT_EXAMPLE = {
  id: '0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a',
  bucket_id: 'avatars',
  name: 'ada/portrait.png',
  version: '6f5e4d3c-2b1a-4f0e-9d8c-7b6a5f4e3d2c',
  size: 48_231,
  content_type: 'image/png',
  etag: '"9a0364b9e99bb480dd25e1f0284c8555"',
  cache_control: 'max-age=3600',
  metadata: { taken_by: 'Ada' },
  owner_id: null,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
}

export const StoredObject = z
  .object({
    id: z.uuid(),
    bucket_id: z.string(),
    name: z.string(),
    version: z
      .string()
      .nullable()
      .describe('another one with each upload; null: a row that SQL made, without a file'),
    size: z.int().nullable().describe('bytes'),
    content_type: z.string().nullable(),
    etag: z.string().nullable(),
    cache_control: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable().describe('what came with the upload as metadata'),
    owner_id: z.string().nullable().describe('`sub` of whoever uploaded it'),
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'StoredObject', examples: [OBJECT_EXAMPLE] })
export type StoredObject = z.infer<typeof StoredObject>

const { id, bucket_id, name, version, size, content_type, etag } = OBJECT_EXAMPLE
export const UploadedObject = z
  .object({
    id: z.uuid(),
    bucket_id: z.string(),
    name: z.string(),
    version: z.string(),
    size: z.int().describe('bytes'),
    content_type: z.string(),
    etag: z.string(),
  })
  .meta({ id: 'UploadedObject', examples: [{ id, bucket_id, name, version, size, content_type, etag }] })
export type UploadedObject = z.infer<typeof UploadedObject>

export const DownloadQuery = z.strictObject({
  download: z
    .string()
    .max(1_024)
    .optional()
    .describe('The file is saved, under this name; empty: under its own'),
})

export const MovedObject = z
  .object({ id: z.uuid(), bucket_id: z.string(), name: z.string() })
  .meta({ id: 'MovedObject', examples: [{ id, bucket_id, name }] })

export const ObjectListQuery = z.strictObject({
  prefix: z.string().max(1_024).default('').describe('Names that begin with this'),
  delimiter: z
    .enum(['/', ''])
    .default('')
    .describe('`/`: what lies in a folder below the prefix is told as the folder alone'),
  limit: WholeNumber.pipe(z.int().min(1).max(1_000)).default(100).describe('Objects and folders per page'),
  cursor: Cursor,
})
export type ObjectListQuery = z.infer<typeof ObjectListQuery>

export const ObjectList = z
  .object({
    data: z.array(StoredObject).describe('by name, as bytes of UTF-8 compare'),
    folders: z.array(z.string()).describe('with their final slash'),
    next_cursor: NextCursor,
  })
  .meta({ id: 'ObjectList', examples: [{ data: [OBJECT_EXAMPLE], folders: ['ada/'], next_cursor: null }] })
export type ObjectList = z.infer<typeof ObjectList>

/** Most names of one call. */
export const NAMES_MAX = 1_000
const Names = z.array(z.string().min(1).max(1_024)).min(1).max(NAMES_MAX)

export const ObjectNames = z
  .strictObject({ names: Names.describe('names in the bucket') })
  .meta({ id: 'ObjectNames' })

export const DeletedObjects = z
  .object({ data: z.array(StoredObject).describe('those that were there and are deleted') })
  .meta({ id: 'DeletedObjects', examples: [{ data: [OBJECT_EXAMPLE] }] })
export type DeletedObjects = z.infer<typeof DeletedObjects>

const Place = z.strictObject({ bucket: z.string().max(100), name: z.string().max(1_024) })

const Transfer = z.strictObject({ from: Place, to: Place })
export const ObjectMove = Transfer.meta({ id: 'ObjectMove' })

export const ObjectTransfer = z
  .strictObject({
    ...Transfer.shape,
    replace: z
      .boolean()
      .default(false)
      .describe('true: an object that is there under the new name is replaced'),
  })
  .meta({ id: 'ObjectTransfer' })

const ExpiresIn = ExpiresInSeconds.describe(
  'seconds that the addresses last; they end at once when their signing key is removed',
)

export const DownloadAddressesIn = z
  .strictObject({ bucket: z.string().max(100), names: Names, expires_in: ExpiresIn })
  .meta({ id: 'DownloadAddressesIn' })
export type DownloadAddressesIn = z.infer<typeof DownloadAddressesIn>

export const UploadAddressesIn = DownloadAddressesIn.extend({
  names: Names.max(20),
  expires_in: ExpiresIn.default(7_200),
  replace: z.boolean().default(false).describe('true: an object that is there may be replaced'),
}).meta({ id: 'UploadAddressesIn' })
export type UploadAddressesIn = z.infer<typeof UploadAddressesIn>

const Address = z.object({
  name: z.string(),
  url: z.string().nullable().describe('null: not there, or not for the caller'),
  error: z.string().nullable().describe('code of the refusal'),
})
const ADDRESS_EXAMPLE = {
  name: 'ada/portrait.png',
  url: 'https://quoin.example/storage/v1/object/sign/avatars/ada/portrait.png?token=eyJ...',
  error: null,
}

export const SignedAddresses = z
  .object({ data: z.array(Address).describe('in the order of the names') })
  .meta({ id: 'SignedAddresses', examples: [{ data: [ADDRESS_EXAMPLE] }] })
export type SignedAddresses = z.infer<typeof SignedAddresses>
