// The members of a JSON Web Key that anybody may see. An allow-list: a private member that a later standard adds is
// left out without anybody having to know of it.

import * as z from 'zod'

export const PUBLIC_JWK_EXAMPLE = {
  kid: '2026-01',
  kty: 'EC',
  alg: 'ES256',
  use: 'sig',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
}

/** A public key (RFC 7517, 7518); parsing leaves every other member out. */
export const PublicJwk = z
  .object({
    kid: z.string().optional(),
    kty: z.string(),
    alg: z.string().optional(),
    use: z.string().optional(),
    key_ops: z.array(z.string()).optional(),
    n: z.string().optional(),
    e: z.string().optional(),
    crv: z.string().optional(),
    x: z.string().optional(),
    y: z.string().optional(),
    x5u: z.string().optional(),
    x5c: z.array(z.string()).optional(),
    x5t: z.string().optional(),
    'x5t#S256': z.string().optional(),
  })
  .meta({ id: 'PublicJwk' })
export type PublicJwk = z.infer<typeof PublicJwk>
