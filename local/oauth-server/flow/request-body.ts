// Bodies of the admin API as Go reads them: one JSON value at the start, whatever the content type says.

import type * as z from 'zod'
import type { RequestContext } from '../context.ts'

/** A body that cannot be decoded; the message says how, in the manner of Go's decoder. */
export class UndecodableBodyError extends Error {}

/** The body as `schema` wants it. Throws `UndecodableBodyError`. `null` is an object without members, as in Go. */
export async function readJsonBody<S extends z.ZodType>(c: RequestContext, schema: S): Promise<z.output<S>> {
  const text = await c.req.text()
  if (text.trim() === '') throw new UndecodableBodyError('EOF')
  const parsed = schema.safeParse(parseJson(text) ?? {})
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new UndecodableBodyError(`json: cannot unmarshal ${issue?.path.join('.')}: ${issue?.message}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UndecodableBodyError('invalid character in the body, which is no JSON')
  }
}
