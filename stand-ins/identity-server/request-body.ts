// Bodies as the server's decoders read them. Their size is capped before (limits.ts).

import { isJsonObject, type Json } from '../service/json.ts'
import { badRequest, unreadable } from '../service/wire-error.ts'
import type { RequestContext } from './context.ts'

/** A JSON object for the admin's POST: the media type is not looked at, unknown fields are refused. */
export async function readStrictBody(
  c: RequestContext,
  known: readonly string[],
): Promise<Record<string, Json>> {
  const text = await c.req.text()
  if (text === '') throw unreadable('EOF')
  const body = parseJson(text, unreadable)
  if (body === null) return {}
  if (!isJsonObject(body)) throw unreadable(`json: cannot unmarshal ${nameOf(body)} into Go value`)
  refuseUnknown(body, known)
  return body
}

export function refuseUnknown(body: Readonly<Record<string, Json>>, known: readonly string[]): void {
  const unknown = Object.keys(body).find(name => !known.includes(name))
  if (unknown !== undefined) throw unreadable(`json: unknown field ${JSON.stringify(unknown)}`)
}

/** A JSON object said to be one; unknown fields are ignored by whoever reads it. */
export async function readJsonBody(c: RequestContext): Promise<Record<string, Json>> {
  const text = await c.req.text()
  if (text === '')
    throw badRequest('Unable to decode HTTP Request Body because its HTTP Header "Content-Length" is zero.')
  const type = mediaType(c)
  if (type !== 'application/json') {
    throw badRequest(
      `HTTP ${c.req.method} Request used unknown HTTP Header "Content-Type: ` +
        `${c.req.header('content-type') ?? ''}", only [application/json] are supported.`,
    )
  }
  const body = parseJson(text, message => badRequest(`Unable to decode JSON payload: ${message}`))
  if (body === null) return {}
  if (!isJsonObject(body))
    throw badRequest(`Unable to decode JSON payload: it is no object but ${nameOf(body)}`)
  return body
}

export function mediaType(c: RequestContext): string {
  return (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Parses JSON; an error of the caller's making when it is none. */
export function parseJson(text: string, fail: (message: string) => Error): Json {
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch (err) {
    throw fail(err instanceof Error ? err.message : 'no JSON')
  }
}

function nameOf(value: Json): string {
  return Array.isArray(value) ? 'array' : typeof value
}
