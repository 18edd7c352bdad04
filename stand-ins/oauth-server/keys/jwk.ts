// One JSON Web Key (RFC 7517): which members are private, and the key without them. Pure.

export type Jwk = Readonly<Record<string, unknown>> & { readonly kid?: string }

/** As go-jose writes them, which leaves out whatever else a key was given. */
const MEMBERS = [
  'use',
  'kty',
  'kid',
  'crv',
  'alg',
  'k',
  'x',
  'y',
  'n',
  'e',
  'd',
  'p',
  'q',
  'dp',
  'dq',
  'qi',
  'x5c',
  'x5u',
  'x5t',
  'x5t#S256',
] as const
const PRIVATE_MEMBERS: ReadonlySet<string> = new Set(['k', 'd', 'p', 'q', 'dp', 'dq', 'qi', 'oth'])

/** The known members of a key in go-jose's order. */
export function orderedJwk(jwk: Jwk): Jwk {
  return Object.fromEntries(MEMBERS.flatMap(name => (jwk[name] === undefined ? [] : [[name, jwk[name]]])))
}

/** Whether it can sign; a symmetric key can. */
export function isPrivateJwk(jwk: Jwk): boolean {
  return jwk['d'] !== undefined || jwk['k'] !== undefined
}

/** The public part; undefined for a symmetric key, which has none. */
export function publicJwk(jwk: Jwk): Jwk | undefined {
  if (jwk['kty'] === 'oct') return undefined
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => !PRIVATE_MEMBERS.has(name)))
}

/** Whether it is a usable public key or key pair: not symmetric, and not an RSA key without an exponent. */
export function isAsymmetricJwk(jwk: Jwk): boolean {
  return jwk['kty'] === 'RSA' ? jwk['e'] !== undefined : jwk['kty'] !== 'oct'
}
