// What a URI of a client must look like. Pure: each check answers what is wrong, or undefined. The OAuth2 server itself
// refuses little at registration (relative redirect URIs pass) and fails later, in front of the user.

import { targetProblem } from '../../../lib/target-address.ts'

export const URI_LENGTH_MAX = 2048

/** Run a script, or show what was written by whoever made the address. */
const SCRIPT_SCHEMES =
  'about blob cid data ecmascript feed filesystem jar javascript jscript livescript mhtml mid mocha pcast ' +
  'vbscript view-source wyciwyg x-javascript'
/** Pages and files that browsers and systems keep for themselves. */
const INNER_SCHEMES =
  'android-app brave chrome chrome-extension chrome-search chrome-untrusted content devtools edge ' +
  'edge-extension file firefox hcp help its mk moz-extension moz-icon opera res resource safari-extension ' +
  'safari-web-extension search search-ms shell vivaldi'
/** Other protocols, and programs of the system that act at once. */
const FOREIGN_SCHEMES =
  'afp callto dav davs facetime facetime-audio ftp ftps git gopher intent irc ircs itms itms-apps itms-services ldap ' +
  'ldaps mailto mms news nfs nntp rdp rtsp sftp sip sips sms smsto smb ssh tel telnet tftp vnc webcal ws wss'

/** Schemes that no application can be sent back by. Any other may be one of its own (RFC 8252 section 7.1). */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set(
  `${SCRIPT_SCHEMES} ${INNER_SCHEMES} ${FOREIGN_SCHEMES}`.split(' '),
)
/** Windows' settings, installers and office programs; not what it gives to applications for signing in. */
const WINDOWS_SCHEME = /^ms-(?!app$|appx-web$)/

/** RFC 3986 section 2: what else there is must be percent-encoded. */
const NOT_IN_URIS = /[^\x21-\x7e]|["<>\\^`{|}]/

/** A redirect URI is matched as text, so what is stored must be exactly what is sent (RFC 6749 section 3.1.2). */
export function redirectUriProblem(uri: string): string | undefined {
  const scheme = schemeOf(uri)
  if (scheme === undefined) return 'must be an absolute URI, such as https://app.example.com/callback'
  if (uri.includes('#')) return 'must not hold a fragment ("#")'
  if (REFUSED_SCHEMES.has(scheme) || WINDOWS_SCHEME.test(scheme))
    return `must not use the scheme "${scheme}:"`
  if (scheme === 'https') return authorityProblem(uri)
  if (scheme === 'http') return authorityProblem(uri) ?? loopbackProblem(uri)
  return formProblem(uri)
}

/** An address that a browser or the OAuth2 server calls after logout. */
export function logoutUriProblem(uri: string): string | undefined {
  return uri.includes('#') ? 'must not hold a fragment ("#")' : linkProblem(uri)
}

/** An address that the OAuth2 server posts to. Whether it leads into that server's network says `calledUriProblem`. */
export function backchannelUriProblem(uri: string): string | undefined {
  const problem = logoutUriProblem(uri)
  if (problem !== undefined) return problem
  return new URL(uri).protocol === 'http:' ? loopbackProblem(uri) : undefined
}

/**
 * Whether the OAuth2 server, which calls an address by itself and from inside, would call a machine that only it can
 * reach. For an address whose form is right. What its name resolves to is for that server to check (docs/deploy.md).
 */
export function calledUriProblem(uri: string, allowsLoopback: boolean): string | undefined {
  if (allowsLoopback && isLoopback(new URL(uri).hostname)) return undefined
  return targetProblem(uri, { allowPrivate: false, ownHosts: [] })
}

/**
 * An address that the consent screen shows. Its host stands in a policy there, of which other characters end a part.
 */
export function linkProblem(uri: string): string | undefined {
  const scheme = schemeOf(uri)
  if (scheme !== 'https' && scheme !== 'http') return 'must be an absolute http or https address'
  const problem = authorityProblem(uri)
  if (problem !== undefined) return problem
  return /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(new URL(uri).hostname)
    ? undefined
    : 'must have a host of letters, digits, "." and "-", or an address'
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
  return URL.canParse(uri) ? undefined : 'is not a valid URI'
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

const HTTPS_ONLY = 'must use https: http is for 127.0.0.1, [::1] and localhost only'

/** The OAuth2 server refuses other hosts when the user arrives (RFC 9700 section 2.6), unless it runs with --dev. */
function loopbackProblem(uri: string): string | undefined {
  return isLoopback(new URL(uri).hostname) ? undefined : HTTPS_ONLY
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === '127.0.0.1' ||
    hostname === '[::1]' ||
    hostname === 'localhost' ||
    hostname.endsWith('.localhost')
  )
}
