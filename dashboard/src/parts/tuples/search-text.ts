// Names from outside in the address. The router reads `42` there as a number, and puts such a text in quotation marks.

import { defaultStringifySearch } from '@tanstack/react-router'
import * as z from 'zod/mini'

/** A text in the address; one that somebody typed there may look like a number. */
export const SearchText = z.catch(
  z.optional(z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String))),
  undefined,
)

/** `path?...` with values that come back as they are. */
export function addressOf(
  path: string,
  search: Readonly<Record<string, string | boolean | undefined>>,
): string {
  return path + defaultStringifySearch(search)
}
