// Routes as a table, put onto a Hono app. A known path answers a wrong method with 405 and `Allow`, as Go's router
// does. Everything else is answered 404 as text.

import type { RequestContext, ServiceApp } from './listen.ts'

export type Handler = (c: RequestContext) => Response | Promise<Response>

export interface Route {
  /** `ANY` takes every method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ANY'
  /** With `:name` for a segment. Paths that are matched by another's `:name` stand before it. */
  readonly path: string
  readonly handle: Handler
}

/** Adds the routes, then the 405s, 404s and errors, which `answerError` writes. Call it once, last. */
export function addRoutes(
  app: ServiceApp,
  routes: readonly Route[],
  answerError: (c: RequestContext, err: unknown) => Response,
): void {
  for (const { method, path, handle } of routes) app.on(method === 'ANY' ? 'ALL' : method, path, handle)
  for (const path of new Set(routes.map(route => route.path))) {
    const allow = allowedMethods(routes.filter(route => route.path === path).map(route => route.method))
    app.all(path, c => {
      c.header('allow', allow)
      return answerText(c, 'Method Not Allowed', 405)
    })
  }
  app.notFound(c => answerText(c, '404 page not found', 404))
  app.onError((err, c) => answerError(c, err))
}

function answerText(c: RequestContext, text: string, status: 404 | 405): Response {
  return c.body(`${text}\n`, status, { 'content-type': 'text/plain; charset=utf-8' })
}

function allowedMethods(methods: readonly string[]): string {
  return [...new Set(methods.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : method)))]
    .sort()
    .join(', ')
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

/** The body as Go takes it: a byte order mark stays where it is, and no JSON begins with one. */
export async function bodyText(c: RequestContext): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await c.req.arrayBuffer())
}

/** Path and query as they were sent. */
export function pathAndQuery(c: RequestContext): string {
  const { pathname, search } = new URL(c.req.url)
  return pathname + search
}
