// The claims of a request object (OpenID Connect Core section 6). Its signature is not looked at: a flow that is here
// has passed the OAuth2 server, which has. Never to be used for anything that the server has not checked. Pure.

import { decodeBase64Url } from '../../../lib/base64url.ts'

export interface RequestObject {
  claims: Readonly<Record<string, unknown>>
  /** True: there is one, but not here (`request_uri`), or only the server can read it (encrypted). */
  isUnreadable: boolean
}

/** The request object among an authorization request's parameters; no claims when there is none. */
export function readRequestObject(query: URLSearchParams): RequestObject {
  const request = query.get('request') ?? ''
  const isElsewhere = (query.get('request_uri') ?? '') !== ''
  const claims = request === '' ? {} : claimsOf(request)
  return { claims: claims ?? {}, isUnreadable: isElsewhere || claims === undefined }
}

function claimsOf(request: string): Record<string, unknown> | undefined {
  const [, payload = '', ...rest] = request.split('.')
  const bytes = rest.length === 1 ? decodeBase64Url(payload) : undefined
  if (bytes === undefined) return undefined
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof claims === 'object' && claims !== null ? { ...claims } : undefined
  } catch {
    // Encrypted, or nothing that the server could have taken.
    return undefined
  }
}
