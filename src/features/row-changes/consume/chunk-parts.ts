// The events of a chunk, whichever way its changes come: with the message, out of the outbox, or a body in pieces.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { FanoutEvent, PayloadPiece } from '../../webhooks/delivery/fanout-contract.ts'
import type { Chunk } from '../ingest/messages.ts'
import { eventsOf } from './chunk-events.ts'
import { handOverLarge } from './large-change.ts'
import { isLarge, listChanges, listWithoutImages, readableRuns, readRun, unreadableReason } from './outbox.ts'

/** True: the chunk is one part, small and there without waiting. */
export function isAtHand({ changes }: Chunk): boolean {
  return changes !== null
}

/**
 * The chunk's events in order, in parts that fit into one call; none when it was confirmed before. Pieces of a large
 * body go to `storePiece` before its event comes. What Postgres cannot read now it never could: then the last part has
 * every change without its rows, for those that are not stored by then.
 */
export async function* partsOf(
  platform: PlatformDatabase,
  chunk: Chunk,
  storePiece: (piece: PayloadPiece) => Promise<void>,
): AsyncGenerator<FanoutEvent[]> {
  if (chunk.changes !== null) {
    yield eventsOf(chunk, chunk.changes)
    return
  }
  try {
    for (const run of readableRuns(await listChanges(platform, chunk.id))) {
      const [first] = run
      if (first === undefined) continue
      if (isLarge(first)) yield [await handOverLarge(platform, chunk, first, storePiece)]
      else yield eventsOf(chunk, await readRun(platform, chunk.id, run), first.index)
    }
  } catch (err) {
    const reason = unreadableReason(err)
    if (reason === undefined) throw err
    yield eventsOf(chunk, await listWithoutImages(platform, chunk.id, reason))
  }
}
