// What a URI of a client must look like. Pure: each check answers what is wrong, or undefined. The OAuth2 server itself
// refuses little at registration (relative redirect URIs pass) and fails later, in front of the user.

export const URI_LENGTH_MAX = 2048

/**
 * Schemes that run or show something in the browser, or that a browser cannot be sent to. Any other scheme may be an
 * application's own (RFC 8252 section 7.1).
 */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set([
  'about',
  'blob',
  'data',
  'file',
  'filesystem',
  'ftp',
  'intent',
  'javascript',
  'mailto',
  'sms',
  'tel',
  'vbscript',
  'view-source',
  'ws',
  'wss',
])

/** RFC 3986 section 2: what else there is must be percent-encoded. */
const NOT_IN_URIS = /[^\x21-\x7e]|["<>\\^`{|}]/

/** A redirect URI is matched as text, so what is stored must be exactly what is sent (RFC 6749 section 3.1.2). */
export function redirectUriProblem(uri: string): string | undefined {
  const scheme = schemeOf(uri)
  if (scheme === undefined) return 'must be an absolute URI, such as https://app.example.com/callback'
  if (uri.includes('#')) return 'must not hold a fragment ("#")'
  if (REFUSED_SCHEMES.has(scheme)) return `must not use the scheme "${scheme}:"`
  if (scheme === 'https') return authorityProblem(uri)
  if (scheme === 'http') return authorityProblem(uri) ?? loopbackProblem(uri)
  return formProblem(uri)
}

/** An address that a browser or the OAuth2 server calls after logout. */
export function logoutUriProblem(uri: string): string | undefined {
  return uri.includes('#') ? 'must not hold a fragment ("#")' : linkProblem(uri)
}

/** An address that the consent screen shows. */
export function linkProblem(uri: string): string | undefined {
  const scheme = schemeOf(uri)
  return scheme === 'https' || scheme === 'http'
    ? authorityProblem(uri)
    : 'must be an absolute http or https address'
}

/** The OAuth2 server fetches it, and takes nothing but https (OpenID Connect Registration section 5). */
export function sectorUriProblem(uri: string): string | undefined {
  if (schemeOf(uri) !== 'https') return 'must be an absolute https address'
  return logoutUriProblem(uri)
}

function schemeOf(uri: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):./i.exec(uri)?.[1]?.toLowerCase()
}

function formProblem(uri: string): string | undefined {
  if (NOT_IN_URIS.test(uri)) return 'holds a character that must be percent-encoded'
  return URL.canParse(uri) ? undefined : 'is no valid URI'
}

/** `https:/host` and `https:host` are read as addresses by browsers and as something else by others. */
function authorityProblem(uri: string): string | undefined {
  const problem = formProblem(uri)
  if (problem !== undefined) return problem
  const { hostname, username, password } = new URL(uri)
  if (!/^https?:\/\/[^/]/i.test(uri)) return 'must have a host after "//"'
  if (username !== '' || password !== '') return 'must not hold a user name or password'
  return hostname.includes('*') ? 'must not hold a wildcard: every host is named by itself' : undefined
}

/** The OAuth2 server refuses other hosts when the user arrives (RFC 9700 section 2.6), unless it runs with --dev. */
function loopbackProblem(uri: string): string | undefined {
  const { hostname } = new URL(uri)
  const isLoopback =
    hostname === '127.0.0.1' ||
    hostname === '[::1]' ||
    hostname === 'localhost' ||
    hostname.endsWith('.localhost')
  return isLoopback ? undefined : 'must use https: http is for 127.0.0.1, [::1] and localhost only'
}
