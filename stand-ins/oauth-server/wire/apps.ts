// The app of a port, without routes. A path that no route has is a 404, and so is a wrong method.

import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ServiceApp } from '../../service/listen.ts'
import { errorAnswer } from './answers.ts'
import { HydraError } from './hydra-error.ts'

const NO_CACHE = 'private, no-cache, no-store, must-revalidate'
/** Hydra has no such limit; nobody's client or key set is as large. */
const BODY_BYTES_MAX = 5 * 1024 * 1024

/** Paths count with and without `prefix`; routes are registered with it. */
export function makeApp(prefix = ''): ServiceApp {
  const getPath = (req: Request) => {
    const { pathname } = new URL(req.url)
    return pathname.startsWith(prefix) ? pathname : prefix + pathname
  }
  const app: ServiceApp = new Hono<{ Bindings: HttpBindings }>({ getPath })
  app.use(async (c, next) => {
    await next()
    if (c.req.method === 'GET' && !c.res.headers.has('cache-control')) c.header('cache-control', NO_CACHE)
  }, limitBody)
  // No JSON of the server's own: a client must not take a wrong path for a row that is missing.
  app.notFound(c => c.text('404 page not found\n', 404))
  return app.onError((err, c) => errorAnswer(c, err))
}

const limitBody = bodyLimit({
  maxSize: BODY_BYTES_MAX,
  onError: () => {
    throw new HydraError(413, 'The request is too large')
  },
})
