// How answers leave: JSON, errors with their header, redirects with the small page that Go's HTTP server writes.

import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { RequestContext } from './context.ts'
import { escapeHtml } from './html-text.ts'
import { toWireError } from './wire-error.ts'

/** JSON as Kratos writes it when all is well, and for flows that failed. */
export function answerJson(c: RequestContext, value: unknown, status: 200 | 201 | 400 = 200): Response {
  return c.body(JSON.stringify(value), status, { 'content-type': 'application/json; charset=utf-8' })
}

/** The error of any kind as JSON, with `Ory-Error-Id` (empty unless it has an id). */
export function answerError(c: RequestContext, err: unknown): Response {
  const { body, beside, httpStatus } = toWireError(err)
  c.header('content-type', 'application/json')
  c.header('ory-error-id', body.id ?? '')
  return c.body(JSON.stringify({ error: body, ...beside }), httpStatus as ContentfulStatusCode)
}

export function answerNothing(c: RequestContext): Response {
  return c.body(null, 204)
}

/** A redirect; only GET and HEAD get a body, the link to where it leads. */
export function answerRedirect(c: RequestContext, to: string, status: 302 | 303 | 307 = 303): Response {
  c.header('location', to)
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return c.body(null, status)
  return c.html(`<a href="${escapeHtml(to)}">Redirect</a>.\n`, status)
}
