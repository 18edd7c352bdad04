// The body of a request, whatever its media type.

import type * as z from 'zod'
import { readJson } from '../service/json-body.ts'
import type { RequestContext } from '../service/listen.ts'
import { bodyText } from '../service/route-table.ts'
import { unreadable } from '../service/wire-error.ts'

/** The body as `schema` has it, `null` being `empty`; a 400 when it cannot be read. */
export async function readBody<S extends z.ZodType>(
  c: RequestContext,
  schema: S,
  empty?: unknown,
): Promise<z.output<S>> {
  return readJson(await bodyText(c), schema, unreadable, empty)
}
