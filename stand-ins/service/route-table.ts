// Routes as a table, put onto a Hono app. Everything else, a wrong method too, is a 404.

import type { RequestContext, ServiceApp } from './listen.ts'

export type Handler = (c: RequestContext) => Response | Promise<Response>

export interface Route {
  /** `ANY` takes every method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ANY'
  /** With `:name` for a segment. Paths that are matched by another's `:name` stand before it. */
  readonly path: string
  readonly handle: Handler
}

/** Adds the routes, then the 404 and the errors, which `answerError` writes. Call it once, last. */
export function addRoutes(
  app: ServiceApp,
  routes: readonly Route[],
  answerError: (c: RequestContext, err: unknown) => Response,
): void {
  for (const { method, path, handle } of routes) app.on(method === 'ANY' ? 'ALL' : method, path, handle)
  app.notFound(c => c.text('404 page not found\n', 404))
  app.onError((err, c) => answerError(c, err))
}

/** The value of a `:name` of the path. */
export function pathParameter(c: RequestContext, name: string): string {
  const value = c.req.param(name)
  if (value === undefined) throw new Error(`the route has no :${name}`)
  return value
}

export function queryOf(c: RequestContext): URLSearchParams {
  return new URL(c.req.url).searchParams
}

/** Path and query as they were sent. */
export function pathAndQuery(c: RequestContext): string {
  const { pathname, search } = new URL(c.req.url)
  return pathname + search
}
