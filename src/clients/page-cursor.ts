// Cursors of lists whose pages another server makes: its page token, wrapped. Bounds are of our own making: nobody
// promises how long a token is.

import * as z from 'zod'
import { DomainError } from '../errors.ts'

/**
 * Keto v26.2.0 seals the last row of a page and Hydra the id of the last client, each as JSON in base64: at most 2 300
 * characters where every character of a name has an escape. Wrapped in a cursor it stays far below the 16 KB of an
 * address.
 */
const PAGE_TOKEN_LENGTH_MAX = 4_096

/** A token as the server's answer holds it; empty behind the last page. Also what the OAuth2 server's lists give. */
export const PageToken = z
  .string()
  .max(PAGE_TOKEN_LENGTH_MAX, { abort: true })
  .regex(/^[\w.~+/=-]*$/, 'is no page token')

/** A sealed token that comes from a caller. Such servers have crashed on shorter ones, so those go no further. */
export const SentPageToken = PageToken.min(40, 'is no page token: send it as the page before gave it')

/** The position of a cursor: the last id of a page, or a sealed token. */
const Position = z.tuple([z.union([z.guid(), SentPageToken])])

/** A query's `cursor`; whether it is one of the list's, `readCursor` tells. */
export const Cursor = z.string().max(2 * PAGE_TOKEN_LENGTH_MAX)

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
