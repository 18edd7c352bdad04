// URLs as Go's net/url takes them, where it and the browser's URL differ in what they refuse: relative ones, custom
// schemes without slashes, hosts with odd characters. Pure.

export interface GoUrl {
  /** In lower case, without the colon; empty when there is none. */
  readonly scheme: string
  /** What follows the scheme when it does not begin with a slash. */
  readonly opaque: string
  /** `name:password`, as written; undefined when there is none. */
  readonly user: string | undefined
  /** With its port, as written. */
  readonly host: string
  readonly path: string
  readonly query: string
  /** Whether it ends with a question mark that nothing follows. */
  readonly isQueryForced: boolean
  readonly fragment: string
}

const NOTHING: GoUrl = {
  scheme: '',
  opaque: '',
  user: undefined,
  host: '',
  path: '',
  query: '',
  isQueryForced: false,
  fragment: '',
}
const SCHEME = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s
/** A name, an IPv6 address in brackets, and perhaps a port; what is not ASCII may be percent-encoded. */
const HOST = /^(?:\[[0-9a-fA-F:.]*(?:%25[^\]]*)?\]|(?:[^[\]\s\\^`{|}%:]|%[89a-fA-F][0-9a-fA-F])*)(?::\d*)?$/
const USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/

/** As url.Parse; undefined when that would be an error. */
export function parseUrl(text: string): GoUrl | undefined {
  const cut = text.indexOf('#')
  if (cut < 0) return parseWithoutFragment(text, false)
  const fragment = text.slice(cut + 1)
  const url = parseWithoutFragment(text.slice(0, cut), false)
  return url && hasGoodEscapes(fragment) ? { ...url, fragment } : undefined
}

/** As url.ParseRequestURI: it must have a scheme or begin with a slash, and knows no fragment. */
export function parseRequestUri(text: string): GoUrl | undefined {
  return text === '' ? undefined : parseWithoutFragment(text, true)
}

function parseWithoutFragment(text: string, isRequest: boolean): GoUrl | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what Go refuses
  if (/[\x00-\x1f\x7f]/.test(text)) return undefined
  if (text === '*') return { ...NOTHING, path: '*' }
  if (text.startsWith(':')) return undefined
  const [, scheme = '', afterScheme = text] = SCHEME.exec(text) ?? []
  const [rest, query] = cutAt(afterScheme, '?')
  const isQueryForced = query === '' && afterScheme.endsWith('?')
  const found = { ...NOTHING, scheme: scheme.toLowerCase(), query, isQueryForced }
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...found, opaque: rest }
    if (isRequest || /^[^/]*:/.test(rest)) return undefined
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (!isRequest && !rest.startsWith('///')))
  const authority = hasAuthority ? (/^\/\/([^/]*)/.exec(rest)?.[1] ?? '') : ''
  const path = hasAuthority ? rest.slice(2 + authority.length) : rest
  const place = parseAuthority(authority)
  return place && hasGoodEscapes(path) ? { ...found, ...place, path } : undefined
}

function parseAuthority(authority: string): Pick<GoUrl, 'user' | 'host'> | undefined {
  const at = authority.lastIndexOf('@')
  const user = at < 0 ? undefined : authority.slice(0, at)
  const host = authority.slice(at + 1)
  const isGood = HOST.test(host) && (user === undefined || (USER.test(user) && hasGoodEscapes(user)))
  return isGood ? { user, host } : undefined
}

/** As URL.String, without what `origin`s may not have: path, query and fragment. */
export function originText({ scheme, opaque, user, host, isQueryForced }: GoUrl): string {
  const hasAuthority = opaque === '' && (host !== '' || user !== undefined)
  const authority = hasAuthority ? `//${user === undefined ? '' : `${user}@`}${host}` : ''
  return `${scheme}:${opaque}${authority}${isQueryForced ? '?' : ''}`
}

/** A segment of a path as Hydra escapes it in Location headers: twice. */
export function escapeSegment(segment: string): string {
  return encodeURIComponent(segment)
    .replace(/%(24|26|2B|3A|3D|40)/g, decodeURIComponent)
    .replace(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '%25')
}

/** The host without its port and brackets. */
export function hostnameOf({ host }: GoUrl): string {
  return host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
}

/** The port as written; empty when there is none. */
export function portOf({ host }: GoUrl): string {
  return /:(\d*)$/.exec(host)?.[1] ?? ''
}

function cutAt(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function hasGoodEscapes(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text)
}
