// What callers send and see of tokens (Spec, Introspection result).

import * as z from 'zod'

/** Tokens with many claims are long; longer ones fit no header. */
const TOKEN_LENGTH_MAX = 16_384

export const TokenIn = z
  .strictObject({
    token: z.string().min(1).max(TOKEN_LENGTH_MAX).describe('An access or refresh token'),
  })
  .meta({ id: 'TokenIn' })
export type TokenIn = z.infer<typeof TokenIn>

const ActiveIntrospection = z.object({
  active: z.literal(true),
  sub: z.string(),
  client_id: z.string(),
  scope: z.string(),
  exp: z.number().optional().describe('Unix time'),
  iat: z.number().optional().describe('Unix time'),
  token_type: z.string().optional(),
  token_use: z.string().optional().describe('access_token or refresh_token'),
})

/** The specification's eight fields and no other. */
export const Introspection = z.union([ActiveIntrospection, z.object({ active: z.literal(false) })]).meta({
  id: 'Introspection',
  examples: [
    {
      active: true,
      sub: '9f1c2d3e-0000-4000-8000-000000000000',
      client_id: 'c1b2a3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
      scope: 'openid email',
      exp: 1_769_864_400,
      iat: 1_769_860_800,
      token_type: 'Bearer',
      token_use: 'access_token',
    },
    { active: false },
  ],
})
export type Introspection = z.infer<typeof Introspection>

export const Revocation = z
  .object({
    revoked: z
      .boolean()
      .describe(
        'false: there was nothing to end: the token is not good here, or is a JWT of a client itself that the server ' +
          'no longer knows',
      ),
    scope: z
      .enum(['none', 'grant', 'subject_and_client', 'client'])
      .describe(
        'What ended with the token. grant: all tokens of the same authorization. subject_and_client: all tokens and ' +
          "consents of the person at that client. client: all the client's access tokens.",
      ),
  })
  .meta({ id: 'Revocation', examples: [{ revoked: true, scope: 'grant' }] })
export type Revocation = z.infer<typeof Revocation>

export const Flush = z
  .object({
    source: z
      .enum(['database', 'server'])
      .describe("server: through the OAuth2 server's own endpoint, which counts nothing"),
    access_tokens: z.int().nullable().describe('how many were deleted; null: not known'),
    refresh_tokens: z.int().nullable(),
    complete: z.boolean().describe('false: there are more; call again'),
  })
  .meta({
    id: 'Flush',
    examples: [{ source: 'database', access_tokens: 120, refresh_tokens: 8, complete: true }],
  })
export type Flush = z.infer<typeof Flush>
