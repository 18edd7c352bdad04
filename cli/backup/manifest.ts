// What a backup is made of: a folder with the schema in two parts, the rows of each table, and the manifest that names
// them all. The format is Quoin's own, whichever pg_dump wrote the schema. docs/backup.md says it to users.

import { createHash, createHmac } from 'node:crypto'
import * as z from 'zod'

export const FORMAT = 1
export const MANIFEST_FILE = 'manifest.json'
/** The manifest's own hash: what is changed by accident is found. */
export const MANIFEST_HASH_FILE = 'manifest.json.sha256'
export const PRE_DATA_FILE = 'schema-before-rows.sql'
export const POST_DATA_FILE = 'schema-after-rows.sql'
export const OBJECTS_FILE = 'objects.json'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
/** Names within the folder: nothing leads out of it. */
const FileName = z.string().regex(/^[a-z0-9][a-z0-9.-]*$/)

const BackupFile = z.object({ file: FileName, bytes: z.int().min(0), sha256: Sha256 })
export type BackupFile = z.infer<typeof BackupFile>

const TableRows = z.object({
  schema: z.string(),
  name: z.string(),
  columns: z.array(z.string()),
  row_count: z.int().min(0),
  /** Of the rows as COPY writes them, not compressed. */
  bytes: z.int().min(0),
  sha256: Sha256,
  compressed: BackupFile,
})
export type TableRows = z.infer<typeof TableRows>

const Role = z.object({ name: z.string(), attributes: z.string() })

const StorageFigures = z.object({
  buckets: z.int().min(0),
  objects: z.int().min(0),
  /** As the rows say, a version that several rows name counted for each. */
  bytes: z.int().min(0),
  /** Rows that name no blob, so that there is none to look for. */
  objects_without_version: z.int().min(0),
})

export const Manifest = z.object({
  format: z.literal(FORMAT),
  id: z.uuid(),
  started_at: z.iso.datetime(),
  quoin_version: z.string(),
  postgres_version: z.string(),
  /** As `server_version_num`: 180004. */
  postgres_version_number: z.int(),
  /** What wrote the schema. */
  schema_by: z.string(),
  database: z.object({
    name: z.string(),
    encoding: z.string(),
    lc_collate: z.string(),
    lc_ctype: z.string(),
    locale_provider: z.enum(['libc', 'icu', 'builtin']),
    /** Of the providers icu and builtin. */
    locale: z.string().nullable(),
    settings: z.array(z.object({ name: z.string(), value: z.string() })),
    grants: z
      .array(z.object({ grantee: z.string().nullable(), privilege: z.string(), is_grantable: z.boolean() }))
      .nullable(),
  }),
  /** Who owns the schema quoin; null where Quoin is not in the database. */
  owner: z.string().nullable(),
  /** The id of the database's life, which its blobs bear; null in a backup of before there was one. */
  epoch: z.uuid().nullable().default(null),
  /** What there was of files, whose blobs are not in a backup; null where the database had none. */
  storage: StorageFigures.nullable().default(null),
  lsn: z.string(),
  platform_migrations: z.array(z.string()),
  secrets_key: Sha256.nullable(),
  roles: z.array(Role),
  /** Schemas in which all that there is belongs to the owner or a superuser: names may be looked up there. */
  search_path: z.array(z.string()).default([]),
  extensions: z.array(z.object({ name: z.string(), version: z.string() })),
  /** What the tables were called whose oids stand in rows of Quoin's own. */
  relations: z.array(z.object({ oid: z.int(), schema: z.string(), name: z.string() })),
  sequences: z.array(
    z.object({ schema: z.string(), name: z.string(), last_value: z.string(), is_called: z.boolean() }),
  ),
  tables: z.array(TableRows),
  schema: z.object({ pre_data: BackupFile, post_data: BackupFile }),
  /** What was in the database, for the comparison after a restore. */
  objects: BackupFile,
})
export type Manifest = z.infer<typeof Manifest>

/** Every file that the manifest names. */
export function filesOf({ schema, objects, tables }: Manifest): BackupFile[] {
  return [schema.pre_data, schema.post_data, objects, ...tables.map(({ compressed }) => compressed)]
}

/** How a table is named to people: `schema.name`. */
export function shownName({ schema, name }: { readonly schema: string; readonly name: string }): string {
  return `${schema}.${name}`
}

/** Tells whether a key is the one of the backup, without telling the key; null where there is no key. */
export function secretsKeyFingerprint(backupId: string, secretsKey: string | undefined): string | null {
  if (!secretsKey) return null
  return createHmac('sha256', Buffer.from(secretsKey, 'base64'))
    .update(`quoin backup ${backupId}`)
    .digest('hex')
}

export const sha256Of = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')

/** Bytes as people read them. */
export function shownBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  const units = ['kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length)
  return `${(bytes / 1_000 ** power).toFixed(1)} ${units[power - 1]}`
}
