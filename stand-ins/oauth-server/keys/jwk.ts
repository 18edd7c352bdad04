// One JSON Web Key (RFC 7517): what is kept of it, which members are private, and the key without them. Pure.

import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto'
import * as z from 'zod'

export type Jwk = Readonly<Record<string, unknown>> & { readonly kid?: string }

const NUMBERS = ['k', 'x', 'y', 'n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi']
const PRIVATE_MEMBERS: ReadonlySet<string> = new Set(['k', 'd', 'p', 'q', 'dp', 'dq', 'qi', 'oth'])

/** A key from outside, with its known members. Refuses what Node cannot read as a key. */
const JwkIn = z
  .object({
    kty: z.enum(['RSA', 'EC', 'OKP', 'oct']),
    crv: z.enum(['P-256', 'P-384', 'P-521', 'Ed25519']).optional(),
    ...Object.fromEntries(
      ['use', 'kid', 'alg', 'x5u', 'x5t', 'x5t#S256'].map(name => [name, z.string().nullish()]),
    ),
    ...Object.fromEntries(NUMBERS.map(name => [name, z.base64url().nullish()])),
    x5c: z.array(z.string()).nullish(),
  })
  .refine(isUsable, 'the key is incomplete or inconsistent')
  .transform((jwk): Jwk => Object.fromEntries(Object.entries(jwk).filter(([, value]) => value)))

/** `keys` is null where a set says so; a set without `keys` is none. */
export const JwkSetIn = z
  .object({ keys: z.array(JwkIn).nullish() })
  .transform(({ keys }) => (keys === undefined ? null : { keys }))

function isUsable(jwk: Jwk): boolean {
  if (jwk['kty'] === 'oct') return Boolean(jwk['k'])
  const key = { key: jwk as JsonWebKey, format: 'jwk' } as const
  try {
    return (isPrivateJwk(jwk) ? createPrivateKey(key) : createPublicKey(key)) !== undefined
  } catch {
    return false
  }
}

/** Whether it can sign; a symmetric key can. */
export function isPrivateJwk(jwk: Jwk): boolean {
  return Boolean(jwk['d'] ?? jwk['k'])
}

/** The public part; undefined for a symmetric key, which has none. */
export function publicJwk(jwk: Jwk): Jwk | undefined {
  if (jwk['kty'] === 'oct') return undefined
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => !PRIVATE_MEMBERS.has(name)))
}
