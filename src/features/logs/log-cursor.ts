// Where a page of the log begins. The log is merged from three lists, each newest first; entries of one time come by
// source, then by id. Pure.

import * as z from 'zod'
import { DomainError } from '../../errors.ts'
import { crc32Ascii } from '../../lib/crc32.ts'
import { LOG_SOURCES, type LogEntry, type LogQuery, LogSource } from './schemas.ts'

/** An entry's place: microseconds since 1970, its source, its id. */
export interface LogPlace {
  us: number
  source: LogSource
  id: string
}

/** What one source is asked for: entries before `us`, and those of `us` itself whose id is lower than `id`. */
export interface SourceStart {
  us: number
  /** null: none of `us` itself. */
  id: string | null
}

const Cursor = z.tuple([z.int().min(0), LogSource, z.uuid(), z.int()])

/** The order of the log: negative where `a` comes first. */
export function byPlace(a: LogPlace, b: LogPlace): number {
  if (a.us !== b.us) return b.us - a.us
  if (a.source !== b.source) return LOG_SOURCES.indexOf(a.source) - LOG_SOURCES.indexOf(b.source)
  return a.id < b.id ? 1 : -1
}

/** Where a source goes on behind this place. */
export function startOf(source: LogSource, after: LogPlace): SourceStart {
  if (source === after.source) return { us: after.us, id: after.id }
  const comesLater = LOG_SOURCES.indexOf(source) > LOG_SOURCES.indexOf(after.source)
  return { us: comesLater ? after.us + 1 : after.us, id: null }
}

export function writeLogCursor({ us, source, id }: LogPlace, query: LogQuery): string {
  return btoa(JSON.stringify([us, source, id, filterMark(query)]))
}

/** The last entry of the page before. Throws `invalid_parameter` for a cursor that is none, or of other filters. */
export function readLogCursor(query: LogQuery): LogPlace | undefined {
  if (query.cursor === undefined) return undefined
  try {
    const [us, source, id, mark] = Cursor.parse(JSON.parse(atob(query.cursor)))
    if (mark === filterMark(query)) return { us, source, id }
  } catch (cause) {
    throw notACursor(cause)
  }
  throw notACursor()
}

function notACursor(cause?: unknown): DomainError {
  return new DomainError('invalid_parameter', 'query.cursor: not a cursor of this list with these filters.', {
    hint: 'Send next_cursor of the page before as it is, with the filters of that page.',
    cause,
  })
}

/** Tells filters apart; no secret, and nothing is decided by it but an honest mistake. */
function filterMark({ cursor: _cursor, limit: _limit, ...filters }: LogQuery): number {
  const entries = Object.entries(filters).filter(([, value]) => value !== undefined)
  return crc32Ascii(encodeURIComponent(JSON.stringify(entries.sort())))
}

/** Microseconds since 1970 of a time as Postgres or JavaScript writes it, with up to six digits of a second. */
export function microseconds(time: string): number {
  const fraction = /\.(\d{1,6})/.exec(time)?.[1] ?? ''
  return Math.floor(Date.parse(time) / 1_000) * 1_000_000 + Number(fraction.padEnd(6, '0'))
}

export function placeOf({ time, source, id }: LogEntry): LogPlace {
  return { us: microseconds(time), source, id }
}
