// A row of `storage.objects`, as SQL reads it and as callers of /v1 see it. Pure.

import type { ObjectPlace } from './names.ts'
import type { StoredObject, UploadedObject } from './schemas.ts'

/** What the engine writes into `metadata`; the names are Supabase's, since policies read them. */
export interface BlobMetadata {
  /** Quoted, as HTTP has it. */
  readonly eTag: string
  /** Bytes. */
  readonly size: number
  readonly mimetype: string
  /** As it came with the upload: `max-age=3600`. */
  readonly cacheControl: string
  /** ISO 8601. */
  readonly lastModified: string
  readonly contentLength: number
  readonly httpStatusCode: 200
}

export interface ObjectRow {
  readonly id: string
  readonly bucket_id: string
  readonly name: string
  /** Null: somebody's SQL made the row, and there is no file. */
  readonly version: string | null
  readonly metadata: BlobMetadata | null
  readonly user_metadata: Readonly<Record<string, unknown>> | null
  readonly owner_id: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly last_accessed_at: string
}

/** The row as JSON text; `o` is the table. Times as ISO 8601 UTC with milliseconds. */
export const OBJECT_JSON = `pg_catalog.json_build_object('id',o.id,'bucket_id',o.bucket_id,'name',o.name,
  'version',o.version,'metadata',o.metadata,'user_metadata',o.user_metadata,'owner_id',o.owner_id,
  'created_at',${isoTime('o.created_at')},'updated_at',${isoTime('o.updated_at')},
  'last_accessed_at',${isoTime('o.last_accessed_at')})::text`

export function isoTime(column: string): string {
  return `pg_catalog.to_char(${column} at time zone 'UTC','YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** A row that has its file; rows are typed by the engine, which alone writes `metadata`. */
export type FileRow = ObjectRow & { readonly version: string; readonly metadata: BlobMetadata }

/** Triggers of users may have changed them. */
const TEXTS = ['eTag', 'mimetype', 'cacheControl', 'lastModified'] as const

export function hasFile(row: ObjectRow): row is FileRow {
  const { version, metadata } = row
  return (
    version !== null &&
    typeof metadata?.size === 'number' &&
    TEXTS.every(of => typeof metadata[of] === 'string')
  )
}

/** The record of /v1. */
export function toStoredObject(row: ObjectRow): StoredObject {
  const { metadata, user_metadata, last_accessed_at: _, ...rest } = row
  return {
    ...rest,
    size: metadata?.size ?? null,
    content_type: metadata?.mimetype ?? null,
    etag: metadata?.eTag ?? null,
    cache_control: metadata?.cacheControl ?? null,
    metadata: user_metadata,
  }
}

/** What an upload or a copy answers under /v1. */
export function toUploadedObject(
  { bucketId, name }: ObjectPlace,
  { id, version, metadata }: Pick<FileRow, 'id' | 'version' | 'metadata'>,
): UploadedObject {
  const { size, mimetype: content_type, eTag: etag } = metadata
  return { id, bucket_id: bucketId, name, version, size, content_type, etag }
}
