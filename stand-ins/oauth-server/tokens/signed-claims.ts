// JWTs by the newest key of a set. Reading knows the newest key only, as Hydra does: once a set has a new key, what the
// old one signed is no longer good for this server. It is still good for whoever checks it against the published keys.

import { createPublicKey } from 'node:crypto'
import { compactVerify, SignJWT } from 'jose'
import type { SigningKey } from '../keys/key-store.ts'

type Claims = Record<string, unknown>

export function signClaims(key: SigningKey, claims: Claims): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' })
    .sign(key.privateKey)
}

/** The claims of a JWT that `key` signed, whatever their times; null for any other text. */
export async function readSigned(key: SigningKey, token: string): Promise<Claims | null> {
  try {
    const { payload } = await compactVerify(token, createPublicKey(key.privateKey), { algorithms: [key.alg] })
    return readObject(new TextDecoder().decode(payload))
  } catch {
    // No JWT, another key, a changed claim: all the same to the caller.
    return null
  }
}

function readObject(text: string): Claims | null {
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}
