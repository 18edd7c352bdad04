// What a token shows by itself, to whoever has only its text. Pure; verifies nothing.

export type TokenKind = 'access_token' | 'refresh_token' | 'code' | 'id_token' | 'jwt' | 'api_key' | 'unknown'

export interface TokenLooks {
  kind: TokenKind
  /** From the `exp` of a JWT. */
  expiresAt: Date | null
  /** Something in it is in no token: it was not copied as it is. */
  isDamaged: boolean
}

/** Ory's servers begin their opaque tokens so, Quoin its API keys. */
const PREFIXES: readonly [prefix: string, kind: TokenKind][] = [
  ['ory_at_', 'access_token'],
  ['ory_rt_', 'refresh_token'],
  ['ory_ac_', 'code'],
  ['svc_pk_', 'api_key'],
  ['svc_sk_', 'api_key'],
]

export function looksOf(token: string): TokenLooks {
  const isDamaged = /[\s…"'<>]|\.\.\./.test(token)
  const prefixed = PREFIXES.find(([prefix]) => token.startsWith(prefix))
  if (prefixed !== undefined) return { kind: prefixed[1], expiresAt: null, isDamaged }
  const claims = claimsOf(token)
  if (claims === undefined) return { kind: 'unknown', expiresAt: null, isDamaged }
  const { exp } = claims
  const expiresAt = typeof exp === 'number' ? new Date(exp * 1_000) : null
  return { kind: isIdToken(claims) ? 'id_token' : 'jwt', expiresAt, isDamaged }
}

/** A JWT that has not expired by its own words: the public keys may verify it, whatever the server says. */
export function mayVerify(token: string, now = new Date()): boolean {
  const { kind, expiresAt } = looksOf(token)
  return kind === 'jwt' && (expiresAt === null || expiresAt > now)
}

/** JWT access tokens name their client and scopes (RFC 9068 section 2.2), ID tokens how somebody signed in. */
function isIdToken(claims: Record<string, unknown>): boolean {
  return (
    !('client_id' in claims || 'scp' in claims || 'scope' in claims) && ('aud' in claims || 'nonce' in claims)
  )
}

function claimsOf(token: string): Record<string, unknown> | undefined {
  const [, payload, signature, ...more] = token.split('.')
  if (payload === undefined || signature === undefined || more.length > 0) return undefined
  try {
    const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const text = new TextDecoder().decode(Uint8Array.from(binary, character => character.charCodeAt(0)))
    const claims: unknown = JSON.parse(text)
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : undefined
  } catch {
    // Not base64url, or no JSON: then it is no JWT.
    return undefined
  }
}
