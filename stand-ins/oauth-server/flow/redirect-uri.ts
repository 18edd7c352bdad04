// Which redirect URI an authorization request may use (pure). RFC 6749 §3.1.2.3 (simple string comparison) and
// RFC 8252 §7.3 (a loopback address may come with any port).

/**
 * The redirect URI that answers go to: the requested one when it is registered, the only registered one when none is
 * requested; undefined when neither holds, it is no absolute URI, or one that would run as a script.
 */
export function matchRedirectUri(
  requested: string | null | undefined,
  registered: readonly string[],
): string | undefined {
  const candidate = requested ? findRegistered(requested, registered) : onlyOne(registered)
  return candidate !== undefined && isAbsolute(candidate) && !runsScript(candidate) ? candidate : undefined
}

/** Whether a page of ours that holds this address as a form's action or a frame could be made to run it as a script. */
export function runsScript(uri: string): boolean {
  return SCRIPT_PROTOCOLS.includes(URL.parse(uri)?.protocol ?? '')
}

const SCRIPT_PROTOCOLS = ['javascript:', 'data:', 'vbscript:']

/** https, a scheme of an app's own, or http on this machine. */
export function isSecureRedirect(redirectUri: string): boolean {
  return !redirectUri.startsWith('http:') || isLocalhost(redirectUri)
}

/** https, or http on this machine: addresses that no other app of a device can claim. */
export function isClaimedRedirect(redirectUri: string): boolean {
  return redirectUri.startsWith('https:') || (redirectUri.startsWith('http:') && isLocalhost(redirectUri))
}

function onlyOne(registered: readonly string[]): string | undefined {
  return registered.length === 1 ? registered[0] : undefined
}

function findRegistered(requested: string, registered: readonly string[]): string | undefined {
  return registered.some(uri => uri === requested || isSameLoopback(requested, uri)) ? requested : undefined
}

function isSameLoopback(requested: string, registered: string): boolean {
  const [asked, known] = [URL.parse(requested), URL.parse(registered)]
  if (asked?.protocol !== 'http:' || !known || !isLoopbackAddress(asked.hostname)) return false
  return (
    known.hostname === asked.hostname && known.pathname === asked.pathname && known.search === asked.search
  )
}

function isAbsolute(uri: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(uri) && !uri.includes('#') && URL.parse(uri) !== null
}

function isLocalhost(uri: string): boolean {
  const hostname = URL.parse(uri)?.hostname ?? ''
  return hostname === 'localhost' || hostname.endsWith('.localhost') || isLoopbackAddress(hostname)
}

function isLoopbackAddress(hostname: string): boolean {
  return /^127(\.\d{1,3}){3}$/.test(hostname) || hostname === '[::1]'
}
