// How answers leave, apart from JSON: nothing, and redirects with the small page that Go's HTTP server writes.

import { html } from 'hono/html'
import type { RequestContext } from './context.ts'

export function answerNothing(c: RequestContext): Response {
  return c.body(null, 204)
}

/** A redirect; only GET and HEAD get a body, the link to where it leads. */
export function answerRedirect(c: RequestContext, to: string, status: 302 | 303 | 307 = 303): Response {
  c.header('location', to)
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return c.body(null, status)
  return c.html(`${html`<a href="${to}">Redirect</a>`}.`, status)
}
