// What a handler gets of a JSON body, or what the caller is told: through the app, on a route that asks for no
// credential.

import type * as z from 'zod'
import type { Deps } from '../../src/deps.ts'
import { createApp } from '../../src/http/app.ts'
import { defineRoute } from '../../src/http/route.ts'
import { encodeUtf8 } from '../../src/lib/utf8.ts'

/** The body as the schema gives it. Throws an error with what was answered: `message`, `code`, `detail` and `hint`. */
export async function bodyThroughRoute<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Promise<z.output<Schema>> {
  const bodies: z.output<Schema>[] = []
  const route = defineRoute({
    id: 'bodies.take',
    method: 'post',
    mounts: { '/bodies': 'none' },
    summary: 'Takes a body',
    body: schema,
    handle: async ({ body }) => {
      bodies.push(body as z.output<Schema>)
      return { status: 204, headers: {}, body: null }
    },
  })
  const sent = encodeUtf8(value === undefined ? '' : JSON.stringify(value))
  const response = await createApp(
    [route],
    () => ({}) as Deps,
    () => {},
  ).request('/bodies', {
    method: 'POST',
    body: sent,
    headers: { 'content-type': 'application/json', 'content-length': String(sent.length) },
  })
  if (!response.ok) {
    const { error, ...rest } = await response.json()
    throw Object.assign(new Error(error), rest)
  }
  return bodies[0] as z.output<Schema>
}
