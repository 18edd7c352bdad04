// How the Kratos and Keto wires answer: JSON, and errors with their header.

import { bodyLimit } from 'hono/body-limit'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { RequestContext } from './listen.ts'
import { toWireError, WireError } from './wire-error.ts'

/** JSON as Ory writes it when all is well, and for flows that failed. */
export function answerJson(c: RequestContext, value: unknown, status: 200 | 201 | 400 | 403 = 200): Response {
  return c.body(JSON.stringify(value), status, { 'content-type': 'application/json; charset=utf-8' })
}

/** A larger body is a 413. */
export function limitBody(maxSize: number) {
  const onError = (c: RequestContext) =>
    answerError(c, new WireError(413, { message: 'http: request body too large' }))
  return bodyLimit({ maxSize, onError })
}

/** The error of any kind as JSON. */
export function answerError(c: RequestContext, err: unknown): Response {
  const { body, beside, httpStatus } = toWireError(err)
  c.header('content-type', 'application/json')
  return c.body(JSON.stringify({ error: body, ...beside }), httpStatus as ContentfulStatusCode)
}
