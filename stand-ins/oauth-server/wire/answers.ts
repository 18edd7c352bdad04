// How answers leave this server: JSON with Hydra's media types, its errors, its empty answers.

import type { RequestContext } from '../context.ts'
import { HydraError, unrecognizable } from './hydra-error.ts'

/** JSON as the admin API and the documents give it. */
export function jsonAnswer(
  c: RequestContext,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): Response {
  return c.newResponse(`${JSON.stringify(body)}\n`, {
    status: status as 200,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  })
}

/** Of the header; undefined when there is none. RFC 6750 §2.1. */
export function bearerToken(c: RequestContext): string | undefined {
  return /^bearer (.*)$/i.exec(c.req.header('authorization') ?? '')?.[1]
}

export function noContent(c: RequestContext): Response {
  return c.body(null, 204)
}

/** A `HydraError` as it is; whatever else was thrown is logged and answered with a fixed sentence. */
export function errorAnswer(c: RequestContext, err: unknown): Response {
  // The stack alone: what Postgres says of a refused row holds the row.
  if (!(err instanceof HydraError)) console.error(err instanceof Error ? err.stack : err)
  const { status, error, description } = err instanceof HydraError ? err : unrecognizable()
  return c.newResponse(
    `${JSON.stringify({ error, error_description: description.replaceAll('"', "'") })}\n`,
    {
      status: status as 400,
      headers: { 'content-type': 'application/json' },
    },
  )
}
