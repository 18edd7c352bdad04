// Reads chunks that are too large for a message out of the outbox, and confirms chunks that everybody has. The images
// stay JSON texts; of a chunk no more than READ_BYTES of them is in memory at a time.

import type { PlatformDatabase } from '../../../db/database.ts'
import { PostgresError } from '../../../db/postgres-error.ts'
import type { Change } from '../ingest/messages.ts'

/** Of images in one answer; escaped they are twice as long at most, and the answer's bound is 16 MiB. */
const READ_BYTES = 2 * 1024 * 1024
/** Images of a change over this are read part by part. What frames them in a message still fits into a mebibyte. */
const HELD_BYTES_MAX = 1024 * 1024 - 4_096
/** Code points of an image in one answer, 4 bytes each at most. */
const READ_CHARACTERS = 2_000_000

const CHANGES = 'quoin.row_events e cross join lateral quoin.changes_in(e) as change'

/** A change without its images. */
export interface ChangeFacts extends Pick<Change, 'key' | 'old_key' | 'error'> {
  /** In the chunk, from 0. */
  index: number
  /** Of the images in a change's body: of a deleted row it has the same one twice. */
  bytes: number
}

/** What is in a chunk, in order; none when it was confirmed before. */
export async function listChanges(
  platform: Pick<PlatformDatabase, 'texts'>,
  chunkId: string,
): Promise<ChangeFacts[]> {
  const rows = await imagesOf(
    platform,
    `select change.ordinal - 1, change.key, change.old_key, change.error,
        coalesce(octet_length(change.new), 0) + coalesce(octet_length(change.old), 0)
      from ${CHANGES} where e.id = $1::bigint order by change.ordinal`,
    [chunkId],
  )
  return rows.map(([index, key = null, old_key = null, error = null, bytes]) => ({
    index: Number(index),
    key,
    old_key,
    error,
    bytes: Number(bytes),
  }))
}

/** Whether a change's images are too large to be held beside others. */
export function isLarge({ bytes }: ChangeFacts): boolean {
  return bytes > HELD_BYTES_MAX
}

/** Runs of changes whose images fit into one answer; a large one is a run of its own. */
export function* readableRuns(changes: readonly ChangeFacts[]): Generator<ChangeFacts[]> {
  let run: ChangeFacts[] = []
  let bytes = 0
  for (const change of changes) {
    const size = isLarge(change) ? READ_BYTES : change.bytes
    if (run.length > 0 && bytes + size > READ_BYTES) {
      yield run
      run = []
      bytes = 0
    }
    run.push(change)
    bytes += size
  }
  if (run.length > 0) yield run
}

/** The changes of a run with their images, as a message would carry them. Throws `UnreadableRows`. */
export async function readRun(
  platform: Pick<PlatformDatabase, 'texts'>,
  chunkId: string,
  run: readonly ChangeFacts[],
): Promise<Change[]> {
  const [first, last] = [run[0]?.index ?? 0, run.at(-1)?.index ?? 0]
  const rows = await imagesOf(
    platform,
    `select change.key, change.old_key, change.new, change.old, change.error from ${CHANGES}
      where e.id = $1::bigint and change.ordinal between $2::int and $3::int order by change.ordinal`,
    [chunkId, String(first + 1), String(last + 1)],
  )
  return rows.map(([key = null, old_key = null, row = null, old_row = null, error = null]) => ({
    key,
    old_key,
    row,
    old_row,
    error,
  }))
}

/** One image of a change, part by part. Throws `UnreadableRows`. */
export async function* readImage(
  platform: Pick<PlatformDatabase, 'texts'>,
  chunkId: string,
  index: number,
  which: 'new' | 'old',
): AsyncGenerator<string> {
  for (let from = 1; ; from += READ_CHARACTERS) {
    const rows = await imagesOf(
      platform,
      `select pg_catalog.substr(change.${which}, $3::int, $4::int) from ${CHANGES}
        where e.id = $1::bigint and change.ordinal = $2::int`,
      [chunkId, String(index + 1), String(from), String(READ_CHARACTERS)],
    )
    const [row] = rows
    // Else what came until now would be taken for all of it.
    if (row === undefined) throw new Error(`the chunk ${chunkId} left the outbox while it was read`)
    const part = row[0] ?? ''
    if (part !== '') yield part
    // Counted in UTF-16 here and in code points there: only an answer that is shorter both ways is the last.
    if (part.length < READ_CHARACTERS) return
  }
}

/** The images of a chunk can never be read, because of a broken page say. The message is the reason. */
export class UnreadableRows extends Error {
  override name = 'UnreadableRows'
}

async function imagesOf(
  platform: Pick<PlatformDatabase, 'texts'>,
  sql: string,
  params: string[],
): Promise<(string | null)[][]> {
  try {
    return await platform.texts(sql, params, 'repeatable')
  } catch (err) {
    if (!(err instanceof PostgresError) || !/^(?:22|XX00[12])/.test(err.code)) throw err
    throw new UnreadableRows(`the row cannot be read: ${err.message}`)
  }
}

/** The changes of a chunk without their images, and why there are none. Reads no image. */
export async function listWithoutImages(
  platform: Pick<PlatformDatabase, 'texts'>,
  chunkId: string,
  reason: string,
): Promise<Change[]> {
  const rows = await platform.texts(
    `select e.keys[change.position], nullif(e.old_keys[change.position], e.keys[change.position]),
        e.errors[change.position]
      from quoin.row_events e cross join lateral pg_catalog.generate_series(1, e.change_count) as change (position)
      where e.id = $1::bigint order by change.position`,
    [chunkId],
  )
  return rows.map(([key = null, old_key = null, error]) => ({
    key,
    old_key,
    row: null,
    old_row: null,
    error: error ?? reason,
  }))
}

/** Deletes chunks: the listener sees it, and lets go on what had to wait behind them. */
export async function confirmChunks(platform: PlatformDatabase, chunkIds: readonly string[]): Promise<void> {
  await platform.texts('delete from quoin.row_events where id = any($1::bigint[])', [
    `{${chunkIds.join(',')}}`,
  ])
}
