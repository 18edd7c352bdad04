// Puts the listener's messages on the queue, in batches that it takes. What the queue refuses is the listener's to send
// again: the outbox still has it, and whoever gets a message twice drops the second.

import { DomainError } from '../../../errors.ts'
import type { RowChangesIn, RowChangesMessage } from './messages.ts'

/** The queue's producer binding, as far as it is used. */
export interface RowChangesQueue {
  sendBatch(messages: { body: string; contentType: 'text' }[]): Promise<unknown>
}

/** Of one `sendBatch`: the queue takes 100 messages and 256 KB, and counts about 100 bytes more for each. */
const BATCH_MESSAGES_MAX = 100
const BATCH_BYTES_MAX = 240_000
/** The queue takes 128 000 bytes; the listener keeps to MESSAGE_BYTES_MAX, well below. */
const QUEUED_BYTES_MAX = 127_000
const RETRY_AFTER_SECONDS = 5

const encoder = new TextEncoder()

/** Answers how many messages are on the queue: all of them. Throws `payload_too_large` or `ingest_unavailable`. */
export async function enqueueRowChanges(
  { rowChanges }: { rowChanges: RowChangesQueue },
  { registry_version, messages }: RowChangesIn,
): Promise<{ queued: number }> {
  const bodies = messages.map(({ chunks }) => {
    const message: RowChangesMessage = { registry_version, chunks }
    return JSON.stringify(message)
  })
  try {
    await Promise.all(batchesOf(bodies).map(batch => rowChanges.sendBatch(batch)))
  } catch (cause) {
    if (cause instanceof DomainError) throw cause
    throw new DomainError('ingest_unavailable', 'The queue did not take the row changes.', {
      hint: 'Send them again: what was taken is dropped the second time.',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause,
    })
  }
  return { queued: bodies.length }
}

function batchesOf(bodies: readonly string[]): { body: string; contentType: 'text' }[][] {
  const batches: { body: string; contentType: 'text' }[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const body of bodies) {
    const size = encoder.encode(body).length
    if (size > QUEUED_BYTES_MAX) throw tooLarge(size)
    const last = batches.at(-1)
    if (last === undefined || bytes + size > BATCH_BYTES_MAX || last.length === BATCH_MESSAGES_MAX) {
      batches.push([{ body, contentType: 'text' }])
      bytes = size
    } else {
      last.push({ body, contentType: 'text' })
      bytes += size
    }
  }
  return batches
}

function tooLarge(size: number): DomainError {
  return new DomainError('payload_too_large', `A message of ${size} bytes does not fit on the queue.`, {
    hint: `Send chunks that are larger than ${QUEUED_BYTES_MAX} bytes with changes: null.`,
  })
}
