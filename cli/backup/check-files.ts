// Whether the files of a backup are there: its rows name a version of each, with size and ETag, and the Worker looks
// for some of them in R2. Of all of them it would be a call for each hundred. What can be gone is what the database of
// today has lost: up to half of those that are looked for are of these.

import type { Client } from 'pg'
import * as z from 'zod'
import { BLOBS_MAX, BlobCheck } from '../../src/features/storage/check-blobs.ts'
import { readBoundedText } from '../../src/lib/bounded-text.ts'
import { StackError } from '../support/output.ts'
import type { Service } from '../support/service.ts'
import { errorText } from '../support/wait.ts'
import { oneRow, withBackupSession } from './session.ts'

export interface CheckedFiles {
  /** Files with a version, as the rows name them. */
  readonly files: number
  /** How many of them were looked for; null: there was nobody to ask. */
  readonly checked: number | null
}

const TIMEOUT_MS = 60_000
const ANSWER_BYTES_MAX = 1024 * 1024
const SHOWN_MAX = 10

/** So many rows are drawn, for some of those to be among them that the database of today has lost. */
const DRAWN_MAX = 100_000

const HAS_STORAGE_SQL = `select to_regclass('quoin.storage_claims') is not null as has_storage`
const COUNT_SQL = 'select count(*)::float8 as files from storage.objects where version is not null'

/** What the owner's SQL has left without size or ETag cannot be compared. */
const DRAW_SQL = `
  select bucket_id, name, version, metadata ->> 'eTag' as etag, (metadata ->> 'size')::float8 as size
  from storage.objects
  where version is not null and jsonb_typeof(metadata -> 'eTag') = 'string'
    and jsonb_typeof(metadata -> 'size') = 'number'
  order by random() limit ${DRAWN_MAX}`

const LOST_SQL = `
  select place::int - 1 as place
  from unnest($1::text[], $2::text[]) with ordinality named (bucket_id, version, place)
  where not exists (
    select from storage.objects o where o.bucket_id = named.bucket_id and o.version = named.version)`

interface FileRow {
  readonly bucket_id: string
  readonly name: string
  readonly version: string
  readonly etag: string
  readonly size: number
}

/**
 * Looks for files that are drawn at random from the restored rows. `url`: the database of today. Throws a `StackError`
 * that names those that are not there or not the same, and one where the service does not answer.
 */
export async function checkFiles(
  client: Client,
  url: string,
  service: Service | undefined,
): Promise<CheckedFiles> {
  if (!(await hasStorage(client))) return { files: 0, checked: 0 }
  const { files } = await oneRow<{ files: number }>(client, COUNT_SQL)
  if (service === undefined) return { files, checked: files === 0 ? 0 : null }
  const { rows: drawn } = await client.query<FileRow>(DRAW_SQL)
  const rows = await chooseFiles(url, drawn)
  if (rows.length > 0) refuseFaults(rows, await askService(service, rows))
  return { files, checked: rows.length }
}

/** Whether the service would look for files, so that nobody restores a backup first. Throws as `checkFiles` does. */
export async function tryService(service: Service): Promise<void> {
  await askService(service, [{ bucket_id: 'none', name: '', version: 'none', etag: '', size: 0 }])
}

async function hasStorage(client: Client): Promise<boolean> {
  return (await oneRow<{ has_storage: boolean }>(client, HAS_STORAGE_SQL)).has_storage
}

async function chooseFiles(url: string, drawn: readonly FileRow[]): Promise<FileRow[]> {
  const places = await withBackupSession(url, async today => {
    if (!(await hasStorage(today))) return []
    const params = [drawn.map(it => it.bucket_id), drawn.map(it => it.version)]
    return (await today.query<{ place: number }>(LOST_SQL, params)).rows
  })
  const isLost = new Set(places.map(({ place }) => place))
  const lost = drawn.filter((_, i) => isLost.has(i))
  const kept = drawn.filter((_, i) => !isLost.has(i))
  const half = BLOBS_MAX / 2
  return [...lost.slice(0, half), ...kept, ...lost.slice(half)].slice(0, BLOBS_MAX)
}

function refuseFaults(rows: readonly FileRow[], { checked, missing, different }: BlobCheck): void {
  const faults = rows.flatMap(row => {
    const isRow = (it: BlobCheck['missing'][number]) =>
      it.bucket_id === row.bucket_id &&
      it.version === row.version &&
      it.etag === row.etag &&
      it.size === row.size
    const name = `${row.bucket_id}/${row.name} (version ${row.version})`
    if (missing.some(isRow)) return [`${name} is missing`]
    const other = different.find(isRow)
    return other === undefined ? [] : [`${name} has ${shown(other.found)} in place of ${shown(row)}`]
  })
  if (faults.length === 0) return
  const more = faults.length > SHOWN_MAX ? `\n  and ${faults.length - SHOWN_MAX} more` : ''
  throw new StackError(
    `the rows of the backup are as they were saved, but ${faults.length} of ${checked} files that were looked for ` +
      'are not. Missing ones were deleted longer ago than STORAGE_RETENTION, or the service has another R2 bucket. ' +
      'Others were written past Quoin, or copied back in parts:\n  ' +
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
    throw new StackError(`${baseUrl} could not be asked for files: ${errorText(err)}`)
  }
}

function errorOf(text: string | undefined): string {
  try {
    return z.object({ error: z.string() }).parse(JSON.parse(text ?? '')).error
  } catch {
    return ''
  }
}
