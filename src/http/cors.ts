// Cross-origin rules (design section 3.5). The Client API: any origin, no credentials. The dashboard layer: the dashboard's
// origin alone, with credentials.

const ALLOWED_METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS'
const EXPOSED_HEADERS =
  'Content-Profile, Content-Range, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, ' +
  'Server-Timing, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id'

/** Answers the browser's preflight; a browser sends no key with it, so it is not counted. */
export function preflightResponse(request: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': ALLOWED_METHODS,
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

/** Answers a preflight for `/api`: allowed for the dashboard's origin, and for no other. */
export function dashboardPreflightResponse(request: Request, dashboardUrl: string | undefined): Response {
  const allowed = dashboardCorsHeaders(request, dashboardUrl)
  const isDashboard = 'access-control-allow-origin' in allowed
  return new Response(null, {
    status: 204,
    headers: {
      ...allowed,
      ...(isDashboard && {
        'access-control-allow-methods': ALLOWED_METHODS,
        'access-control-allow-headers': 'content-type',
        'access-control-max-age': '86400',
      }),
      'x-request-id': crypto.randomUUID(),
    },
  })
}

/** Lets the dashboard's pages, and only those, read an answer of `/api`. */
export function dashboardCorsHeaders(
  request: Request,
  dashboardUrl: string | undefined,
): Record<string, string> {
  const origin = request.headers.get('origin')
  const isDashboard = dashboardUrl !== undefined && origin === new URL(dashboardUrl).origin
  if (!isDashboard) return { vary: 'Origin' }
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': EXPOSED_HEADERS,
  }
}
