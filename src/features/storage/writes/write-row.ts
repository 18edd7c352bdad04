// The row of a file, written as the caller: once for trial before the bytes come, once for real when they are stored.

import { PostgresError } from '../../../db/postgres-error.ts'
import type { Statement } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import { asCaller, probeAsCaller, type StorageDeps } from '../as-caller.ts'
import type { Blob } from '../blobs/blob-store.ts'
import type { BlobMetadata } from '../object-row.ts'
import { metadataTooLarge } from '../objects/upload-headers.ts'
import type { StorageCall } from '../storage-call.ts'
import { bucketNotFound, type Claim, measureClaim } from './claims.ts'
import { orDrop, orTakeBackForGood } from './undo.ts'

export interface RowWrite {
  /** `create` is refused where the name is taken; `replace` gives the row there a new version. */
  readonly mode: 'create' | 'replace'
  readonly userMetadata: Readonly<Record<string, unknown>> | null
  /** `sub` of whoever writes; null: a key alone, or a session. */
  readonly ownerId: string | null
}

/** What a finished write answers. */
export interface WrittenObject {
  readonly id: string
  readonly version: string
  readonly metadata: BlobMetadata
}

/**
 * Set by the trigger that uses up the claim: a caller who may write need not be allowed to read. Empty, it is no uuid:
 * then nothing of the transaction stays.
 */
const WRITTEN_ID: Statement = {
  sql: "select pg_catalog.current_setting('storage.object_id')::uuid::text",
  params: [],
}

/**
 * Asks policies before a byte is stored: the write is made as the caller and taken back. Throws what it would throw
 * then: `object_exists`, and Postgres' refusal. The claim is dropped when it does.
 */
export async function probeWrite(
  deps: StorageDeps,
  call: StorageCall,
  claim: Claim,
  write: RowWrite,
): Promise<void> {
  await orDrop(deps, claim, async () => {
    await probeAsCaller(deps, call, writeStatement(claim, write), claim.id).catch((err: unknown) =>
      refuseWrite(err, call),
    )
  })
}

/**
 * Gives the blob to its row. When that is refused the blob is deleted again, unless it is a copy's. Where the failure
 * passes, or nobody knows whether the row was written, claim and blob stay: for another try, or for the sweep. Throws
 * what `probeWrite` throws, and `conflict`.
 */
export async function finishWrite(
  deps: StorageDeps,
  call: StorageCall,
  claim: Claim,
  metadata: BlobMetadata,
  write: RowWrite,
): Promise<WrittenObject> {
  return await orTakeBackForGood(deps, claim, async () => {
    await measureClaim(deps, claim, metadata)
    const statements = [writeStatement(claim, write), WRITTEN_ID]
    const results = await asCaller(deps, call, statements, { claimId: claim.id }).catch((err: unknown) => {
      if (isWithoutId(err)) throw keptBack()
      return refuseWrite(err, call)
    })
    const id = results[1]?.rows[0]?.[0]
    if (id == null) throw keptBack()
    return { id, version: claim.version, metadata }
  })
}

/** What `metadata` says of a blob as it was stored. */
export function blobMetadata(
  { size, etag }: Blob,
  { contentType, cacheControl }: { contentType: string; cacheControl: string },
): BlobMetadata {
  return {
    eTag: etag,
    size,
    mimetype: contentType,
    cacheControl,
    lastModified: new Date().toISOString(),
    contentLength: size,
    httpStatusCode: 200,
  }
}

const INSERT = `insert into storage.objects (id, bucket_id, name, owner, owner_id, user_metadata)
  values ($1::uuid, $2, $3, $4::uuid, $5, $6::jsonb)`
const REPLACE = `${INSERT} on conflict (bucket_id, name) do update
  set owner = excluded.owner, owner_id = excluded.owner_id, user_metadata = excluded.user_metadata,
    metadata = excluded.metadata`

function writeStatement({ place }: Claim, { mode, userMetadata, ownerId }: RowWrite): Statement {
  const params = [
    crypto.randomUUID(),
    place.bucketId,
    place.name,
    ownerUuid(ownerId),
    ownerId,
    userMetadata === null ? null : JSON.stringify(userMetadata),
  ]
  return { sql: mode === 'create' ? INSERT : REPLACE, params }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Older policies compare `owner`, which is a uuid. */
export function ownerUuid(ownerId: string | null): string | null {
  return ownerId !== null && UUID.test(ownerId) ? ownerId : null
}

/** Throws what the caller of a refused row is told. */
export function refuseWrite(err: unknown, call: StorageCall): never {
  throw explained(err, call)
}

function explained(err: unknown, { operation }: StorageCall): unknown {
  if (!(err instanceof PostgresError)) return err
  if (err.code === '23505' && err.constraint === 'objects_by_name') return objectExists(operation)
  if (err.code === '23503' && err.constraint === 'objects_bucket_id_fkey') return bucketNotFound()
  if (err.code === '23514' && err.constraint === 'objects_user_metadata_check') return metadataTooLarge()
  return withPolicyHint(err, 'objects')
}

/** The error; one of policies on the table says then how to write one. */
export function withPolicyHint(err: unknown, table: 'buckets' | 'objects'): unknown {
  const byPolicy = new RegExp(`^new row violates row-level security policy .*for table "${table}"$`)
  if (err instanceof PostgresError && err.code === '42501' && byPolicy.test(err.message)) {
    err.hint ??=
      `No policy on storage.${table} lets this caller write the row. A migration makes one: CREATE POLICY ... ` +
      `ON storage.${table} FOR INSERT TO anon WITH CHECK (...). To change what is there, SELECT and UPDATE are ` +
      'needed too.'
  }
  return err
}

/** Whether `WRITTEN_ID` has failed, behind the settings and the write: no trigger wrote it. On Neon nobody tells. */
function isWithoutId(err: unknown): boolean {
  return err instanceof PostgresError && err.code === '22P02' && err.queryIndex === 2
}

function objectExists(operation: string): DomainError {
  return new DomainError('object_exists', 'The resource already exists', { hint: replaceHint(operation) })
}

function replaceHint(operation: string): string {
  if (operation === 'storage.object.move')
    return 'A move replaces nothing: choose another name, or delete what is there first.'
  if (operation === 'storage.object.copy')
    return 'Replace it with "replace": true, under /storage/v1 with the header x-upsert: true.'
  if (/_signed$|\.sign_upload_url$/.test(operation))
    return 'Ask for an address that replaces: "replace": true of POST /v1/storage/sign/upload, or { upsert: true }.'
  if (operation.startsWith('storage.tus.')) return 'Replace it with the header x-upsert: true.'
  return 'Replace it with PUT /v1/storage/objects/:bucket/:name, or in supabase-js with { upsert: true }.'
}

function keptBack(): DomainError {
  return new DomainError(
    'conflict',
    'The row of the file was not written: a trigger of the table kept it back.',
    {
      hint: 'Nothing was stored. Look at the triggers of storage.objects.',
    },
  )
}
