// Whether the signature of a JWT is right, by the public keys that were read before. Asks nobody: no key is fetched
// here, whatever address the token names (`jku`, `x5u`).

import { compactVerify, importJWK, type JWK } from 'jose'
import type { Jwt } from '../../../parts/jwt.ts'
import { ownValue } from '../../../parts/own-value.ts'

export type Verdict =
  | { state: 'verified'; kid: string; alg: string; note?: string }
  /** `isSevere`: such a token must never be accepted, whatever the keys. */
  | { state: 'not verifiable'; why: string; isSevere: boolean }
  | { state: 'wrong'; why: string }

/** The asymmetric algorithms of RFC 7518 and RFC 8037, and the type of key that each needs. */
const KEY_TYPES: Readonly<Record<string, string>> = {
  ...{ RS256: 'RSA', RS384: 'RSA', RS512: 'RSA', PS256: 'RSA', PS384: 'RSA', PS512: 'RSA' },
  ...{ ES256: 'EC', ES384: 'EC', ES512: 'EC', EdDSA: 'OKP', Ed25519: 'OKP' },
}

/** `keys` is undefined where they could not be read. Says nothing of times, issuer or audience. */
export async function verifySignature(jwt: Jwt, keys: readonly JWK[] | undefined): Promise<Verdict> {
  const { alg, kid } = jwt.header
  if (typeof alg !== 'string') return notVerifiable('Its header names no algorithm (alg).', true)
  if (alg.toLowerCase() === 'none')
    return notVerifiable('Its alg is “none”: nobody has signed it. No verifier may accept it.', true)
  if (alg.startsWith('HS'))
    return notVerifiable(
      `${alg} is signed with a shared secret, so no public key can check it. The OAuth2 server uses private keys.`,
    )
  const keyType = ownValue(KEY_TYPES, alg)
  if (keyType === undefined) return notVerifiable(`“${alg}” is no algorithm that this page knows.`)
  if (jwt.signature === '') return { state: 'wrong', why: `Its alg is ${alg}, but its signature is empty.` }
  if (keys === undefined) return notVerifiable('The public keys of the OAuth2 server could not be read.')
  if (keys.length === 0) return notVerifiable('The OAuth2 server publishes no public keys.')
  if (typeof kid !== 'string')
    return tryAll(
      jwt,
      alg,
      keys.filter(({ kty }) => kty === keyType),
    )

  const named = keys.filter(key => key.kid === kid)
  if (named.length === 0)
    return notVerifiable(
      `Key “${kid}” is not among the ${keys.length} that the OAuth2 server publishes: it was deleted since, or ` +
        'somebody else has issued the token.',
    )
  const fitting = named.filter(key => key.kty === keyType && (key.alg === undefined || key.alg === alg))
  if (fitting.length === 0)
    // A verifier that lets the token choose the algorithm can be led to use a key in a way it was not made for.
    return {
      state: 'wrong',
      why: `It says ${alg}, but key “${kid}” is for ${named[0]?.alg ?? named[0]?.kty}.`,
    }
  for (const key of fitting) if (await isSignedBy(jwt, alg, key)) return { state: 'verified', kid, alg }
  return {
    state: 'wrong',
    why: `Key “${kid}” is published, but has not signed this: header, payload or signature was changed.`,
  }
}

async function tryAll(jwt: Jwt, alg: string, keys: readonly JWK[]): Promise<Verdict> {
  for (const key of keys) {
    if (await isSignedBy(jwt, alg, key))
      return {
        state: 'verified',
        kid: key.kid ?? 'without a name',
        alg,
        note: 'The header names no key (kid).',
      }
  }
  return notVerifiable('Its header names no key (kid), and no published key has signed it.')
}

function notVerifiable(why: string, isSevere = false): Verdict {
  return { state: 'not verifiable', why, isSevere }
}

async function isSignedBy({ token, header }: Jwt, alg: string, key: JWK): Promise<boolean> {
  try {
    // What is critical in the header is for the token's reader; here the signature alone is asked for.
    const crit = Array.isArray(header['crit'])
      ? Object.fromEntries(header['crit'].map(name => [name, false]))
      : {}
    await compactVerify(token, await importJWK(key, alg), { algorithms: [alg], crit })
    return true
  } catch {
    // Also for a key that does not fit: another curve, too short. WebCrypto has errors of its own for that.
    return false
  }
}
