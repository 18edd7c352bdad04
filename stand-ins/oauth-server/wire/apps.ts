// The apps of the two ports, without routes: how a path is read before a route is looked for, and what a path gets that
// no route has. The public port knows nothing but 404; the admin port tells a wrong method from an unknown path.

import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { ServiceApp } from '../../service/listen.ts'
import { errorAnswer } from './answers.ts'
import { limitBody } from './body-limit.ts'
import { unknownRoute } from './unknown-route.ts'

const ADMIN_PREFIX = '/admin'
const NO_CACHE = 'private, no-cache, no-store, must-revalidate'

/** An app of the public port. */
export function publicApp(): ServiceApp {
  return makeApp(path => path.replace(/\/$/, '')).notFound(unknownRoute)
}

/** An app of the admin port; its routes are registered with their whole path, `/admin/...`. */
export function adminApp(): ServiceApp {
  const readPath = (path: string) => withAdminPrefix(path.replace(/\/$/, ''))
  const app = makeApp(readPath)
  app.use(limitBody)
  return app.notFound(c => {
    const path = readPath(pathOf(c.req.raw))
    if (path === ADMIN_PREFIX) return unknownRoute(c)
    const allowed = methodsOf(app, path)
    if (allowed.length === 0) return c.text('404 page not found\n', 404)
    return c.text('Method Not Allowed\n', 405, { allow: allowed.join(', ') })
  })
}

function makeApp(readPath: (path: string) => string): ServiceApp {
  const app: ServiceApp = new Hono<{ Bindings: HttpBindings }>({ getPath: req => readPath(pathOf(req)) })
  app.use(async (c, next) => {
    const path = readPath(pathOf(c.req.raw))
    const plain = withoutEmptySegments(path) || '/'
    if (plain === path) await next()
    // The root of the public port thereby leads to itself, as with Go's mux.
    else c.res = c.redirect(`${plain}${new URL(c.req.url).search}`, 307)
    if (c.req.method === 'GET' && !c.res.headers.has('cache-control')) c.header('cache-control', NO_CACHE)
  })
  return app.onError((err, c) => errorAnswer(c, err))
}

/** The methods that some route has at that path, sorted; those of middleware do not count. */
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

function withAdminPrefix(path: string): string {
  return path.startsWith(ADMIN_PREFIX)
    ? path
    : withoutEmptySegments(`${ADMIN_PREFIX}/${path}`).replace(/\/$/, '')
}

function withoutEmptySegments(path: string): string {
  return path.replace(/\/{2,}/g, '/')
}
