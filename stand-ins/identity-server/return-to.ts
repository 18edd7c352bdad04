// Where a browser may be sent back to: the rule for `return_to`. Stops open redirects. Pure.

import { badRequest, WireError } from '../service/wire-error.ts'

export interface ReturnRule {
  readonly allowed: readonly string[]
  /** Its host and scheme complete a relative `return_to`. */
  readonly fallback: string
}

interface Parts {
  readonly scheme: string
  readonly authority: string
  readonly host: string
  /** Path, query and fragment as written. */
  readonly rest: string
  readonly path: string
  /** As `javascript:…` and `mailto:…`: a scheme and no host. */
  readonly isOpaque: boolean
}

const HOST = /^([^:]*|\[[^\]]*\])(:\d*)?$/

/**
 * The URL to go to: the fallback without a `return_to`, the URL with the fallback's origin for a relative one. Throws
 * 400 `self_service_flow_return_to_forbidden` for one that is not allowed and 400 without an id for one that is no
 * URL.
 */
export function resolveReturnTo(rule: ReturnRule, returnTo: string | undefined): string {
  if (!returnTo || rule.allowed.length === 0) return rule.fallback
  const wanted = parseUrl(returnTo)
  const fallback = parseUrl(rule.fallback)
  const scheme = (wanted.scheme || fallback.scheme).toLowerCase()
  const host = wanted.host || fallback.host
  const url = wanted.isOpaque
    ? returnTo
    : `${scheme}://${wanted.host === '' ? fallback.authority : wanted.authority}` +
      `${/^([/?#]|$)/.test(wanted.rest) ? '' : '/'}${wanted.rest}`
  const isAllowed =
    !wanted.isOpaque && rule.allowed.some(entry => isUnder(parseUrl(entry), scheme, host, wanted.path))
  if (isAllowed) return url
  throw new WireError(400, {
    id: 'self_service_flow_return_to_forbidden',
    reason: `Requested return_to URL ${JSON.stringify(url)} is not allowed.`,
  })
}

function isUnder(entry: Parts, scheme: string, host: string, path: string): boolean {
  if (entry.scheme.toLowerCase() !== scheme.toLowerCase()) return false
  const [wanted, allowed] = [host.toLowerCase(), entry.host.toLowerCase()]
  const isHost = allowed.startsWith('*') ? wanted.endsWith(allowed.slice(1)) : wanted === allowed
  return isHost && (path || '/').startsWith(entry.path || '/')
}

/**
 * By the grammar of RFC 3986 and not as browsers do: where the two read another host, the text is refused or escaped.
 */
function parseUrl(text: string): Parts {
  const match = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?(([^?#]*).*)$/s.exec(text)
  const [, scheme = '', authority = '', rest = '', path = ''] = match ?? []
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const hasControls = [...text].some(char => char < ' ' || char === '\u007f')
  // Browsers read a backslash as a slash: `http://evil.example\@allowed.example/` would lead them to the first host.
  if (hasControls || /[\\ ]/.test(authority) || !HOST.test(host) || hasBadEscape(host) || hasBadEscape(path))
    throw badRequest(`Unable to parse the return_to query parameter as an URL: parse ${JSON.stringify(text)}`)
  const isOpaque = scheme !== '' && authority === '' && !rest.startsWith('/')
  return {
    scheme,
    authority,
    host,
    rest: rest.replaceAll('\\', '%5C').replaceAll(' ', '%20'),
    path,
    isOpaque,
  }
}

function hasBadEscape(text: string): boolean {
  return /%(?![0-9A-Fa-f]{2})/.test(text)
}
