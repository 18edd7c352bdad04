// Cross-origin answers of the public port, as the real server's `serve.public.cors` gives them. By default any origin
// may read, but with `*` a browser sends no cookies across origins, whatever `Allow-Credentials` says: so a page that
// is to see who is signed in must be named. The admin port has none.

import type { MiddlewareHandler } from 'hono'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
const HEADERS = new Set([
  ...['accept', 'authorization', 'content-type', 'max-age', 'origin', 'x-requested-with'],
  ...['x-session-token', 'x-xsrf-token', 'x-csrf-token'],
])

/** Lets pages of these origins read, with cookies; of every origin, without, where none is named. */
export function cors(allowedOrigins: readonly string[]): MiddlewareHandler {
  return async (c, next) => {
    const origin = c.req.header('origin')
    const allowing = allowingOf(origin, allowedOrigins)
    const method = c.req.header('access-control-request-method')
    if (c.req.method === 'OPTIONS' && method !== undefined) return preflight(c.req.header(), method, allowing)
    await next()
    if (allowedOrigins.length > 0) c.header('vary', 'Origin', { append: true })
    if (allowing === undefined) return
    for (const [name, value] of Object.entries(allowing)) c.header(name, value)
    c.header('access-control-expose-headers', 'Content-Type')
  }
}

/** The headers that let a page of this origin read; undefined where it may not, and where no page asks. */
function allowingOf(origin: string | undefined, allowedOrigins: readonly string[]) {
  const isAllowed = origin !== undefined && (allowedOrigins.length === 0 || allowedOrigins.includes(origin))
  if (!isAllowed) return undefined
  return {
    'access-control-allow-origin': allowedOrigins.length === 0 ? '*' : origin,
    'access-control-allow-credentials': 'true',
  }
}

function preflight(
  headers: Record<string, string>,
  method: string,
  allowing: Record<string, string> | undefined,
): Response {
  const asked = headers['access-control-request-headers'] ?? ''
  const names = asked.split(',').flatMap(name => name.trim().toLowerCase() || [])
  const isFine = allowing !== undefined && METHODS.has(method) && names.every(name => HEADERS.has(name))
  if (!isFine) return new Response(null, { status: 204, headers: { vary: 'Origin' } })
  return new Response(null, {
    status: 204,
    headers: {
      ...allowing,
      vary: 'Origin',
      'access-control-allow-methods': method,
      ...(asked !== '' && { 'access-control-allow-headers': asked }),
    },
  })
}
