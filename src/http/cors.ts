// Cross-origin rules of the Client API: any origin, no credentials (design section 3.5).

const ALLOWED_METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS'
const EXPOSED_HEADERS =
  'Content-Profile, Content-Range, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Server-Timing, ' +
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id'

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
