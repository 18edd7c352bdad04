// Where the answer of a call is found: the paths of `Location` and `Content-Location`. Pure.

import type { Dialect } from '../dialect.ts'
import { decodePairs } from '../grammar/query-string.ts'
import type { DataCall } from '../run/data-session.ts'

/** A longer address is not one that clients can use. */
const ADDRESS_CHARACTERS_MAX = 4_096

/** The path with this query (without its question mark); undefined where that is too long. */
export function addressOf(
  { name, path }: Pick<DataCall, 'name' | 'path'>,
  { namesMount }: Pick<Dialect, 'namesMount'>,
  query: string,
): string | undefined {
  const base = namesMount ? path : `/${encode(name)}`
  const address = query === '' ? base : `${base}?${query}`
  return address.length <= ADDRESS_CHARACTERS_MAX ? address : undefined
}

/**
 * The query string as PostgREST writes it: parameters by name, the values of one that repeats behind a comma. It must
 * have been read without an error before.
 */
export function canonicalQuery(search: string): string {
  if (search.length < 2 || search.length > ADDRESS_CHARACTERS_MAX) return search.slice(1)
  const values = Map.groupBy(decodePairs(search), ([name]) => name)
  return [...values]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, pairs]) => `${encode(name)}=${pairs.map(([, value]) => encode(value)).join(',')}`)
    .join('&')
}

/** Everything but letters, digits and `-_.~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
