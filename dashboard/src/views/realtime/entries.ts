// What came over a channel, as lines of a list that never gets longer than some hundred. Pure.

import type { HeardChange, RowValues } from '../../parts/realtime/channel.ts'

export type EntryKind = HeardChange['event'] | 'broadcast' | 'join' | 'leave' | 'refetch' | 'error'

export interface Entry {
  /** In the order of arrival. */
  readonly number: number
  /** When it came; of a change, when it was made. ISO 8601. */
  readonly at: string
  readonly kind: EntryKind
  /** In one line. */
  readonly words: string
  /** What is shown when it is opened, by what it is. */
  readonly values: Readonly<Record<string, unknown>>
}

export const ENTRIES_MAX = 300
const WORDS_LENGTH_MAX = 300

/** The newest first. */
export function withEntries(entries: readonly Entry[], more: readonly Entry[]): readonly Entry[] {
  return more.length === 0 ? entries : [...more.toReversed(), ...entries].slice(0, ENTRIES_MAX)
}

/** An entry without its number. */
export type Came = Omit<Entry, 'number'>

export function changeEntry({ event, at, row, oldRow, errors }: HeardChange): Came {
  const problems = errors === null || errors.length === 0 ? {} : { Errors: errors }
  if (event === 'INSERT') return { at, kind: event, words: short(row), values: { Row: row, ...problems } }
  if (event === 'DELETE')
    return { at, kind: event, words: short(oldRow), values: { Row: oldRow, ...problems } }
  return {
    at,
    kind: event,
    words: short(changedValues(row, oldRow)),
    values: { Row: row, Before: oldRow, ...problems },
  }
}

/** Of an update: what identifies the row comes first in most tables, so the first value is always among them. */
function changedValues(row: RowValues, oldRow: RowValues): RowValues {
  const entries = Object.entries(row)
  if (Object.keys(oldRow).length === 0) return row
  return Object.fromEntries(
    entries.filter(([name, value], i) => i === 0 || JSON.stringify(value) !== JSON.stringify(oldRow[name])),
  )
}

export function broadcastEntry(event: string, payload: unknown, at: string): Came {
  if (payload instanceof ArrayBuffer)
    return {
      at,
      kind: 'broadcast',
      words: `${event} ${payload.byteLength} bytes`,
      values: { Bytes: hex(payload) },
    }
  return { at, kind: 'broadcast', words: `${event} ${short(payload)}`, values: { Payload: payload } }
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length > WORDS_LENGTH_MAX ? `${text.slice(0, WORDS_LENGTH_MAX)}…` : text
}

const HEX_BYTES_MAX = 1_024

function hex(bytes: ArrayBuffer): string {
  const text = Array.from(new Uint8Array(bytes, 0, Math.min(bytes.byteLength, HEX_BYTES_MAX)), byte =>
    byte.toString(16).padStart(2, '0'),
  ).join(' ')
  return bytes.byteLength > HEX_BYTES_MAX ? `${text} …` : text
}
