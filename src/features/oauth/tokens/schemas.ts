// What callers send and see of tokens (Spec, Introspection result).

import * as z from 'zod'

/** Tokens with many claims are long; longer ones fit no header. */
const TOKEN_LENGTH_MAX = 16_384

export const TokenIn = z.strictObject({
  token: z.string().min(1).max(TOKEN_LENGTH_MAX).describe('An access or refresh token'),
})
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
export const Introspection = z.union([ActiveIntrospection, z.object({ active: z.literal(false) })])
export type Introspection = z.infer<typeof Introspection>

export const Revocation = z.object({
  revoked: z.boolean().describe('false: there was no such active token of ours, so there was nothing to do'),
  scope: z
    .enum(['none', 'grant', 'subject_and_client', 'client'])
    .describe(
      'What ended with the token. grant: all tokens of the same authorization. subject_and_client: all tokens and ' +
        "consents of the person at that client. client: all the client's access tokens.",
    ),
})
export type Revocation = z.infer<typeof Revocation>

export const Flush = z.object({
  source: z
    .enum(['database', 'server'])
    .describe("server: through the OAuth2 server's own endpoint, which counts nothing"),
  access_tokens: z.int().nullable().describe('how many were deleted; null: not known'),
  refresh_tokens: z.int().nullable(),
  complete: z.boolean().describe('false: there are more; call again'),
})
export type Flush = z.infer<typeof Flush>
