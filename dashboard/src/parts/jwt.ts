// Reads a JWT without judging it: its three parts, or which of them is no such part and why. Pure; whether the
// signature is right is asked elsewhere. RFC 7519, RFC 7515.

export type PartName = 'header' | 'payload' | 'signature'
export type Claims = Readonly<Record<string, unknown>>

export interface Jwt {
  kind: 'jwt'
  token: string
  header: Claims
  payload: Claims
  /** The same as they stand in the token: numbers of JavaScript round. */
  headerJson: string
  payloadJson: string
  /** Base64url, as it stands in the token; empty for a token that nobody has signed. */
  signature: string
}

export type JwtReading =
  | Jwt
  | { kind: 'empty' }
  /** `part` is undefined where there are no three parts. */
  | { kind: 'malformed'; part: PartName | undefined; problem: string }
  | { kind: 'opaque' }
  /** A JWE: all but its header is for whoever has the private key. RFC 7516. */
  | { kind: 'encrypted'; header: Claims; headerJson: string }

/** What people copy along with a token: the header's name, its scheme, quotes, line breaks. */
export function cleanToken(text: string): string {
  return text
    .trim()
    .replace(/^authorization:\s*/i, '')
    .replace(/^bearer\s+/i, '')
    .replace(/^["']|["'],?$/g, '')
    .replace(/\s+/g, '')
}

/** Reads a token that `cleanToken` has cleaned. Never throws. */
export function readJwt(token: string): JwtReading {
  if (token === '') return { kind: 'empty' }
  // Opaque tokens of Ory's servers have a dot too.
  if (/^ory_[a-z]{2}_/.test(token) || (!token.includes('.') && !token.startsWith('eyJ')))
    return { kind: 'opaque' }
  const parts = token.split('.')
  if (parts.length !== 3 && parts.length !== 5) return malformed(undefined, wrongNumber(parts.length))
  const [head = '', body = '', signature = ''] = parts
  const header = decodeObject(head)
  if (typeof header === 'string') return malformed('header', header)
  if (parts.length === 5) return { kind: 'encrypted', header: header.claims, headerJson: header.json }
  const payload = decodeObject(body)
  if (typeof payload === 'string') return malformed('payload', payload)
  const problem = base64Problem(signature)
  if (problem !== undefined) return malformed('signature', problem)
  return {
    kind: 'jwt',
    token,
    header: header.claims,
    payload: payload.claims,
    headerJson: header.json,
    payloadJson: payload.json,
    signature,
  }
}

function malformed(part: PartName | undefined, problem: string): JwtReading {
  return { kind: 'malformed', part, problem }
}

function wrongNumber(count: number): string {
  const has = count === 1 ? 'one part' : `${count} parts`
  return `It has ${has}. A signed JWT has three with dots between them: header, payload and signature.`
}

/** The object, or what is wrong with the text. */
function decodeObject(text: string): { claims: Claims; json: string } | string {
  if (text === '') return 'It is empty.'
  const problem = base64Problem(text)
  if (problem !== undefined) return problem
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), letter =>
    letter.charCodeAt(0),
  )
  let json: string
  try {
    json = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return 'It decodes from base64url, but not to UTF-8 text.'
  }
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { claims: value as Claims, json }
    return `It holds ${Array.isArray(value) ? 'a list' : JSON.stringify(value)}, not a JSON object.`
  } catch (err) {
    return `It decodes from base64url, but not to JSON: ${err instanceof Error ? err.message : String(err)}`
  }
}

/** RFC 4648 section 5, without padding. */
function base64Problem(text: string): string | undefined {
  const at = text.search(/[^\w-]/)
  if (at >= 0) {
    const more = /[+/=]/.test(text.charAt(at)) ? ': that is plain base64, not base64url' : ''
    return `Character ${at + 1}, “${text.charAt(at)}”, is not of base64url${more}.`
  }
  if (text.length % 4 === 1)
    return `It has ${text.length} characters, which no base64url text has: it is cut off.`
  return undefined
}
