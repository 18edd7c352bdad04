// Shows which claims a person's tokens would carry, with the stored configuration or one that is only being written.

import * as z from 'zod'
import type { Upstream } from '../../../clients/http.ts'
import { getIdentity } from '../../../clients/identity-admin.ts'
import { DomainError } from '../../../errors.ts'
import { type OAuthClientDeps, readOwnClient } from '../clients/own-client.ts'
import { checkClaims } from './check-claims.ts'
import { type ClaimsConfigDeps, readClaimsConfig } from './claims-store.ts'
import { isScopeAllowed } from './client-scope.ts'
import { ClaimsConfigPatch } from './schemas.ts'
import { sessionClaims } from './session-claims.ts'

const SCOPES_MAX = 100

export const ClaimsPreviewIn = z
  .strictObject({
    identity_id: z.string().min(1).max(255),
    client_id: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('A client of ours: scopes that it may not request are taken away'),
    scopes: z.array(z.string().min(1).max(255)).max(SCOPES_MAX).describe('The scopes granted'),
    config: ClaimsConfigPatch.optional().describe('Tried in place of the stored configuration, map by map'),
  })
  .meta({ id: 'ClaimsPreviewIn' })
export type ClaimsPreviewIn = z.infer<typeof ClaimsPreviewIn>

export const ClaimsPreview = z
  .object({
    scopes: z.array(z.string()).describe('those of the scopes asked for that count'),
    id_token: z.record(z.string(), z.unknown()).describe('top-level claims of the ID token and of userinfo'),
    access_token: z
      .record(z.string(), z.unknown())
      .describe('claims under `ext` of introspection and of JWT access tokens'),
    unresolved: z.array(z.string()).describe('paths that lead to nothing; their claims are left out'),
    too_large: z
      .array(z.string())
      .describe('claims that are left out because their token has no room for them'),
  })
  .meta({
    id: 'ClaimsPreview',
    examples: [
      {
        scopes: ['openid', 'email'],
        id_token: { groups: ['staff'] },
        access_token: { contact: 'Ada <ada@example.com>' },
        unresolved: ['metadata_public.plan'],
        too_large: [],
      },
    ],
  })
export type ClaimsPreview = z.infer<typeof ClaimsPreview>

export interface PreviewClaimsDeps extends ClaimsConfigDeps, OAuthClientDeps {
  upstreams: { oauthAdmin: Upstream; identityAdmin: Upstream }
}

/**
 * The payload that the consent bridge would send. Throws `not_found` for an identity or a client that does not exist,
 * and as `checkClaims` for a configuration that could not be stored.
 */
export async function previewClaims(deps: PreviewClaimsDeps, input: ClaimsPreviewIn): Promise<ClaimsPreview> {
  checkClaims(input.config ?? {})
  const [stored, identity, client] = await Promise.all([
    readClaimsConfig(deps),
    getIdentity(deps.upstreams.identityAdmin, input.identity_id),
    input.client_id === undefined ? undefined : readOwnClient(deps, input.client_id),
  ])
  if (identity === undefined) {
    throw new DomainError('not_found', `No identity has the id "${input.identity_id.slice(0, 100)}".`, {
      hint: 'GET /v1/auth/identities and the dashboard list them.',
    })
  }
  const scopes = input.scopes.filter(scope => client === undefined || isScopeAllowed(client.scope, scope))
  const config = {
    id_token_claims: input.config?.id_token_claims ?? stored.id_token_claims,
    access_token_claims: input.config?.access_token_claims ?? stored.access_token_claims,
  }
  return { scopes, ...sessionClaims(config, identity, scopes) }
}
