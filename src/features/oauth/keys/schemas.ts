// Signing keys as callers see them (Spec, Signing key). Private parts are in no record.

import * as z from 'zod'
import { PUBLIC_JWK_EXAMPLE } from '../../../clients/oauth-server/public-jwk.ts'

/** The sets that the server signs with: ID and logout tokens, and JWT access tokens. The newest key of each signs. */
export const SERVER_KEY_SETS: readonly string[] = ['hydra.openid.id-token', 'hydra.jwt.access-token']

/**
 * Of a set that is made here: it can be written in any address as it is. Sets of other tools may have other names.
 */
export const KeySetId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/, 'must be 1 to 100 of letters, digits, ".", "_", ":" and "-"')

/** In a path. */
export const KeySetParam = z.string().describe('The key set').meta({ examples: SERVER_KEY_SETS })
/** In a path. */
export const KidParam = z
  .string()
  .describe('kid of the key')
  .meta({ examples: ['2026-01'] })

export const SigningAlgorithm = z.enum(['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])

export const SigningKeyIn = z
  .strictObject({
    set_id: KeySetId.describe(
      `A set of your own, or one of those that the server signs with: ${SERVER_KEY_SETS.join(', ')}`,
    ),
    algorithm: SigningAlgorithm,
    use: z
      .enum(['sig', 'enc'])
      .default('sig')
      .describe('What the key is for; the sets that the server signs with take sig'),
  })
  .meta({ id: 'SigningKeyIn' })
export type SigningKeyIn = z.infer<typeof SigningKeyIn>

export const SigningKey = z
  .object({
    set_id: z.string(),
    kid: z.string(),
    algorithm: z.string().nullable(),
    key_type: z.string().describe('RSA, EC or OKP'),
    use: z.string().nullable(),
    created_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .describe('null: the key was not made through Quoin, and the server knows no dates'),
    public_jwk: z.record(z.string(), z.unknown()).describe('The public part as a JSON Web Key'),
  })
  .meta({
    id: 'SigningKey',
    examples: [
      {
        set_id: 'hydra.openid.id-token',
        kid: '2026-01',
        algorithm: 'ES256',
        key_type: 'EC',
        use: 'sig',
        created_at: '2026-01-31T12:00:00.000Z',
        public_jwk: PUBLIC_JWK_EXAMPLE,
      },
    ],
  })
export type SigningKey = z.infer<typeof SigningKey>

export const SigningKeyList = z.array(SigningKey)
