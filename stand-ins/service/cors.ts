// Cross-origin answers, as the real servers give them where `cors` is on: preflights, and what a page may read.

import type { MiddlewareHandler } from 'hono'

interface CorsRule {
  /** The origin that a page of `origin` is allowed by: its own, `*`, or undefined for none. */
  readonly allow: (origin: string) => string | undefined
  /** Of requests, in lower case. */
  readonly headers: readonly string[]
  /** Of answers. */
  readonly exposed: string
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Answers preflights, and lets pages of allowed origins read what the routes behind it answer. */
export function cors({ allow, headers, exposed }: CorsRule): MiddlewareHandler {
  return async (c, next) => {
    const origin = c.req.header('origin')
    const allowed = origin === undefined ? undefined : allow(origin)
    const allowing: Record<string, string> = allowed
      ? { 'access-control-allow-origin': allowed, 'access-control-allow-credentials': 'true' }
      : {}
    const method = c.req.header('access-control-request-method')
    if (c.req.method === 'OPTIONS' && method !== undefined) {
      const asked = c.req.header('access-control-request-headers') ?? ''
      const names = asked.split(',').flatMap(name => name.trim().toLowerCase() || [])
      const isFine = allowed && METHODS.has(method) && names.every(name => headers.includes(name))
      const answer = isFine && {
        ...allowing,
        'access-control-allow-methods': method,
        ...(asked !== '' && { 'access-control-allow-headers': asked }),
      }
      return new Response(null, { status: 204, headers: { vary: 'Origin', ...answer } })
    }
    await next()
    c.header('vary', 'Origin', { append: true })
    if (!allowed) return
    for (const [name, value] of Object.entries(allowing)) c.header(name, value)
    c.header('access-control-expose-headers', exposed)
  }
}
