// The claims of whoever a query is tried as.

import type { Upstream } from '../../clients/http.ts'
import { getIdentity } from '../../clients/identity-admin.ts'
import { identityNotFound } from '../identities/read-identity.ts'
import { type ClaimsConfigDeps, readClaimsConfig } from '../oauth/claims/claims-store.ts'
import { sessionClaims } from '../oauth/claims/session-claims.ts'
import type { TryAsPerson } from './schemas.ts'

export interface ClaimsDeps extends ClaimsConfigDeps {
  upstreams: { identityAdmin: Upstream }
  config: {
    oauthIssuer: string | undefined
    oauthPublicUrl: string | undefined
    dataAudience: string | undefined
  }
  now: () => Date
}

/** What a token of the flows lives by default. */
const TOKEN_LIFETIME_SECONDS = 3_600

/**
 * Null for nobody. Of a person what a JWT access token says that is issued now, with the configured claims under `ext`;
 * a real one has its client and its id too, and the scope that was granted. Throws `not_found` for an unknown identity.
 */
export async function claimsOf(deps: ClaimsDeps, as: TryAsPerson): Promise<Record<string, unknown> | null> {
  if (as.kind === 'anon') return null
  if (as.kind === 'claims') return as.claims
  const [identity, claimsConfig] = await Promise.all([
    getIdentity(deps.upstreams.identityAdmin, as.identity_id),
    readClaimsConfig(deps),
  ])
  if (identity === undefined) throw identityNotFound()
  const { oauthIssuer, oauthPublicUrl, dataAudience } = deps.config
  const scopes = ['openid']
  const issuedAt = Math.floor(deps.now().getTime() / 1_000)
  return {
    iss: oauthIssuer ?? oauthPublicUrl,
    sub: identity.id,
    aud: dataAudience === undefined ? [] : [dataAudience],
    scp: scopes,
    ext: sessionClaims(claimsConfig, identity, scopes).access_token,
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + TOKEN_LIFETIME_SECONDS,
  }
}
