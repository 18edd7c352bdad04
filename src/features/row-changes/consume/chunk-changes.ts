// The changes of a chunk, whichever way they come: with the message, out of the outbox, or too large to hold.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { Change, Chunk } from '../ingest/messages.ts'
import { type ChangeFacts, isLarge, listChanges, readableRuns, readImage, readRun } from './outbox.ts'
import type { RowChange } from './subscriber.ts'

type Texts = Pick<PlatformDatabase, 'texts'>

/** The changes that came with their chunk, or were read for it, in order. */
export function changesOf(chunk: Chunk, changes: readonly Change[], firstIndex = 0): RowChange[] {
  const occurred_at_ms = timeOf(chunk)
  return changes.map((change, offset) => ({
    chunk,
    index: firstIndex + offset,
    occurred_at_ms,
    ...change,
    large: null,
  }))
}

/**
 * The changes of a chunk that came without them, in runs that an isolate can hold; none when it was confirmed before.
 * Throws `UnreadableRows`, as reading the large ones may.
 */
export async function* runsOf(platform: Texts, chunk: Chunk): AsyncGenerator<RowChange[]> {
  for (const run of readableRuns(await listChanges(platform, chunk.id))) {
    const [first] = run
    if (first === undefined) continue
    if (isLarge(first)) yield [largeChange(platform, chunk, first)]
    else yield changesOf(chunk, await readRun(platform, chunk.id, run), first.index)
  }
}

function largeChange(platform: Texts, chunk: Chunk, { bytes, ...facts }: ChangeFacts): RowChange {
  const read = (which: 'new' | 'old') => readImage(platform, chunk.id, facts.index, which)
  return { chunk, occurred_at_ms: timeOf(chunk), ...facts, row: null, old_row: null, large: { bytes, read } }
}

/** Throws here, where it is this chunk's failure: in the middle of a share it would be that of others too. */
function timeOf({ id, occurred_at }: Chunk): number {
  const time = Date.parse(occurred_at)
  if (Number.isNaN(time)) throw new RangeError(`the chunk ${id} has no time`)
  return time
}
