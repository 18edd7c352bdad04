// Points in time as callers write them and Postgres reads them.

import * as z from 'zod'

/** ISO 8601 with an offset. Postgres knows no year 0, no offset of 16 hours or more, and no endless fractions. */
export const Instant = z.iso
  .datetime({ offset: true })
  .max(40, { abort: true })
  .refine(text => !text.startsWith('0000'), 'must be of the year 1 or later')
  .refine(text => !/[+-](?:1[6-9]|2\d):?\d\d$/.test(text), 'must have an offset of less than 16 hours')

interface Span {
  from?: string | undefined
  to?: string | undefined
}

/** Holds unless `from` is later than `to`: a mistake in the question, which would look like there being nothing. */
export const isForward = ({ from, to }: Span): boolean =>
  from === undefined || to === undefined || !(Date.parse(from) > Date.parse(to))

/** What a query that is not `isForward` is told. */
export const REVERSED = { path: ['from'], error: 'is later than query.to' }
