// Takes a webhook's dead letters out of Postgres back into its fan-out, one after the other and large ones in pieces.

import type { PlatformDatabase } from '../src/db/database.ts'
import {
  findDeadLetters,
  type RedeliverableLetter,
  readDeadLetterPart,
} from '../src/features/webhooks/delivery/delivery-log.ts'
import { positionOfEvent } from '../src/features/webhooks/delivery/event-identity.ts'
import {
  PIECE_CHARACTERS,
  WHOLE_PAYLOAD_BYTES_MAX,
} from '../src/features/webhooks/delivery/fanout-contract.ts'
import { readFacts } from '../src/features/webhooks/delivery/payload.ts'
import type { FanoutStorage } from './fanout-storage.ts'

const PAGE = 100
/** Of a body, enough to hold its timestamp. */
const ENDING_CHARACTERS = 100
const NO_ID = '00000000-0000-0000-0000-000000000000'

/** Answers how many it took: those that are in the queue already are not counted. */
export async function redeliverDeadLetters(
  platform: PlatformDatabase,
  storage: FanoutStorage,
  webhookId: string,
  since: string,
): Promise<number> {
  let count = 0
  // Ids are compared behind equal times, and no id is lower than this one.
  let after = { created_at: since, id: NO_ID }
  for (;;) {
    // Asked before Postgres is: what is written down meanwhile may still look undelivered in its answer.
    const known = storage.takenBack()
    const letters = await findDeadLetters(platform, webhookId, after, PAGE)
    for (const letter of letters.filter(({ id }) => !known.has(id)))
      if (await takeBack(platform, storage, letter)) count += 1
    const last = letters.at(-1)
    if (last === undefined || letters.length < PAGE) return count
    after = last
  }
}

async function takeBack(
  platform: PlatformDatabase,
  storage: FanoutStorage,
  letter: RedeliverableLetter,
): Promise<boolean> {
  const position = positionOfEvent(letter.event_id)
  // It is in the queue already: its pieces are there, and may go while these come.
  if (storage.find(position) !== undefined) return false
  let [bytes, whole, last] = [0, '', '']
  const isWhole = letter.length * 4 <= WHOLE_PAYLOAD_BYTES_MAX
  for (let from = 0, number = 0; from < letter.length; from += PIECE_CHARACTERS, number++) {
    const text = await readDeadLetterPart(platform, letter.id, from, PIECE_CHARACTERS)
    bytes += new TextEncoder().encode(text).length
    if (number === 0) whole = text
    last = (last + text).slice(-ENDING_CHARACTERS)
    if (!isWhole) storage.pieces.put({ position, number, text }, Date.now())
  }
  const facts = readFacts(whole, last)
  if (facts === undefined) return false
  const event = {
    position,
    // Its place in the order is gone: others of its key have been delivered since.
    key: `dead letter ${letter.id}`,
    old_key: null,
    event_type: facts.event,
    occurred_at_ms: facts.occurredAtMs,
    request_id: letter.request_id,
    payload_error: letter.payload_error,
    payload: isWhole ? whole : null,
    bytes,
  }
  return storage.addAgain(event, letter.id, Date.now())
}
