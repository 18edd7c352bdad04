// Cross-origin answers of the public port, with the defaults of the real server: any origin may read, but with `*` a
// browser sends no cookies across origins, whatever `Allow-Credentials` says. The admin port has none.

import type { MiddlewareHandler } from 'hono'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
const HEADERS = new Set([
  ...['accept', 'authorization', 'content-type', 'max-age', 'origin', 'x-requested-with'],
  ...['x-session-token', 'x-xsrf-token', 'x-csrf-token'],
])

export const cors: MiddlewareHandler = async (c, next) => {
  const method = c.req.header('access-control-request-method')
  if (c.req.method === 'OPTIONS' && method !== undefined) return preflight(c.req.header(), method)
  await next()
  if (c.req.header('origin') === undefined) return
  c.header('access-control-allow-origin', '*')
  c.header('access-control-allow-credentials', 'true')
  c.header('access-control-expose-headers', 'Content-Type')
}

function preflight(headers: Record<string, string>, method: string): Response {
  const asked = headers['access-control-request-headers'] ?? ''
  const names = asked.split(',').flatMap(name => name.trim().toLowerCase() || [])
  const isAllowed =
    headers['origin'] !== undefined && METHODS.has(method) && names.every(name => HEADERS.has(name))
  if (!isAllowed) return new Response(null, { status: 204 })
  const allowed = {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': method,
    'access-control-allow-credentials': 'true',
  }
  return new Response(null, {
    status: 204,
    headers: asked === '' ? allowed : { ...allowed, 'access-control-allow-headers': asked },
  })
}
