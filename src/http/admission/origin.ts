// From which pages `/api` may be called. Cookies travel with every request that a browser sends to us, so a page of
// another origin could act for whoever is signed in: CSRF. The browser's own headers say where a request comes from.

import { DomainError } from '../../errors.ts'

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a changing request of another origin with `cross_site_request`. Allowed are our own origin and the
 * dashboard's; without `Origin` and `Sec-Fetch-Site` it is no browser. `Origin: null` (a sandboxed page) is refused.
 */
export function refuseCrossSite(request: Request, allowedOrigins: readonly string[]): void {
  if (SAFE_METHODS.has(request.method)) return
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  const isAllowed =
    origin === null
      ? site === null || site === 'same-origin' || site === 'none'
      : allowedOrigins.includes(origin)
  if (isAllowed) return
  throw new DomainError('cross_site_request', 'A page of another origin may not do this.', {
    detail: origin === null ? undefined : `Origin: ${origin.slice(0, 200)}`,
    hint: 'Call from this service or from the dashboard (DASHBOARD_URL), or from a server, which sends no Origin.',
  })
}

/** The origins of our own pages: ours, and the dashboard's where there is one. */
export function ownOrigins(baseUrl: string, dashboardUrl: string | undefined): string[] {
  return [baseUrl, dashboardUrl].filter(url => url !== undefined).map(url => new URL(url).origin)
}
