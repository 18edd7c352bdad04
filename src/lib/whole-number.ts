// Whole numbers in query strings.

import * as z from 'zod'

/** Digits alone: `1e2` and `+5` are typing mistakes in a query string. */
export const WholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number of at most 9 digits')
  .transform(Number)
