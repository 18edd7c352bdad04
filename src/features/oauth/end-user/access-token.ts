// The signed-in user of an application, read from the JWT access token that may come beside an API key.
// Verifies; never falls back to "nobody" on a bad token.

import { decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import { DomainError } from '../../../errors.ts'
import type { TokenKeySource } from './token-keys.ts'

/** Whose access token it is. `claims` is the token's whole payload, for row-level security. */
export interface EndUser {
  subject: string
  claims: Record<string, unknown>
}

export interface AccessTokenRules {
  /** Values of `iss` that are accepted, exactly. */
  issuers: readonly string[]
  /** Value that `aud` must hold; undefined accepts any. */
  audience: string | undefined
  /** The issuer's public keys. */
  keys: TokenKeySource
  now: () => Date
}

/** No symmetric algorithm: with one, whoever knows a public key as a byte string could sign (RFC 8725 section 2.1). */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** Clocks of the issuer and ours may differ by this much. */
const CLOCK_TOLERANCE_SECONDS = 5

/** Whether a bearer token has a JWT's form: three parts, the first of them a header. All others are opaque. */
export function isJwt(token: string): boolean {
  if (token.split('.', 4).length !== 3) return false
  try {
    decodeProtectedHeader(token)
    return true
  } catch {
    return false
  }
}

/**
 * Verifies signature, issuer, expiry and audience, and that it is an access token and no ID or logout token, which the
 * same keys sign. Throws `invalid_access_token`, or `upstream_unavailable`. Of a token that the issuer has signed the
 * error says what is wrong: its holder can read all of it anyway. Of any other it says nothing.
 */
export async function verifyAccessToken(rules: AccessTokenRules, token: string): Promise<EndUser> {
  let payload: JWTPayload
  try {
    payload = await readVerified(rules, token)
  } catch (err) {
    if (isKeyServerFailure(err)) throw keyServerUnavailable(err)
    if (err instanceof errors.JWKSNoMatchingKey) throw signedByUnknownKey()
    throw invalidAccessToken(faultOf(err, rules))
  }
  if (!isAccessToken(payload))
    throw invalidAccessToken('It is an ID token or a logout token, not an access token.')
  if (typeof payload.sub !== 'string' || payload.sub === '') throw invalidAccessToken('Its `sub` is empty.')
  return { subject: payload.sub, claims: payload }
}

async function readVerified({ issuers, audience, keys, now }: AccessTokenRules, token: string) {
  const options: JWTVerifyOptions = {
    algorithms: ALGORITHMS,
    issuer: [...issuers],
    ...(audience === undefined ? {} : { audience }),
    requiredClaims: ['sub', 'exp', 'client_id'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: now(),
  }
  try {
    return (await jwtVerify(token, keys.find, options)).payload
  } catch (err) {
    if (!ofAnotherKey(err)) throw err
    return (await jwtVerify(token, keys.findSigner, options)).payload
  }
}

/** The token may be of another key than the one that its header names, or names none: a `kid` may be left out. */
function ofAnotherKey(err: unknown): boolean {
  return (
    err instanceof errors.JWKSNoMatchingKey ||
    err instanceof errors.JWKSMultipleMatchingKeys ||
    err instanceof errors.JWSSignatureVerificationFailed
  )
}

/** ID tokens carry `nonce` or `at_hash`, logout tokens `events`; only access tokens carry a scope. */
function isAccessToken(payload: JWTPayload): boolean {
  const hasScope =
    typeof payload['scope'] === 'string' ||
    Array.isArray(payload['scp']) ||
    typeof payload['scp'] === 'string'
  return hasScope && !('nonce' in payload) && !('at_hash' in payload) && !('events' in payload)
}

/** Whatever jose did not say about the token itself is about fetching the keys. */
function isKeyServerFailure(err: unknown): boolean {
  return err instanceof errors.JWKSInvalid || !(err instanceof errors.JOSEError)
}

function keyServerUnavailable(cause: unknown): DomainError {
  return new DomainError(
    'upstream_unavailable',
    "The OAuth2 server's signing keys could not be fetched, so the access token was not checked.",
    {
      detail: 'oauth_server',
      hint: 'Try again in a moment.',
      cause,
      retryAfterSeconds: 5,
    },
  )
}

/** What is wrong with the claims of a token whose signature is good; undefined where that is not known to be so. */
function faultOf(err: unknown, { issuers }: AccessTokenRules): string | undefined {
  if (err instanceof errors.JWTExpired) {
    const expiredAt = new Date(Number(err.payload.exp) * 1_000).toISOString()
    return `It expired at ${expiredAt}, more than ${CLOCK_TOLERANCE_SECONDS} s ago.`
  }
  if (!(err instanceof errors.JWTClaimValidationFailed)) return undefined
  const { claim, reason, payload } = err
  if (reason === 'missing') return `It has no \`${claim}\`, so it is not an access token.`
  switch (claim) {
    case 'iss':
      return `Its \`iss\` is ${JSON.stringify(payload.iss)}; it must be ${issuers.join(' or ')}.`
    case 'aud':
      return 'Its `aud` does not name this service.'
    case 'nbf':
      return 'It is not valid yet: its `nbf` is in the future.'
    default:
      return `Its \`${claim}\` is not what it must be.`
  }
}

/** Everybody can read the published keys, so it may be said. A new token does not help where the server is another. */
function signedByUnknownKey(): DomainError {
  return invalidAccessToken(
    'The OAuth2 server publishes no key that its header names.',
    'Get a new token once. If that one is refused too, it comes from another server than OAUTH_PUBLIC_URL.',
  )
}

/** The answer for a token that is not good; `detail` says why, where that helps nobody but its holder. */
export function invalidAccessToken(
  detail?: string,
  hint = 'Send a current access token of the OAuth2 server, or leave the Authorization header out.',
): DomainError {
  return new DomainError('invalid_access_token', 'The bearer token is not a valid access token.', {
    ...(detail !== undefined && { detail }),
    hint,
  })
}
