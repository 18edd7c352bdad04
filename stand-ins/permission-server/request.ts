// What every handler reads of a request: its query and its body, both as Go does, whatever the media type.

import { DecodeError, firstValue } from '../service/go-json.ts'
import { readQuery } from '../service/go-query.ts'
import type { RequestContext } from '../service/listen.ts'
import { bodyText } from '../service/route-table.ts'
import { unreadable } from '../service/wire-error.ts'

export function goQueryOf(c: RequestContext): URLSearchParams {
  return readQuery(new URL(c.req.url))
}

/** The body by `decode`; a 400 that begins with `trouble` when it cannot be read. */
export async function readBody<T>(
  c: RequestContext,
  decode: (value: unknown) => T,
  trouble = '',
): Promise<T> {
  const body = await bodyText(c)
  try {
    return decode(firstValue(body))
  } catch (err) {
    throw err instanceof DecodeError ? unreadable(trouble + err.message) : err
  }
}

/** A list whose items `decode` reads; null is an empty one. Null as an item, at which Keto breaks, is refused. */
export function listOf<T>(value: unknown, decode: (item: unknown) => T, type: string): T[] {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) throw new DecodeError(`json: cannot unmarshal ${typeof value} into ${type}`)
  return value.map(item => {
    if (item === null) throw new DecodeError(`json: cannot unmarshal null into an item of ${type}`)
    return decode(item)
  })
}
