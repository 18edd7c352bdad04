// Cross-origin answers of the public port, as Hydra gives them with `serve.public.cors` on and pages of this machine
// allowed, whatever their port. Only where Hydra has them: not where browsers are sent, nor for devices.

import type { MiddlewareHandler } from 'hono'

const LOOPBACK_ORIGIN = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/
/** What a request may carry: Hydra's `allowed_headers`. Its methods are all that there are. */
const REQUEST_HEADERS = new Set([
  ...['accept', 'accept-language', 'authorization'],
  ...['content-language', 'content-length', 'content-type'],
])
const EXPOSED =
  'Cache-Control, Expires, Last-Modified, Pragma, Content-Length, Content-Language, Content-Type'
const VARY_OF_PREFLIGHT = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'

/** Answers preflights, and lets pages of this machine read what the routes behind it answer. */
export const cors: MiddlewareHandler = async (c, next) => {
  const origin = c.req.header('origin')
  const method = c.req.header('access-control-request-method')
  if (c.req.method === 'OPTIONS' && method !== undefined)
    return preflight(origin, method, c.req.header('access-control-request-headers') ?? '')
  await next()
  for (const [name, value] of Object.entries(corsHeaders(origin))) c.header(name, value)
}

/** The headers of an answer to a page of this origin; for others, and where no page asks, `Vary` alone. */
function corsHeaders(origin: string | undefined): Record<string, string> {
  return {
    vary: 'Origin',
    ...(isAllowed(origin) && { ...allowing(origin), 'access-control-expose-headers': EXPOSED }),
  }
}

function preflight(origin: string | undefined, method: string, asked: string): Response {
  const names = asked.split(',').flatMap(name => name.trim().toLowerCase() || [])
  const isFine = isAllowed(origin) && names.every(name => REQUEST_HEADERS.has(name))
  const allowed = isFine && {
    ...allowing(origin),
    'access-control-allow-methods': method,
    ...(asked !== '' && { 'access-control-allow-headers': asked }),
  }
  return new Response(null, { status: 204, headers: { vary: VARY_OF_PREFLIGHT, ...allowed } })
}

function isAllowed(origin: string | undefined): origin is string {
  return origin !== undefined && LOOPBACK_ORIGIN.test(origin)
}

function allowing(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' }
}
