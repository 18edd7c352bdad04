// What storage-js sends as JSON. Fields that are not here are left alone: its versions send more than they need.

import * as z from 'zod'
import { WholeNumber } from '../../../lib/whole-number.ts'
import { NAMES_MAX } from '../schemas.ts'
import { EXPIRES_IN_SECONDS_MAX, ExpiresInSeconds } from '../signed/signed-urls.ts'

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 }

/** A number of bytes, or a text such as `20mb`, which is 20 000 000; null: none. */
const FileSizeLimit = z
  .union(
    [
      z.int().min(0),
      z
        .string()
        .regex(/^\d+(?:\.\d+)?(?:b|kb|mb|gb)?$/i)
        .transform(text =>
          Math.round(Number.parseFloat(text) * (UNITS[text.toLowerCase().replace(/[\d.]+/, '')] ?? 1)),
        )
        .pipe(z.int()),
    ],
    'Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B, or a number of bytes',
  )
  .nullable()

const FIELDS = {
  public: z.boolean().optional(),
  file_size_limit: FileSizeLimit.optional(),
  allowed_mime_types: z.array(z.string().max(255)).max(100).nullable().optional(),
}

export const SupabaseBucketIn = z
  .object({ id: z.string().max(1_024).optional(), name: z.string().max(1_024), ...FIELDS })
  .refine(({ id, name }) => id === undefined || id === name, {
    error: 'must be the same as name: a bucket has one name here',
    path: ['id'],
  })
  .meta({ id: 'SupabaseBucketIn' })
export const SupabaseBucketPatch = z.object(FIELDS).meta({ id: 'SupabaseBucketPatch' })

const Key = z.string().min(1).max(4_096)
export const SupabaseTransfer = z
  .object({
    bucketId: z.string().max(1_024),
    sourceKey: Key,
    destinationBucket: z.string().max(1_024).optional(),
    destinationKey: Key,
  })
  .meta({ id: 'SupabaseTransfer' })

/** From where to where; without a bucket to go to it stays in its own. */
export function transferOf({
  bucketId,
  sourceKey,
  destinationBucket,
  destinationKey,
}: z.output<typeof SupabaseTransfer>) {
  return {
    from: { bucketId, name: sourceKey },
    to: { bucketId: destinationBucket ?? bucketId, name: destinationKey },
  }
}

export const SupabaseCopy = SupabaseTransfer.extend({
  copyMetadata: z.boolean().default(true),
  metadata: z
    .object({ cacheControl: z.string().max(255), mimetype: z.string().max(255) })
    .partial()
    .optional(),
}).meta({ id: 'SupabaseCopy' })

export const Prefixes = z
  .object({ prefixes: z.array(z.string().max(4_096)).min(1).max(NAMES_MAX) })
  .meta({ id: 'SupabasePrefixes' })

const Order = z.enum(['asc', 'desc'])

/** Applications ask for more than a page has, to get all there is; as Supabase, they get a page. */
const PAGE_MAX = 1_000
const PageLimit = z
  .int()
  .min(1)
  .overwrite(limit => Math.min(limit, PAGE_MAX))
export const ListBody = z
  .object({
    prefix: z.string().max(1_024),
    limit: PageLimit.default(100),
    offset: z.int().min(0).max(1_000_000).default(0),
    search: z.string().max(1_024).default(''),
    sortBy: z
      .object({
        column: z.enum(['name', 'updated_at', 'created_at', 'last_accessed_at']).default('name'),
        order: Order.nullish(),
      })
      .nullish(),
  })
  .meta({ id: 'SupabaseListBody' })
export const ListV2Body = z
  .object({
    prefix: z.string().max(1_024).default(''),
    limit: PageLimit.default(PAGE_MAX),
    cursor: z.string().max(4_096).optional(),
    with_delimiter: z.boolean().default(false),
    sortBy: z
      .object({
        column: z.enum(['name', 'updated_at', 'created_at']).default('name'),
        order: Order.nullish(),
      })
      .nullish(),
  })
  .meta({ id: 'SupabaseListV2Body' })

/** supabase-py sends the number as a text. */
const ExpiresIn = z
  .union([z.int(), WholeNumber], `must be whole seconds, 1 to ${EXPIRES_IN_SECONDS_MAX}`)
  .pipe(ExpiresInSeconds)
const Transform = z.record(z.string(), z.union([z.string(), z.number()], 'must be a text or a number'))
export const SignBody = z
  .object({ expiresIn: ExpiresIn, transform: Transform.optional() })
  .meta({ id: 'SupabaseSignBody' })
export const SignManyBody = z
  .object({
    expiresIn: ExpiresIn,
    paths: z.array(z.string().max(4_096)).min(1).max(NAMES_MAX),
  })
  .meta({ id: 'SupabaseSignManyBody' })

const WholeText = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number)
export const BucketsQuery = z.object({
  limit: WholeText.pipe(PageLimit).optional().describe('Buckets at most, and 1 000'),
  offset: WholeText.pipe(z.int()).optional().describe('Buckets to pass over'),
  search: z.string().max(1_024).optional().describe('A text that the name has in it'),
  sortColumn: z.enum(['id', 'name', 'created_at', 'updated_at']).optional().describe('`name` unless said'),
  sortOrder: Order.optional().describe('`asc` unless said'),
})
