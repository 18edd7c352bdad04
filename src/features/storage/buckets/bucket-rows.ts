// The SQL on `storage.buckets`, always as the caller: policies decide.

import { PostgresError } from '../../../db/postgres-error.ts'
import type { Statement } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import { type CallerDeps, rowsAsCaller, type StorageDeps } from '../as-caller.ts'
import { checkBucketName, isStorable } from '../names.ts'
import { isoTime } from '../object-row.ts'
import type { Bucket, BucketIn, BucketPatch } from '../schemas.ts'
import type { StorageCall } from '../storage-call.ts'
import { bucketNotFound } from '../writes/claims.ts'
import { ownerUuid, withPolicyHint } from '../writes/write-row.ts'

/** The members of a bucket's JSON; `b` is the table. Seeds of Supabase's time say `owner` alone. */
export const BUCKET_FIELDS = `'id',b.id,'name',b.name,'public',b.public,'file_size_limit',b.file_size_limit,
  'allowed_mime_types',b.allowed_mime_types,'owner_id',coalesce(b.owner_id,b.owner::text),
  'created_at',${isoTime('b.created_at')},'updated_at',${isoTime('b.updated_at')}`
const BUCKET_JSON = `pg_catalog.json_build_object(${BUCKET_FIELDS})::text`

/** The bucket. Throws `bucket_not_found`, also where no policy shows it. */
export async function findBucket(deps: CallerDeps, call: StorageCall, id: string): Promise<Bucket> {
  const sql = `select ${BUCKET_JSON} from storage.buckets b where b.id = $1`
  return await theBucket(deps, call, { sql, params: [id] }, { readOnly: true })
}

/** The bucket as it is, for whoever has just made it and need not be allowed to read it. */
export async function readBucket({ platform }: Pick<StorageDeps, 'platform'>, id: string): Promise<Bucket> {
  const [row] = await platform.texts(`select ${BUCKET_JSON} from storage.buckets b where b.id = $1`, [id])
  if (row?.[0] == null) throw bucketNotFound()
  return JSON.parse(row[0]) as Bucket
}

const INSERT = `insert into storage.buckets
  (id, name, public, file_size_limit, allowed_mime_types, owner, owner_id)
  values ($1, $1, $2::boolean, $3::bigint, ${textArray('$4')}, $5::uuid, $6)`

/** Makes the bucket. Throws `invalid_bucket_name`, `bucket_exists`, and what policies refuse. */
export async function insertBucket(
  deps: CallerDeps,
  call: StorageCall,
  bucket: BucketIn,
  ownerId: string | null,
): Promise<void> {
  checkBucketName(bucket.name)
  const { name, file_size_limit: limit, allowed_mime_types: types } = bucket
  const params = [
    name,
    String(bucket.public),
    limit === null ? null : String(limit),
    types === null ? null : JSON.stringify(types),
    ownerUuid(ownerId),
    ownerId,
  ]
  await rowsAsCaller(deps, call, { sql: INSERT, params }).catch((err: unknown) => {
    throw err instanceof PostgresError && err.code === '23505'
      ? bucketExists()
      : withPolicyHint(err, 'buckets')
  })
}

const UPDATE = `update storage.buckets b set
    public = case when $2::jsonb ? 'public' then ($2::jsonb ->> 'public')::boolean else b.public end,
    file_size_limit = case when $2::jsonb ? 'file_size_limit' then ($2::jsonb ->> 'file_size_limit')::bigint
      else b.file_size_limit end,
    allowed_mime_types = case when $2::jsonb ? 'allowed_mime_types'
      then ${textArray("nullif($2::jsonb -> 'allowed_mime_types', 'null')")} else b.allowed_mime_types end,
    updated_at = now()
  where b.id = $1 returning ${BUCKET_JSON}`

/** Changes the fields that are there. Throws `bucket_not_found`. */
export async function updateBucketRow(
  deps: CallerDeps,
  call: StorageCall,
  id: string,
  patch: BucketPatch,
): Promise<Bucket> {
  const statement = { sql: UPDATE, params: [id, JSON.stringify(patch)] }
  return await theBucket(deps, call, statement).catch((err: unknown) => {
    throw withPolicyHint(err, 'buckets')
  })
}

/** Deletes the bucket. Throws `bucket_not_found`, and `bucket_not_empty` while it has objects, seen or not. */
export async function deleteBucketRow(deps: CallerDeps, call: StorageCall, id: string): Promise<Bucket> {
  const sql = `delete from storage.buckets b where b.id = $1 returning ${BUCKET_JSON}`
  return await theBucket(deps, call, { sql, params: [id] }).catch((err: unknown) => {
    throw err instanceof PostgresError && err.code === '23503' ? bucketNotEmpty() : err
  })
}

async function theBucket(
  deps: CallerDeps,
  call: StorageCall,
  statement: Statement<string>,
  options: { readOnly?: boolean } = {},
): Promise<Bucket> {
  if (!statement.params.every(isStorable)) throw bucketNotFound()
  const [bucket] = await rowsAsCaller<Bucket>(deps, call, statement, options)
  if (bucket === undefined) throw bucketNotFound()
  return bucket
}

/** A JSON array of texts as `text[]`, null as null. */
function textArray(json: string): string {
  return `case when (${json})::jsonb is not null then
    array(select pg_catalog.jsonb_array_elements_text((${json})::jsonb)) end`
}

function bucketExists(): DomainError {
  return new DomainError('bucket_exists', 'The resource already exists', {
    hint: 'Choose another name, or change the bucket with PATCH /v1/storage/buckets/:bucket.',
  })
}

function bucketNotEmpty(): DomainError {
  return new DomainError('bucket_not_empty', 'The bucket you tried to delete is not empty', {
    hint: 'Empty it first: POST /v1/storage/buckets/:bucket/empty.',
  })
}
