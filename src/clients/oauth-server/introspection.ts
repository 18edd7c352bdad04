// What the OAuth2 server knows of a token (RFC 7662, at its admin API). It sees the tokens of all clients: whose tokens
// count, and which fields go out, is for features to say.

import * as z from 'zod'
import { callUpstream, invalidAnswer, type Upstream, type UpstreamAnswer, unexpected } from '../http.ts'

const ActiveToken = z.looseObject({
  active: z.literal(true),
  client_id: z.string().min(1),
  /** The person, or the client itself for its own tokens. */
  sub: z.string().default(''),
  scope: z.string().default(''),
  /** Seconds since 1970. */
  exp: z.number().optional(),
  iat: z.number().optional(),
  nbf: z.number().optional(),
  aud: z
    .union([z.array(z.string()), z.string().transform(audience => [audience])])
    .nullish()
    .transform(audiences => audiences ?? []),
  iss: z.string().optional(),
  token_type: z.string().optional(),
  token_use: z.string().optional(),
  /** What the consent step put into the token, beside the claims that the server sets. */
  ext: z.record(z.string(), z.unknown()).nullish(),
})
export type ActiveToken = z.infer<typeof ActiveToken>

const Introspection = z.discriminatedUnion('active', [
  ActiveToken,
  z.looseObject({ active: z.literal(false) }),
])

/** The token's facts; undefined when it is expired, revoked, or no token at all. Refresh tokens are answered too. */
export async function introspectToken(oauthAdmin: Upstream, token: string): Promise<ActiveToken | undefined> {
  const answer = await callUpstream(oauthAdmin, {
    method: 'POST',
    onlyReads: true,
    path: '/admin/oauth2/introspect',
    form: { token },
  })
  return processIntrospection(oauthAdmin, answer)
}

/** What an answer to `introspectToken` means. */
export function processIntrospection(oauthAdmin: Upstream, answer: UpstreamAnswer): ActiveToken | undefined {
  if (answer.status !== 200) throw unexpected(oauthAdmin, answer)
  const parsed = Introspection.safeParse(answer.json)
  if (!parsed.success) throw invalidAnswer(oauthAdmin, answer)
  return parsed.data.active ? parsed.data : undefined
}
