// Which rows of a result are wanted (limit, offset, Range), and how the answer says which ones it has. Pure.

import { DomainError } from '../../../errors.ts'
import type { Dialect } from '../dialect.ts'
import type { DataQuery } from './query-ast.ts'

export interface Page {
  readonly limit: number
  readonly offset: number
}

/** Offsets beyond this lose digits in a number; no table has so many rows. */
const OFFSET_MAX = 1e12

/**
 * The page asked for by the query string and, on reads, a `Range` header. Throws `invalid_parameter` or
 * `invalid_range`.
 */
export function parsePage(
  query: Pick<DataQuery, 'limit' | 'offset'>,
  range: string | null,
  dialect: Dialect,
): Page {
  const { isPageStrict, rowLimit } = dialect
  const limit = isPageStrict ? strictLimit(query.limit, dialect) : lenientLimit(query.limit)
  const offset = isPageStrict ? strictOffset(query.offset) : Math.max(0, wholeNumber(query.offset) ?? 0)
  const page = intersectRange({ limit: limit ?? Number.POSITIVE_INFINITY, offset }, range)
  if (!isPageStrict && page.limit === 0 && limit !== 0) throw negativeLimit()
  return {
    offset: page.offset,
    limit: Math.min(page.limit, limit === undefined ? rowLimit.unsaid : rowLimit.max),
  }
}

function strictLimit(text: string | undefined, { rowLimit: { unsaid, max } }: Dialect): number | undefined {
  if (text === undefined) return undefined
  const limit = wholeNumber(text)
  if (limit !== undefined && limit >= 0 && limit <= max) return limit
  throw new DomainError('invalid_parameter', `"limit" must be a whole number from 0 to ${max}.`, {
    detail: `limit=${text.slice(0, 100)}`,
    hint: `Without it a read returns at most ${unsaid} rows; use offset to read on.`,
  })
}

function lenientLimit(text: string | undefined): number | undefined {
  const limit = wholeNumber(text)
  if (limit !== undefined && limit < 0) throw negativeLimit()
  return limit
}

/** PostgREST says the same of a limit and a `Range` that have no row in common. */
function negativeLimit(): DomainError {
  return invalidRange('Limit should be greater than or equal to zero.')
}

function strictOffset(text: string | undefined): number {
  if (text === undefined) return 0
  const offset = wholeNumber(text)
  if (offset !== undefined && offset >= 0 && offset <= OFFSET_MAX) return offset
  throw new DomainError('invalid_parameter', `"offset" must be a whole number from 0 to ${OFFSET_MAX}.`, {
    detail: `offset=${text.slice(0, 100)}`,
  })
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** `Range: 0-9` counts rows, not bytes; anything else is no range of ours and is ignored (RFC 9110 section 14.2). */
function intersectRange(page: Page, range: string | null): Page {
  if (range === null) return page
  const match = /^(?:items=)?(\d{1,12})-(\d{0,12})$/.exec(range)
  if (!match) return page
  const first = Number(match[1])
  const last = match[2] ? Number(match[2]) : Number.POSITIVE_INFINITY
  if (first > last) {
    throw invalidRange(
      'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    )
  }
  const offset = Math.max(page.offset, first)
  const end = Math.min(page.offset + page.limit, last + 1)
  return { offset, limit: Math.max(0, end - offset) }
}

function invalidRange(detail: string, totalRows?: number): DomainError {
  return new DomainError('invalid_range', 'Requested range not satisfiable', { detail, totalRows })
}

/** `0-4/5`; `*` for no rows and for a total that nobody asked for. */
export function contentRange(offset: number, rowCount: number, total: number | null): string {
  const rows = rowCount === 0 ? '*' : `${offset}-${offset + rowCount - 1}`
  return `${rows}/${total ?? '*'}`
}

/**
 * 206 when the total is known and not all of it is here. Throws `invalid_range` when the page begins behind the end.
 */
export function pageStatus({ offset }: Page, rowCount: number, total: number | null): 200 | 206 {
  if (total === null) return 200
  if (offset > total) {
    throw invalidRange(`An offset of ${offset} was requested, but there are only ${total} rows.`, total)
  }
  return rowCount < total ? 206 : 200
}
