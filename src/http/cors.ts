// Cross-origin rules. The Client API, and what is not served: any origin, no credentials. The dashboard layer: the
// dashboard's origin alone, with credentials.

import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { wireOf } from './wires/wires.ts'

const ALLOWED_METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS'
/** The last lines are for files, and for resumable uploads (TUS). */
const EXPOSED_HEADERS =
  'Content-Location, Content-Profile, Content-Range, Link, Location, Preference-Applied, Proxy-Status, ' +
  'RateLimit, RateLimit-Policy, Retry-After, ' +
  'Server-Timing, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, ' +
  'Accept-Ranges, Content-Disposition, ETag, X-Total-Count, ' +
  'Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, ' +
  'Upload-Defer-Length, Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset'

/**
 * Whether pages of any origin may read answers of this path: of all but the dashboard's layer and the listener's. What
 * is not served is among them, or a page that calls it saw "Failed to fetch" in place of the hint.
 */
export function isForAnyOrigin(path: string): boolean {
  return !/^\/(?:api|internal)(?:\/|$)/.test(path)
}

/**
 * Whether a browser asks on behalf of a page, rather than somebody a route: it carries the page's origin. Of a wire
 * pages too ask with OPTIONS (TUS); a preflight says beside it which method it is for.
 */
export function isPreflight({ headers }: Request, path: string): boolean {
  if (!headers.has('origin') || !isForAnyOrigin(path)) return false
  return wireOf(path) === undefined || headers.has('access-control-request-method')
}

/** Answers the browser's preflight; a browser sends no key with it, so it is not counted. */
export function preflightResponse(request: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': `${ALLOWED_METHODS}, HEAD`,
      'access-control-allow-headers':
        request.headers.get('access-control-request-headers') ??
        'apikey, authorization, content-type, prefer',
      'access-control-max-age': '86400',
      vary: 'Access-Control-Request-Headers',
      'x-request-id': crypto.randomUUID(),
    },
  })
}

/** Lets a page of any origin read the answer and its headers. */
export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
} as const

const allowOrigin = cors({
  origin: origin => origin,
  allowMethods: [ALLOWED_METHODS],
  allowHeaders: ['accept', 'accept-profile', 'content-profile', 'content-type', 'prefer', 'range'],
  exposeHeaders: [EXPOSED_HEADERS],
  maxAge: 86_400,
  credentials: true,
})

/**
 * Lets the dashboard's pages, and only those, read an answer of `/api`. Hono's alone would tell others what is
 * allowed.
 */
export function dashboardCors(
  dashboardUrlOf: (env: object) => string | undefined,
): MiddlewareHandler<{ Bindings: object }> {
  return async (c, next) => {
    // The answer that opens a WebSocket takes no more headers, and pages read none of it.
    if (c.req.header('upgrade')?.toLowerCase() === 'websocket') return await next()
    const isPreflight = c.req.method === 'OPTIONS'
    if (isPreflight) c.header('x-request-id', crypto.randomUUID())
    const url = dashboardUrlOf(c.env)
    if (url !== undefined && c.req.header('origin') === new URL(url).origin) return await allowOrigin(c, next)
    if (isPreflight) c.res = c.body(null, 204)
    else await next()
    c.header('vary', 'Origin', { append: true })
  }
}
