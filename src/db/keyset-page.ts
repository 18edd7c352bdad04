// Pages of a table from the newest row to the oldest, by (created_at, id): no row is skipped or repeated, whatever is
// written in between. The statement asks for one row more than a page has, which tells whether there is a next one.

import * as z from 'zod'
import { DomainError } from '../errors.ts'
import { Instant } from '../lib/instant.ts'

/** The last row of a page: its exact time as Postgres wrote it, and its id. */
export interface KeysetPosition {
  createdAt: string
  id: string
}

const Position = z.tuple([Instant, z.uuid()])

/** The first `limit` of the rows, and where the list goes on; null: it is complete. */
export function pageOf<Row extends { created_at: string; id: string }>(
  rows: readonly Row[],
  limit: number,
): { page: Row[]; nextCursor: string | null } {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { page, nextCursor: last === undefined ? null : btoa(JSON.stringify([last.created_at, last.id])) }
}

/** Where a page begins that a caller asks for; null: at the newest row. Throws `invalid_parameter`. */
export function readCursor(cursor: string | undefined): KeysetPosition | null {
  if (cursor === undefined) return null
  try {
    const [createdAt, id] = Position.parse(JSON.parse(atob(cursor)))
    return { createdAt, id }
  } catch (cause) {
    throw new DomainError('invalid_parameter', 'query.cursor: not a cursor of this list.', {
      hint: 'Send next_cursor of the page before as it is, or leave cursor out for the first page.',
      cause,
    })
  }
}
