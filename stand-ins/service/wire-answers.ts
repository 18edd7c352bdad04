// How the Kratos and Keto wires answer: JSON, and errors with their header.

import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { RequestContext } from './listen.ts'
import { toWireError } from './wire-error.ts'

/** JSON as Ory writes it when all is well, and for flows that failed. */
export function answerJson(c: RequestContext, value: unknown, status: 200 | 201 | 400 | 403 = 200): Response {
  return c.body(JSON.stringify(value), status, { 'content-type': 'application/json; charset=utf-8' })
}

/** The error of any kind as JSON, with its id (mostly empty) in a header and the id that the request came with. */
export function answerError(c: RequestContext, err: unknown): Response {
  const { body, beside, httpStatus } = toWireError(err)
  c.header('content-type', 'application/json')
  c.header('ory-error-id', body.id ?? '')
  const request = c.req.header('x-request-id')
  const error = request === undefined ? body : { ...body, request }
  return c.body(JSON.stringify({ error, ...beside }), httpStatus as ContentfulStatusCode)
}
