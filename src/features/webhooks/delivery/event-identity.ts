// What an event is called: its position, which orders it among all others of a webhook, and the `webhook-id` that
// receivers see. Pure.

import { CHANGES_PER_CHUNK_MAX } from '../ingest/messages.ts'

/**
 * The place of an event in the order of all events: chunk by chunk, and in a chunk by index. Exact up to
 * `CHUNK_ID_MAX`. Throws for what lies outside: stored under a wrong place it would be lost in silence.
 */
export function positionOf(chunkId: string, index: number): number {
  const position = Number(chunkId) * CHANGES_PER_CHUNK_MAX + index
  if (index < 0 || index >= CHANGES_PER_CHUNK_MAX || !Number.isSafeInteger(position)) {
    throw new RangeError(`event ${chunkId}.${index} is outside what can be ordered`)
  }
  return position
}

/** `<chunk id>.<index>`, as logs and dead letters name an event. */
export function eventIdOf(position: number): string {
  return `${chunkOf(position)}.${position % CHANGES_PER_CHUNK_MAX}`
}

/** The position of an event id; NaN for what is none. */
export function positionOfEvent(eventId: string): number {
  const [chunk = '', index = ''] = eventId.split('.')
  return chunk === '' || index === '' ? Number.NaN : positionOf(chunk, Number(index))
}

export function chunkOf(position: number): number {
  return Math.floor(position / CHANGES_PER_CHUNK_MAX)
}

/**
 * The `webhook-id` of an event for one webhook. The time is in it because an outbox that was restored from a backup counts
 * its chunks from an earlier number again: those are other events.
 */
export function webhookIdOf(webhook: string, position: number, occurredAtMs: number): string {
  const place = eventIdOf(position).replace('.', '-')
  return `msg_${webhook.replaceAll('-', '')}_${place}_${occurredAtMs.toString(36)}`
}
