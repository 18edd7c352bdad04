// What the address that a flow began with says: the OAuth2 server hands it on as it was, and some parameters stand
// nowhere else. Pure. What a request object (OpenID Connect Core section 6) says beats the parameters beside it: those
// anybody may have written, and the server does not go by them.

import { readRequestObject } from './request-object.ts'

/** What an authorization request asks of the sign-in. */
export interface SignInWishes {
  /** `prompt=login`: sign in now, whoever is signed in. */
  isFresh: boolean
  /** `prompt=none`: no page may be shown. */
  isSilent: boolean
  /** `max_age`: how many seconds ago the sign-in may have been at most. */
  maxAgeSeconds: number | undefined
}

/**
 * OpenID Connect Core section 3.1.2.1. Without a readable address there are no wishes; a request object that only the
 * server can read may hold `prompt=login`.
 */
export function signInWishes(requestUrl: string): SignInWishes {
  const query = parse(requestUrl)?.searchParams ?? new URLSearchParams()
  const object = readRequestObject(query)
  const wish = (name: string) => String(object.claims[name] ?? query.get(name) ?? '')
  const prompts = wish('prompt').split(' ')
  const maxAge = wish('max_age')
  return {
    isFresh: object.isUnreadable || prompts.includes('login'),
    isSilent: prompts.includes('none'),
    maxAgeSeconds: /^\d{1,9}$/.test(maxAge) ? Number(maxAge) : undefined,
  }
}

/** True when the flow began on a device (RFC 8628): its address is the one that people type in. */
export function isDeviceFlow(requestUrl: string): boolean {
  return parse(requestUrl)?.pathname.endsWith('/oauth2/device/verify') ?? false
}

/**
 * Where to start the flow again; a device's code is asked for anew. Undefined for an address that is no web address.
 */
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

/** The part of a consent request that says where its answer can go. */
interface Answerable {
  request_url: string
  client: { redirect_uris: readonly string[] }
}

/**
 * Where the application is told, for people to recognise: a host, or the scheme of an app on the device. All those of
 * the client where the address does not say for certain which one it is.
 */
export function destinationOf({ request_url, client }: Answerable): string | undefined {
  if (isDeviceFlow(request_url)) return undefined
  const asked = askedRedirectUri(request_url)
  const isCertain = asked !== undefined && client.redirect_uris.includes(asked)
  const places = (isCertain ? [asked] : client.redirect_uris).flatMap(uri => placeOf(uri) ?? [])
  return places.length === 0 ? undefined : [...new Set(places)].join(' or ')
}

/** Undefined where the server may go by another one: that of a request object, or the second of two. */
function askedRedirectUri(requestUrl: string): string | undefined {
  const query = parse(requestUrl)?.searchParams
  if (query === undefined || query.has('request') || query.has('request_uri')) return undefined
  const [first, ...more] = query.getAll('redirect_uri')
  return more.length === 0 ? first : undefined
}

function placeOf(redirectUri: string): string | undefined {
  if (!URL.canParse(redirectUri)) return undefined
  const url = new URL(redirectUri)
  return isWeb(url) ? url.host : `an app on this device (${url.protocol}//)`
}

/** The address if a browser may be sent or linked there: http or https, never `javascript:`. */
export function webUrl(text: string | undefined): string | undefined {
  return text === undefined ? undefined : parse(text)?.href
}

/** A host as names, IPv4 and IPv6 addresses are written. Others are legal in URLs, with `;` and `,` in them. */
const PLAIN_HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/

/** As `webUrl`, of a host that can stand in a Content-Security-Policy without ending or adding directives. */
export function imageUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? undefined : parse(text)
  return url !== undefined && PLAIN_HOST.test(url.host) ? url.href : undefined
}

function parse(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  return isWeb(url) ? url : undefined
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:'
}
