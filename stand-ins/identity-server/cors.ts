// Cross-origin answers of the public port, as the real server's `serve.public.cors` gives them. By default any origin
// may read, but with `*` a browser sends no cookies across origins, whatever `Allow-Credentials` says: so a page that
// is to see who is signed in must be named. The admin port has none.

import type { MiddlewareHandler } from 'hono'
import * as service from '../service/cors.ts'

/** Lets pages of these origins read, with cookies; of every origin, without, where none is named. */
export function cors(allowedOrigins: readonly string[]): MiddlewareHandler {
  const named = (origin: string) => (allowedOrigins.includes(origin) ? origin : undefined)
  return service.cors({
    allow: allowedOrigins.length === 0 ? () => '*' : named,
    headers: [
      ...['accept', 'authorization', 'content-type', 'max-age', 'origin', 'x-requested-with'],
      ...['x-session-token', 'x-xsrf-token', 'x-csrf-token'],
    ],
    exposed: 'Content-Type',
  })
}
