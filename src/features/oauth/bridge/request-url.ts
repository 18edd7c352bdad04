// What the address that a flow began with says: the OAuth2 server hands it on as it was, and some parameters stand
// nowhere else. Pure. Request objects (the parameter `request`) are not looked into.

/** What an authorization request asks of the sign-in. */
export interface SignInWishes {
  /** `prompt=login`: sign in now, whoever is signed in. */
  isFresh: boolean
  /** `prompt=none`: no page may be shown. */
  isSilent: boolean
  /** `max_age`: how many seconds ago the sign-in may have been at most. */
  maxAgeSeconds: number | undefined
}

/** OpenID Connect Core section 3.1.2.1. Without a readable address there are no wishes. */
export function signInWishes(requestUrl: string): SignInWishes {
  const query = parse(requestUrl)?.searchParams
  const prompts = (query?.get('prompt') ?? '').split(' ')
  const maxAge = query?.get('max_age') ?? ''
  return {
    isFresh: prompts.includes('login'),
    isSilent: prompts.includes('none'),
    maxAgeSeconds: /^\d{1,9}$/.test(maxAge) ? Number(maxAge) : undefined,
  }
}

/** True when the flow began on a device (RFC 8628): its address is the one that people type in. */
export function isDeviceFlow(requestUrl: string): boolean {
  return parse(requestUrl)?.pathname.endsWith('/oauth2/device/verify') ?? false
}

/** Where to start the flow again; a device's code is asked for anew. Undefined for an address that is no web address. */
export function restartUrl(requestUrl: string): string | undefined {
  const url = parse(requestUrl)
  if (url === undefined) return undefined
  return isDeviceFlow(requestUrl) ? `${url.origin}${url.pathname}` : url.href
}

/** As `restartUrl`, for somebody who wants to be somebody else. */
export function restartAsAnotherUrl(requestUrl: string): string | undefined {
  const restart = restartUrl(requestUrl)
  if (restart === undefined || isDeviceFlow(requestUrl)) return restart
  const url = new URL(restart)
  url.searchParams.set('prompt', 'login')
  return url.href
}

/** Where the application is told, for people to recognise: a host, or the scheme of an app on the device. */
export function destinationOf(requestUrl: string): string | undefined {
  const redirectUri = parse(requestUrl)?.searchParams.get('redirect_uri') ?? ''
  if (!URL.canParse(redirectUri)) return undefined
  const url = new URL(redirectUri)
  return isWeb(url) ? url.host : `an app on this device (${url.protocol}//)`
}

/** The address if a browser may be sent or linked there: http or https, never `javascript:`. */
export function webUrl(text: string | undefined): string | undefined {
  return text === undefined ? undefined : parse(text)?.href
}

function parse(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  return isWeb(url) ? url : undefined
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:'
}
