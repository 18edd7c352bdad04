// Which answer a path gets that no route has: Hydra's public port knows nothing but 404, as JSON or a page; its admin
// port tells a wrong method (405) from an unknown path, both as plain text.

import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { ServiceApp } from '../../service/listen.ts'
import type { RequestContext } from '../context.ts'
import { errorAnswer, jsonAnswer } from './answers.ts'

const ADMIN_PREFIX = '/admin'
const NO_CACHE = 'private, no-cache, no-store, must-revalidate'
const REASON = 'The requested route does not exist. Make sure you are using the right path, domain, and port.'

/** An app of the public port, without routes yet. */
export function publicApp(): ServiceApp {
  const app = new Hono<{ Bindings: HttpBindings }>({ getPath: req => trimSlash(pathOf(req)) })
  return prepare(app).notFound(unknownPage)
}

/** An app of the admin port; its routes are registered with their whole path, `/admin/...`. */
export function adminApp(): ServiceApp {
  const app = new Hono<{ Bindings: HttpBindings }>({
    getPath: req => withAdminPrefix(trimSlash(pathOf(req))),
  })
  return prepare(app).notFound(c => {
    const path = withAdminPrefix(trimSlash(pathOf(c.req.raw)))
    if (path === ADMIN_PREFIX) return unknownPage(c)
    const allowed = methodsOf(app, path)
    if (allowed.length === 0) return c.text('404 page not found\n', 404)
    return c.text('Method Not Allowed\n', 405, { allow: allowed.join(', ') })
  })
}

function prepare(app: ServiceApp): ServiceApp {
  app.use(async (c, next) => {
    await next()
    if (c.req.method === 'GET' && !c.res.headers.has('cache-control')) c.header('cache-control', NO_CACHE)
  })
  return app.onError((err, c) => errorAnswer(c, err))
}

/** JSON or a page, as the caller accepts. */
function unknownPage(c: RequestContext): Response {
  const accept = c.req.header('accept') ?? ''
  if (/text\/html|application\/xhtml/.test(accept)) return c.html(PAGE, 404)
  return jsonAnswer(c, { error: { code: 404, message: 'Not Found', reason: REASON } }, 404)
}

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>404 - Route not found</title><p>${REASON}</p></html>\n`

/** The methods that some route has at that path; those of middleware do not count. */
function methodsOf(app: ServiceApp, path: string): string[] {
  const methods = [...new Set(app.routes.map(route => route.method))].filter(method => method !== 'ALL')
  const hasRoute = (method: string) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method)
  const found = methods.filter(hasRoute)
  return (found.includes('GET') ? [...found, 'HEAD'] : found).sort()
}

function pathOf(req: Request): string {
  return new URL(req.url).pathname
}

function trimSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}

function withAdminPrefix(path: string): string {
  return path.startsWith(ADMIN_PREFIX) ? path : `${ADMIN_PREFIX}${path}`
}
