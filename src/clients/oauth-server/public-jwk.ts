// The members of a JSON Web Key that anybody may see. An allow-list: a private member that a later standard adds is
// left out without anybody having to know of it.

import * as z from 'zod'

/** A public key (RFC 7517, 7518); parsing leaves every other member out. */
export const PublicJwk = z.object({
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
export type PublicJwk = z.infer<typeof PublicJwk>
