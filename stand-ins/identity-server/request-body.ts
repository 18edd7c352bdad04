// Bodies of the admin API and of apps. Their size is capped before (apps.ts).

import type * as z from 'zod'
import { readJson } from '../service/json-body.ts'
import { badRequest } from '../service/wire-error.ts'
import type { RequestContext } from './context.ts'

/** The body as `schema` has it, if it says that it is JSON; else a 400. */
export async function readJsonBody<S extends z.ZodType>(c: RequestContext, schema: S): Promise<z.output<S>> {
  if (mediaType(c) !== 'application/json') throw badRequest('Only application/json is supported.')
  return readJson(await c.req.text(), schema, badRequest)
}

export function mediaType(c: RequestContext): string {
  return (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}
