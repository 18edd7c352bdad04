// Claims: what lets one row take one version, once. The owner's connection opens one before a byte is stored, so what a
// crash leaves is known; the trigger of `storage.objects` uses it up. docs/design/storage.md has the whole way.

import type { PlatformDatabase } from '../../../db/database.ts'
import { DomainError } from '../../../errors.ts'
import { blobKey, checkObjectName, isStorable, type ObjectPlace } from '../names.ts'
import type { BlobMetadata } from '../object-row.ts'
import { type BucketLimits, checkFile } from './limits.ts'

export interface ClaimDeps {
  readonly platform: Pick<PlatformDatabase, 'texts'>
}

/** The version that a row may take, and what is known of its blob so far. */
export interface Claim {
  readonly id: string
  readonly place: ObjectPlace
  readonly version: string
  /** Where the blob is, or will be. */
  readonly key: string
  /** True for a copy: other rows name the version, so its blob is never taken back. */
  readonly sharesBlob: boolean
}

export interface OpenedClaim {
  readonly claim: Claim
  readonly limits: BucketLimits
  /** Which life of which database writes: every blob carries it, so that no sweep takes another's. */
  readonly database: string
}

/** What is said of a blob before it is measured: what policies see when they are asked first. */
export interface Declared {
  /** Bytes; undefined: not known. */
  readonly size: number | undefined
  readonly contentType: string
  readonly cacheControl: string
}

const OPEN_SQL = `
  with bucket as (
    select id, file_size_limit, allowed_mime_types from storage.buckets where id = $2
  ), opened as (
    insert into quoin.storage_claims (id, bucket_id, name, version, metadata)
      select $1::uuid, id, $3, $4, $5::jsonb from bucket
  )
  select b.file_size_limit::text, to_json(b.allowed_mime_types)::text, e.epoch::text
  from bucket b cross join quoin.database_epoch e`

/** Opens a claim for new bytes. Throws `invalid_object_name` and `bucket_not_found`. */
export async function openClaim(
  deps: ClaimDeps,
  place: ObjectPlace,
  { size, contentType, cacheControl }: Declared,
): Promise<OpenedClaim> {
  const declared = {
    mimetype: contentType,
    cacheControl,
    ...(size === undefined ? {} : { size, contentLength: size }),
  }
  return await open(deps, place, crypto.randomUUID(), declared, false)
}

/** Opens a claim for a version that is there already. Throws as `openClaim` does. */
export async function openCopyClaim(
  deps: ClaimDeps,
  place: ObjectPlace,
  { version, metadata }: { version: string; metadata: BlobMetadata },
): Promise<OpenedClaim> {
  return await open(deps, place, version, metadata, true)
}

async function open(
  { platform }: ClaimDeps,
  place: ObjectPlace,
  version: string,
  metadata: object,
  sharesBlob: boolean,
): Promise<OpenedClaim> {
  checkObjectName(place.name)
  if (!isStorable(place.bucketId)) throw bucketNotFound()
  const id = crypto.randomUUID()
  const params = [id, place.bucketId, place.name, version, JSON.stringify(metadata)]
  const [row] = await platform.texts(OPEN_SQL, params)
  if (row === undefined) throw bucketNotFound()
  return {
    claim: { id, place, version, key: blobKey(place.bucketId, version), sharesBlob },
    limits: readLimits(row),
    database: row[2] ?? '',
  }
}

function readLimits([limit, types]: readonly (string | null)[]): BucketLimits {
  return {
    fileSizeLimit: limit == null ? null : Number(limit),
    allowedMimeTypes: types == null ? null : (JSON.parse(types) as string[]),
  }
}

const MEASURE_SQL = `
  with measured as (
    update quoin.storage_claims set metadata = $2::jsonb where id = $1::uuid returning bucket_id
  )
  select b.file_size_limit::text, to_json(b.allowed_mime_types)::text
  from measured m left join storage.buckets b on b.id = m.bucket_id`

/**
 * Writes down what the blob turned out to be. Throws `conflict` for a claim that the sweep has ended, and
 * `object_too_large` and `mime_type_not_allowed` where the bucket takes it no more: an upload may take a day.
 */
export async function measureClaim(
  { platform }: ClaimDeps,
  { id }: Claim,
  metadata: BlobMetadata,
): Promise<void> {
  const [row] = await platform.texts(MEASURE_SQL, [id, JSON.stringify(metadata)], 'repeatable')
  if (row === undefined)
    throw new DomainError('conflict', 'The upload was given up: after a day, or by a restore.', {
      hint: 'Upload the file again.',
    })
  const limits = readLimits(row)
  const { size, mimetype: contentType } = metadata
  checkFile({ size, contentType }, limits, limits.fileSizeLimit ?? Number.POSITIVE_INFINITY)
}

const NOTE_PARTS_SQL =
  'update quoin.storage_claims set multipart_upload_id = $2 where id = $1::uuid returning id'

/** Writes down the upload in parts that goes with a claim, so that the sweep aborts it when nobody else does. */
export async function noteParts({ platform }: ClaimDeps, { id }: Claim, multipartId: string): Promise<void> {
  await platform.texts(NOTE_PARTS_SQL, [id, multipartId], 'repeatable')
}

/** Ends a claim; false when a row has taken it, or somebody has ended it. */
export async function dropClaim({ platform }: ClaimDeps, { id }: Pick<Claim, 'id'>): Promise<boolean> {
  const rows = await platform.texts(
    'delete from quoin.storage_claims where id = $1::uuid returning id',
    [id],
    'repeatable',
  )
  return rows.length > 0
}

const LOSE_SQL = `
  with ended as (delete from quoin.storage_claims where id = $1::uuid returning bucket_id, version)
  insert into quoin.lost_versions (bucket_id, version) select bucket_id, version from ended
    on conflict (bucket_id, version) do update set lost_at = clock_timestamp()
  returning version`

/** Ends a claim whose blob may be stored: the sweep knows of it then. False when a row has taken the version. */
export async function loseClaim({ platform }: ClaimDeps, { id }: Pick<Claim, 'id'>): Promise<boolean> {
  return (await platform.texts(LOSE_SQL, [id])).length > 0
}

export function bucketNotFound(): DomainError {
  return new DomainError('bucket_not_found', 'Bucket not found', {
    hint: 'Create it with POST /v1/storage/buckets, or look for the name in GET /v1/storage/buckets.',
  })
}
