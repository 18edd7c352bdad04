// Bodies of the admin API as Go reads them: the first JSON value counts, whatever the content type says.

import type * as z from 'zod'
import type { RequestContext } from '../context.ts'
import { DecodeError, firstValue } from '../wire/go-json.ts'

/** The body as `schema` wants it; `null` is an object without members. Throws a `DecodeError`. */
export async function readJsonBody<S extends z.ZodType>(c: RequestContext, schema: S): Promise<z.output<S>> {
  const parsed = schema.safeParse(firstValue(await c.req.text()) ?? {})
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new DecodeError(`json: cannot unmarshal ${issue?.path.join('.')}: ${issue?.message}`)
}
