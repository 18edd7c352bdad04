// The three ports: which routes they have and what stands before them.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { healthRoutes, versionRoute } from '../service/health.ts'
import type { ServiceApp } from '../service/listen.ts'
import { addRoutes, type Route } from '../service/route-table.ts'
import { answerError, limitBody } from '../service/wire-answers.ts'
import { WireError } from '../service/wire-error.ts'
import { checkRoutes } from './check-routes.ts'
import type { PermissionContext } from './context.ts'
import { readRoutes } from './read-routes.ts'
import { syntaxRoute } from './syntax-routes.ts'
import { writeRoutes } from './write-routes.ts'

/** Keto has no limit; thousands of tuples, or ids of a megabyte, are far below this one. */
const BODY_BYTES_MAX = 16 * 1024 * 1024
/** Of a permission text: it takes ten times as long to read as JSON does, and nobody else is answered meanwhile. */
const TEXT_BYTES_MAX = 1024 * 1024

export function readApp(context: PermissionContext): ServiceApp {
  return makeApp(context, [...checkRoutes(context), ...readRoutes(context)])
}

export function writeApp(context: PermissionContext): ServiceApp {
  return makeApp(context, writeRoutes(context), { token: context.writeToken })
}

export function syntaxApp(context: PermissionContext): ServiceApp {
  return makeApp(context, [syntaxRoute], { bytesMax: TEXT_BYTES_MAX })
}

interface Gate {
  /** What a caller of `/admin/*` must bear. */
  readonly token?: string | undefined
  /** Of a body. */
  readonly bytesMax?: number
}

function makeApp(
  { db }: PermissionContext,
  routes: readonly Route[],
  { token, bytesMax = BODY_BYTES_MAX }: Gate = {},
): ServiceApp {
  const app: ServiceApp = new Hono<{ Bindings: HttpBindings }>()
  if (token !== undefined) app.use('/admin/*', requireBearer(token))
  app.use(limitBody(bytesMax))
  addRoutes(app, [...healthRoutes(db), versionRoute, ...routes], answerError)
  return app
}

/** Keto itself asks for nothing: in production a gateway does. */
function requireBearer(token: string): MiddlewareHandler {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(token)
  return async (c, next) => {
    const [, given] = /^bearer +(.*)$/i.exec(c.req.header('authorization') ?? '') ?? []
    if (given === undefined || !timingSafeEqual(digest(given), expected))
      return answerError(
        c,
        new WireError(401, { reason: 'The bearer token of the write port is missing or wrong.' }),
      )
    await next()
  }
}
