// How answers leave, apart from JSON: nothing, and redirects.

import type { RequestContext } from './context.ts'

export function answerNothing(c: RequestContext): Response {
  return c.body(null, 204)
}

export function answerRedirect(c: RequestContext, to: string): Response {
  return c.redirect(to, 303)
}
