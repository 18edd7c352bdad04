// What is known to be wrong before anything is sent. Pure. In the server's words and never stricter than it
// (src/features/oauth/clients): the server has the last one.

import { type ClientDraft, changedFields } from './draft.ts'

/** What no application can be sent back by; the server knows more of them. */
const REFUSED_SCHEMES = [
  'javascript',
  'data',
  'file',
  'about',
  'blob',
  'vbscript',
  'ftp',
  'mailto',
  'ws',
  'wss',
]

const NOT_IN_URIS = /[^\x21-\x7e]|["<>\\^`{|}]/

/** What a redirect URI cannot be; undefined for one that may be right, and for an empty row. */
export function redirectUriProblem(text: string): string | undefined {
  const uri = text.trim()
  if (uri === '') return undefined
  const scheme = /^([a-z][a-z0-9+.-]*):./i.exec(uri)?.[1]?.toLowerCase()
  if (scheme === undefined) return 'Must be an absolute URI, such as https://app.example.com/callback'
  if (uri.includes('#')) return 'Must not hold a fragment ("#")'
  if (REFUSED_SCHEMES.includes(scheme)) return `Must not use the scheme "${scheme}:"`
  if (NOT_IN_URIS.test(uri)) return 'Holds a character that must be percent-encoded'
  if (!URL.canParse(uri)) return 'Is not a valid URI'
  return scheme === 'http' || scheme === 'https' ? webProblem(uri) : undefined
}

function webProblem(uri: string): string | undefined {
  const { protocol, hostname, username, password } = new URL(uri)
  if (!/^https?:\/\/[^/]/i.test(uri)) return 'Must have a host after "//"'
  if (username !== '' || password !== '') return 'Must not hold a user name or password'
  if (hostname.includes('*')) return 'Must not hold a wildcard: every host is named by itself'
  if (protocol === 'http:' && !isLoopback(hostname))
    return 'Must use https: http is for 127.0.0.1, [::1] and localhost only'
  return undefined
}

function isLoopback(hostname: string): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(hostname) || hostname.endsWith('.localhost')
}

/** A problem for each row, or undefined; rows are numbered from 1, as they are shown. */
export function uriProblems(rows: readonly string[]): (string | undefined)[] {
  const texts = rows.map(row => row.trim())
  return texts.map((text, i) => {
    const first = texts.indexOf(text)
    return (
      redirectUriProblem(text) ??
      (text !== '' && first < i ? `Is the same as number ${first + 1}` : undefined)
    )
  })
}

/** Metadata are a JSON object. */
export function metadataProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? undefined : 'Must be an object: { "key": "value" }'
  } catch (err) {
    return err instanceof Error ? `Is no JSON: ${err.message}` : 'Is no JSON'
  }
}

export function authMethodProblem(draft: ClientDraft): string | undefined {
  const isRefused =
    draft.token_endpoint_auth_method === 'none' && draft.grant_types.includes('client_credentials')
  return isRefused
    ? 'None cannot go with the grant type client_credentials, in which the client proves who it is'
    : undefined
}

const CHECKS: Partial<Record<keyof ClientDraft, (draft: ClientDraft) => boolean>> = {
  redirect_uris: draft => uriProblems(draft.redirect_uris).some(Boolean),
  post_logout_redirect_uris: draft => uriProblems(draft.post_logout_redirect_uris).some(Boolean),
  metadata: draft => metadataProblem(draft.metadata) !== undefined,
  token_endpoint_auth_method: draft => authMethodProblem(draft) !== undefined,
  grant_types: draft => authMethodProblem(draft) !== undefined,
}

/**
 * The changed fields that cannot be saved as they are. What was odd before and is not touched does not count: the
 * server takes a change of other fields.
 */
export function wrongFields(from: ClientDraft, to: ClientDraft): (keyof ClientDraft)[] {
  return changedFields(from, to).filter(name => CHECKS[name]?.(to))
}
