// Grants a consent: the one place where scopes, audience and claims go to the OAuth2 server, whoever decided.

import type { Session } from '../../../clients/identity.ts'
import type { Accepted } from '../../../clients/oauth-server/challenge.ts'
import { acceptConsent, type ConsentRequest } from '../../../clients/oauth-server/consent-requests.ts'
import { readClaimsConfig } from '../claims/claims-store.ts'
import { sessionClaims } from '../claims/session-claims.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { identityOfSubject } from './consent-subject.ts'

export interface Grant {
  challenge: string
  request: ConsentRequest
  /** Of those requested; the server would take any. */
  scopes: readonly string[]
  remember: boolean
  session: Session | undefined
}

/**
 * Accepts with the claims of the subject as they are now, each time anew, because the server forgets them. The id of
 * the request goes into the access token's data, so that revoking a token can end exactly its own chain.
 */
export async function grantConsent(
  deps: Pick<BridgeDeps, 'config' | 'upstreams' | 'platform'>,
  { challenge, request, scopes, remember, session }: Grant,
): Promise<Accepted> {
  const [identity, claimsConfig] = await Promise.all([
    identityOfSubject(deps, request, session),
    readClaimsConfig(deps),
  ])
  const claims = sessionClaims(claimsConfig, identity, scopes)
  const { consent_request_id } = request
  return await acceptConsent(deps.upstreams.oauthAdmin, challenge, {
    grant_scope: scopes,
    grant_access_token_audience: request.requested_access_token_audience,
    remember,
    remember_for: deps.config.consentRememberSeconds,
    session: {
      id_token: claims.id_token,
      access_token: { ...claims.access_token, ...(consent_request_id && { consent_request_id }) },
    },
  })
}
