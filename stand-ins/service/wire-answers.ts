// How the Kratos and Keto wires answer: JSON, and errors with their header.

import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { RequestContext } from './listen.ts'
import { toWireError, WireError } from './wire-error.ts'

/** JSON as Ory writes it when all is well, and for flows that failed. */
export function answerJson(c: RequestContext, value: unknown, status: 200 | 201 | 400 | 403 = 200): Response {
  return c.body(JSON.stringify(value), status, { 'content-type': 'application/json; charset=utf-8' })
}

/** Sends the caller of a path with doubled slashes, a mistake of its, to the right one. */
export const oneSlash: MiddlewareHandler = async (c, next) => {
  if (!c.req.path.includes('//')) return next()
  const { pathname, search } = new URL(c.req.url)
  return c.redirect(pathname.replace(/\/{2,}/g, '/') + search, 307)
}

/** A larger body is a 413. */
export function limitBody(maxSize: number): MiddlewareHandler {
  const onError = (c: RequestContext) =>
    answerError(c, new WireError(413, { message: 'http: request body too large' }))
  return bodyLimit({ maxSize, onError })
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
