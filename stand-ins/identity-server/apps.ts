// The two ports: which routes they have and what stands before them. Everything they do is in the files named here.

import type { HttpBindings } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { healthRoutes, versionRoute } from '../service/health.ts'
import type { ServiceApp } from '../service/listen.ts'
import { addRoutes } from '../service/route-table.ts'
import { answerError, limitBody } from '../service/wire-answers.ts'
import { adminIdentityRoutes } from './admin-identities.ts'
import { adminIdentityListRoutes } from './admin-identity-lists.ts'
import { adminSessionRoutes } from './admin-sessions.ts'
import type { IdentityContext } from './context.ts'
import { cors } from './cors.ts'
import { csrfGate } from './csrf-gate.ts'
import { schemaRoutes } from './documents.ts'
import { loginRoutes } from './login.ts'
import { logoutRoutes } from './logout.ts'
import { pageRoutes } from './pages.ts'
import { registrationRoutes } from './registration.ts'
import { selfServiceErrorRoutes } from './self-service-errors.ts'
import { whoamiRoutes } from './whoami.ts'

const BODY_BYTES_MAX = 5 * 1024 * 1024

export function publicApp(context: IdentityContext): ServiceApp {
  const app: ServiceApp = new Hono<{ Bindings: HttpBindings }>()
  app.use(noStore, limitBody(BODY_BYTES_MAX), cors(context.allowedOrigins), csrfGate(context))
  addRoutes(
    app,
    [
      ...healthRoutes(context.db),
      ...schemaRoutes(context),
      ...whoamiRoutes(context),
      ...loginRoutes(context),
      ...registrationRoutes(context),
      ...logoutRoutes(context),
      ...selfServiceErrorRoutes(context),
      ...pageRoutes(context),
    ],
    answerError,
  )
  return app
}

/** Its routes stand without `/admin` and are found with it too. */
export function adminApp(context: IdentityContext): ServiceApp {
  const getPath = (req: Request) => new URL(req.url).pathname.replace(/^\/admin(?=\/)/, '')
  const app: ServiceApp = new Hono<{ Bindings: HttpBindings }>({ getPath })
  app.use(noStore, limitBody(BODY_BYTES_MAX))
  addRoutes(
    app,
    [
      ...healthRoutes(context.db),
      versionRoute,
      ...adminIdentityListRoutes(context),
      ...adminSessionRoutes(context),
      ...adminIdentityRoutes(context),
    ],
    answerError,
  )
  return app
}

/** Nothing here is for a cache: it is somebody's own, or true for a moment. */
const noStore: MiddlewareHandler = async (c, next) => {
  await next()
  if (c.req.method === 'GET') c.header('cache-control', 'private, no-cache, no-store, must-revalidate')
}
