// Cursors of lists whose pages another server makes: its page token, wrapped.

import * as z from 'zod'
import { DomainError } from '../errors.ts'

/**
 * What such servers make: the last id of a page, or a long text. What a caller made up goes no further than this: such
 * servers have crashed on shorter ones.
 */
const Position = z.tuple([z.union([z.guid(), z.string().regex(/^[\w.+/=-]{40,600}$/)])])

/** The cursor of the page behind a token; null for none. */
export function writeCursor(pageToken: string | undefined): string | null {
  return pageToken === undefined ? null : btoa(JSON.stringify([pageToken]))
}

/** The token in a cursor. Throws `invalid_parameter` for a text that is no cursor. */
export function readCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  try {
    return Position.parse(JSON.parse(atob(cursor)))[0]
  } catch (cause) {
    throw invalidCursor(cause)
  }
}

/** The error for a cursor that is not one of the list's, or whose token the other server refused. */
export function invalidCursor(cause?: unknown): DomainError {
  return new DomainError('invalid_parameter', 'query.cursor: not a cursor of this list, or an old one.', {
    hint: 'Send next_cursor of the page before as it is, or leave cursor out for the first page.',
    cause,
  })
}
