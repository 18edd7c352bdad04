// The OAuth2 server's public documents (the Hydra wire). Passes them on as they are, once it is sure that they are what
// they should be.

import * as z from 'zod'
import { callUpstream, invalidAnswer, type Upstream, type UpstreamAnswer, unexpected } from '../http.ts'
import { PUBLIC_JWK_EXAMPLE, PublicJwk } from './public-jwk.ts'

/** OpenID Connect discovery; the fields that every server has, and whatever else this one says. */
export const DiscoveryDocument = z
  .looseObject({
    issuer: z.string().min(1),
    authorization_endpoint: z.url(),
    token_endpoint: z.url(),
    jwks_uri: z.url(),
    userinfo_endpoint: z.url().optional(),
    registration_endpoint: z.url().optional(),
    response_types_supported: z.array(z.string()),
    subject_types_supported: z.array(z.string()),
    id_token_signing_alg_values_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()).optional(),
    scopes_supported: z.array(z.string()).optional(),
    claims_supported: z.array(z.string()).optional(),
  })
  .meta({
    id: 'DiscoveryDocument',
    examples: [
      {
        issuer: 'https://id.example.com',
        authorization_endpoint: 'https://id.example.com/oauth2/auth',
        token_endpoint: 'https://id.example.com/oauth2/token',
        jwks_uri: 'https://id.example.com/.well-known/jwks.json',
        userinfo_endpoint: 'https://id.example.com/userinfo',
        response_types_supported: ['code'],
        subject_types_supported: ['public', 'pairwise'],
        id_token_signing_alg_values_supported: ['RS256'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        scopes_supported: ['openid', 'offline_access'],
      },
    ],
  })
export type DiscoveryDocument = z.infer<typeof DiscoveryDocument>

/** The keys that tokens are verified with. */
export const PublicKeySet = z
  .object({
    keys: z
      .array(PublicJwk)
      .nullable()
      .transform(keys => keys ?? []),
  })
  .meta({
    id: 'PublicKeySet',
    examples: [{ keys: [PUBLIC_JWK_EXAMPLE] }],
  })
export type PublicKeySet = z.infer<typeof PublicKeySet>

/** The discovery document. Throws the `upstream_*` errors and `not_configured`. */
export async function fetchDiscovery(oauthPublic: Upstream): Promise<DiscoveryDocument> {
  const answer = await callUpstream(oauthPublic, { method: 'GET', path: '/.well-known/openid-configuration' })
  return processDocument(DiscoveryDocument, oauthPublic, answer)
}

/** The public keys, without anything private that a server might show by mistake. Throws as `fetchDiscovery`. */
export async function fetchPublicKeys(oauthPublic: Upstream): Promise<PublicKeySet> {
  const answer = await callUpstream(oauthPublic, { method: 'GET', path: '/.well-known/jwks.json' })
  return processDocument(PublicKeySet, oauthPublic, answer)
}

/** The document in an answer: 200 and of the right form, else one of the `upstream_*` errors. */
export function processDocument<Schema extends z.ZodType>(
  schema: Schema,
  oauthPublic: Upstream,
  answer: UpstreamAnswer,
): z.output<Schema> {
  if (answer.status !== 200) throw unexpected(oauthPublic, answer)
  const parsed = schema.safeParse(answer.json)
  if (!parsed.success) throw invalidAnswer(oauthPublic, answer)
  return parsed.data
}

/** Whether applications may register themselves; `unknown` when the server's answer does not tell. */
export const DynamicRegistration = z.enum(['enabled', 'disabled', 'unknown'])
export type DynamicRegistration = z.infer<typeof DynamicRegistration>

/**
 * Asks for a client that does not exist, without a token: 401 where registration is on, 404 where it is off. The
 * discovery document cannot tell. Throws `upstream_unavailable` and `not_configured`.
 */
export async function probeDynamicRegistration(
  oauthPublic: Upstream,
  timeoutMs: number,
): Promise<DynamicRegistration> {
  const answer = await callUpstream(oauthPublic, { method: 'GET', path: '/oauth2/register/x', timeoutMs })
  return processDynamicRegistration(answer)
}

export function processDynamicRegistration({ status }: UpstreamAnswer): DynamicRegistration {
  if (status === 401) return 'enabled'
  return status === 404 ? 'disabled' : 'unknown'
}
