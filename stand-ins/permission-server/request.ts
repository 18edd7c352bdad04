// What routes read of a request: its body, whatever the media type, and the depth.

import type * as z from 'zod'
import { readJson } from '../service/json-body.ts'
import type { RequestContext } from '../service/listen.ts'
import { unreadable } from '../service/wire-error.ts'

/** The body as `schema` has it, `null` being `empty`; a 400 when it cannot be read. */
export async function readBody<S extends z.ZodType>(
  c: RequestContext,
  schema: S,
  empty?: unknown,
): Promise<z.output<S>> {
  return readJson(await c.req.text(), schema, unreadable, empty)
}

/** `max-depth` of the query, 0 when it is not given; a 400 when it is no integer. */
export function readMaxDepth(query: URLSearchParams): number {
  const given = query.get('max-depth') ?? '0'
  if (/^[+-]?\d{1,15}$/.test(given)) return Number(given)
  throw unreadable('max-depth is no integer')
}
