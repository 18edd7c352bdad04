// The bridge's own cookies. None of them holds anything about who is signed in: that is the identity provider's.

/** The value of a cookie in a Cookie header; undefined when it is not there. */
export function readCookie(cookieHeader: string | null, name: string): string | undefined {
  for (const pair of (cookieHeader ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}

/**
 * The full name of one of our cookies. Over https the prefix keeps a neighbouring subdomain from planting a cookie of
 * that name (RFC 6265bis section 4.1.3.2); browsers take it only together with Secure, so that http has none.
 */
export function cookieName(baseUrl: string, name: string): string {
  return baseUrl.startsWith('https:') ? `__Host-quoin_${name}` : `quoin_${name}`
}

/** A Set-Cookie value for a cookie that scripts cannot read; without `maxAgeSeconds` it ends with the browser. */
export function setCookie(
  baseUrl: string,
  { name, value, maxAgeSeconds }: { name: string; value: string; maxAgeSeconds?: number },
): string {
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(baseUrl, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${age}${secure}`
}
