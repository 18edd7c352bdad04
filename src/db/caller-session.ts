// The database session of a caller: who they act as, and what policies, triggers and functions may
// read of the request. The one place that decides both.

import type { DatabaseRole, DataSession } from './database.ts'

/** What of a request reaches the database. */
export interface DatabaseCaller {
  /** As the API key and DATA_USER_ROLE decide; a session of the dashboard is service_role. */
  readonly role: DatabaseRole
  /** Claims of the signed-in user; null when only a key came. */
  readonly claims: Readonly<Record<string, unknown>> | null
  /** Whose connections the call takes, as `key/client`. */
  readonly share: string
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly headers: Headers
}

/** SQL may read every other header of the request (`request.headers`); these hold credentials. */
const HIDDEN_HEADERS: ReadonlySet<string> = new Set([
  'apikey',
  'authorization',
  'cf-access-client-secret',
  'cf-access-jwt-assertion',
  'cookie',
  'proxy-authorization',
  'x-session-cookie',
  'x-session-token',
  'x-signature',
])

/**
 * Of the identity provider, the OAuth2 server, the bridge and Cloudflare Access: SQL that had them could sign in as the
 * person. A comma is where a proxy may have joined two Cookie headers.
 */
const HIDDEN_COOKIES = /(?:^|,)\s*"?(?:__(?:host|secure)-)?(?:ory_|csrf_token|quoin_|cf_authorization)/i

/**
 * JSON text for `request.jwt.claims`. The OAuth2 server puts configured claims under `ext`; policies of Supabase look
 * for them beside `sub`, so they stand there too, behind all that the token itself says. `role` is always this one.
 */
export function callerClaims(role: DatabaseRole, claims: Readonly<Record<string, unknown>>): string {
  const { ext } = claims
  const configured = typeof ext === 'object' && ext !== null ? ext : {}
  return JSON.stringify({ ...configured, sub: undefined, ...claims, role })
}

const CLAIMS_WITHOUT_USER = {
  anon: callerClaims('anon', {}),
  service_role: callerClaims('service_role', {}),
  authenticated: callerClaims('authenticated', {}),
}

/** The caller's session. */
export function callerSession(
  caller: DatabaseCaller,
  searchPath: readonly string[],
  timeoutMs: number,
): DataSession {
  const headers: Record<string, string> = {}
  // Half as costly as its iterator.
  caller.headers.forEach((value, name) => {
    if (!HIDDEN_HEADERS.has(name)) headers[name] = value
  })
  return {
    role: caller.role,
    claims:
      caller.claims === null ? CLAIMS_WITHOUT_USER[caller.role] : callerClaims(caller.role, caller.claims),
    share: caller.share,
    requestId: caller.requestId,
    searchPath,
    timeoutMs,
    method: caller.method,
    path: caller.path,
    headers: JSON.stringify(headers),
    cookies: cookiesJson(caller.headers.get('cookie')),
  }
}

/** Values as they came; of a repeated name the last. */
function cookiesJson(header: string | null): string {
  if (header === null) return '{}'
  const parts = header.split(';').map(part => part.trim())
  const pairs = parts
    .filter(part => !HIDDEN_COOKIES.test(part))
    .map(part => {
      const [name = '', ...value] = part.split('=')
      return [name.trim(), value.join('=').trim()] as const
    })
  return JSON.stringify(Object.fromEntries(pairs.filter(([name]) => name !== '')))
}
