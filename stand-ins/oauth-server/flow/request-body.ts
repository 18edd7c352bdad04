// Bodies of the admin API as Go reads them: the first JSON value counts, whatever the content type says.

import type * as z from 'zod'
import { DecodeError, firstValue } from '../../service/go-json.ts'
import type { RequestContext } from '../context.ts'

/** The body as `schema` wants it; `null` is an object without members. Throws a `DecodeError`. */
export async function readJsonBody<S extends z.ZodObject>(
  c: RequestContext,
  schema: S,
): Promise<z.output<S>> {
  const parsed = schema.safeParse(withKnownNames(firstValue(await c.req.text()) ?? {}, schema))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new DecodeError(`json: cannot unmarshal ${issue?.path.join('.')}: ${issue?.message}`)
}

/** Go finds a member whatever the case of its name. */
function withKnownNames(value: unknown, { shape }: z.ZodObject): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const names = new Map(Object.keys(shape).map(name => [name.toLowerCase(), name]))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [names.get(name.toLowerCase()) ?? name, member]),
  )
}
