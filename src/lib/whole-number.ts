// Whole numbers in query strings.

import * as z from 'zod'

/**
 * Digits alone: `1e2` and `+5` are typing mistakes in a query string. What no number holds becomes the largest one, so
 * that the bound of the field is what refuses it.
 */
export const WholeNumber = z
  .string()
  .regex(/^\d+$/, 'must be a whole number, in digits alone')
  .transform(digits => Math.min(Number(digits), Number.MAX_SAFE_INTEGER))
