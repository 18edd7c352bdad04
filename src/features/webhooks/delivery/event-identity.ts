// What an event is called: its position, which orders it among all others of a webhook, and the `webhook-id` that
// receivers see. Pure. Whoever has a position may compare it with others; what is in it is known here alone.

import { CHANGES_PER_CHUNK_MAX } from '../../row-changes/ingest/messages.ts'

/** Of the largest bigint. */
const CHUNK_DIGITS = 19
/** Sort before and behind every position; no event has them. */
export const BEFORE_ALL_EVENTS = ''
export const BEHIND_ALL_EVENTS = '~'

/**
 * The place of an event in the order of all events: chunk by chunk, and in a chunk by index. A text, since numbers
 * do not tell all chunks apart. Throws for what lies outside: stored under a wrong place it would be lost in silence.
 */
export function positionOf(chunkId: string, index: number): string {
  const position = `${chunkId.padStart(CHUNK_DIGITS, '0')}.${String(index).padStart(4, '0')}`
  if (index >= CHANGES_PER_CHUNK_MAX || !/^\d{19}\.\d{4}$/.test(position)) {
    throw new RangeError(`event ${chunkId}.${index} is outside what can be ordered`)
  }
  return position
}

/** `<chunk id>.<index>`, as logs and dead letters name an event. */
export function eventIdOf(position: string): string {
  return position.replaceAll(/\b0+(?=\d)/g, '')
}

/** The position of an event id; `BEFORE_ALL_EVENTS` for what is none. */
export function positionOfEvent(eventId: string): string {
  const [chunk = '', index = ''] = eventId.split('.')
  return chunk === '' || index === '' ? BEFORE_ALL_EVENTS : positionOf(chunk, Number(index))
}

/** What the positions of a chunk begin with; sorts as the chunks do. */
export function chunkOf(position: string): string {
  return position.slice(0, CHUNK_DIGITS)
}

export function indexOf(position: string): number {
  return Number(position.slice(CHUNK_DIGITS + 1))
}

/**
 * The `webhook-id` of an event for one webhook. The time is in it because an outbox that was restored from a backup
 * counts its chunks from an earlier number again: those are other events.
 */
export function webhookIdOf(webhook: string, position: string, occurredAtMs: number): string {
  const place = eventIdOf(position).replace('.', '-')
  return `msg_${webhook.replaceAll('-', '')}_${place}_${occurredAtMs.toString(36)}`
}
