// Whether the files of a backup are there: its rows name a version of each, with size and ETag, and the Worker looks
// for some of them in R2. Of all of them it would be a call for each hundred.

import type { Client } from 'pg'
import * as z from 'zod'
import { BLOBS_MAX, BlobCheck } from '../../src/features/storage/check-blobs.ts'
import { readBoundedText } from '../../src/lib/bounded-text.ts'
import { StackError } from '../support/output.ts'
import type { Service } from '../support/service.ts'
import { errorText } from '../support/wait.ts'
import { oneRow } from './session.ts'

export interface CheckedFiles {
  /** Files with a version, as the rows name them. */
  readonly files: number
  /** How many of them were looked for; null: there was nobody to ask. */
  readonly checked: number | null
}

const TIMEOUT_MS = 60_000
const ANSWER_BYTES_MAX = 1024 * 1024
const SHOWN_MAX = 10

const HAS_STORAGE_SQL = `select to_regclass('quoin.storage_claims') is not null as has_storage`
const COUNT_SQL = 'select count(*)::float8 as files from storage.objects where version is not null'

/** What the owner's SQL has left without size or ETag cannot be compared. */
const SOME_SQL = `
  select bucket_id, name, version, metadata ->> 'eTag' as etag, (metadata ->> 'size')::float8 as size
  from storage.objects
  where version is not null and jsonb_typeof(metadata -> 'eTag') = 'string'
    and jsonb_typeof(metadata -> 'size') = 'number'
  order by random() limit ${BLOBS_MAX}`

interface FileRow {
  readonly bucket_id: string
  readonly name: string
  readonly version: string
  readonly etag: string
  readonly size: number
}

/**
 * Looks for files that are drawn at random from the restored rows. Throws a `StackError` that names those that are not
 * there or not the same, and one where the service does not answer.
 */
export async function checkFiles(client: Client, service: Service | undefined): Promise<CheckedFiles> {
  const { has_storage } = await oneRow<{ has_storage: boolean }>(client, HAS_STORAGE_SQL)
  if (!has_storage) return { files: 0, checked: 0 }
  const { files } = await oneRow<{ files: number }>(client, COUNT_SQL)
  if (service === undefined) return { files, checked: files === 0 ? 0 : null }
  const { rows } = await client.query<FileRow>(SOME_SQL)
  if (rows.length > 0) refuseFaults(rows, await askService(service, rows))
  return { files, checked: rows.length }
}

function refuseFaults(rows: readonly FileRow[], { checked, missing, different }: BlobCheck): void {
  // A copy has the version of its source.
  const nameOf = ({ bucket_id, version, etag, size }: BlobCheck['missing'][number]) => {
    const isRow = (it: FileRow) => it.version === version && it.etag === etag && it.size === size
    return `${bucket_id}/${rows.find(isRow)?.name ?? ''} (version ${version})`
  }
  const faults = [
    ...missing.map(blob => `${nameOf(blob)} is missing`),
    ...different.map(blob => `${nameOf(blob)} has ${shown(blob.found)} in place of ${shown(blob)}`),
  ]
  if (faults.length === 0) return
  const more = faults.length > SHOWN_MAX ? `\n  and ${faults.length - SHOWN_MAX} more` : ''
  throw new StackError(
    `the rows of the backup are as they were saved, but ${faults.length} of ${checked} files that were looked for ` +
      'are not: they were deleted longer ago than STORAGE_RETENTION, or the service has another R2 bucket:\n  ' +
      faults.slice(0, SHOWN_MAX).join('\n  ') +
      more,
  )
}

const shown = ({ size, etag }: { size: number; etag: string }): string => `${size} bytes, ETag ${etag}`

async function askService(
  { baseUrl, serviceRoleKey }: Service,
  rows: readonly FileRow[],
): Promise<BlobCheck> {
  const blobs = rows.map(({ bucket_id, version, etag, size }) => ({ bucket_id, version, etag, size }))
  try {
    const answer = await fetch(new URL('/v1/storage/blobs/check', baseUrl), {
      method: 'POST',
      headers: { apikey: serviceRoleKey, 'content-type': 'application/json' },
      body: JSON.stringify({ blobs }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await readBoundedText(answer.body, ANSWER_BYTES_MAX)
    if (!answer.ok) throw new Error(`${answer.status} ${errorOf(text)}`)
    return BlobCheck.parse(JSON.parse(text ?? ''))
  } catch (err) {
    throw new StackError(
      `the rows of the backup are as they were saved, but ${baseUrl} could not be asked for files: ${errorText(err)}`,
    )
  }
}

function errorOf(text: string | undefined): string {
  try {
    return z.object({ error: z.string() }).parse(JSON.parse(text ?? '')).error
  } catch {
    return ''
  }
}
