// Tokens of signed addresses: JWTs with a type of their own. HS256 alone is taken, which access tokens never have, and
// the type is none of theirs: neither passes for the other, whatever its claims. What a token is for is read elsewhere.

import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify, SignJWT } from 'jose'
import { DomainError } from '../../../errors.ts'
import type { SigningKey } from './signing-keys.ts'

const ALGORITHM = 'HS256'
const TYPE = 'storage+jwt'
/** More than a name of 1 024 bytes, a caller and all options need; nothing longer is read. */
const TOKEN_LENGTH_MAX = 8_192

/** A token of these claims, which ends after so many seconds. */
export function signToken(
  { id, key }: SigningKey,
  claims: JWTPayload,
  expiresInSeconds: number,
  now: Date,
): Promise<string> {
  const issuedSeconds = Math.floor(now.getTime() / 1_000)
  return new SignJWT(claims)
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: id })
    .setIssuedAt(issuedSeconds)
    .setExpirationTime(issuedSeconds + expiresInSeconds)
    .sign(key)
}

/**
 * The claims of a token that one of the keys has signed and that has not ended. Throws `signature_expired` for one that
 * has, and `invalid_signature` for everything else, without saying why.
 */
export async function verifyToken(
  keys: readonly SigningKey[],
  token: string,
  now: Date,
): Promise<JWTPayload> {
  if (token.length > TOKEN_LENGTH_MAX) throw invalidSignature()
  const find: JWTVerifyGetKey = ({ kid }) => {
    const known = keys.find(({ id }) => id === kid)
    if (known === undefined) throw new errors.JWKSNoMatchingKey()
    return known.key
  }
  const options = { algorithms: [ALGORITHM], typ: TYPE, requiredClaims: ['exp'], currentDate: now }
  try {
    return (await jwtVerify(token, find, options)).payload
  } catch (err) {
    // Claims are looked at behind the signature: it is one of ours.
    if (err instanceof errors.JWTExpired) throw signatureExpired(Number(err.payload.exp))
    if (err instanceof errors.JOSEError) throw invalidSignature()
    throw err
  }
}

/** Of an address that was cut off, say. */
export function missingToken(): DomainError {
  return new DomainError('invalid_signature', 'The address has no token.', {
    detail: 'A signed address ends with ?token=...',
    hint: 'Use the address as it was given out, whole.',
  })
}

/** The same for every fault: whoever tries tokens learns nothing from the answer. */
export function invalidSignature(): DomainError {
  return new DomainError('invalid_signature', 'The token does not belong to this address.', {
    detail:
      'It was changed, was made for another file or another use, or its signing key is no longer taken.',
    hint: 'Use the address as it was given out, or ask for a new one.',
  })
}

function signatureExpired(expSeconds: number): DomainError {
  return new DomainError('signature_expired', 'The signed address has expired.', {
    detail: `It ended at ${new Date(expSeconds * 1_000).toISOString()}.`,
    hint: 'Ask for a new one.',
  })
}
