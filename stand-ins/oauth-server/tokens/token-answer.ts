// The answer of the token endpoint for a consent: access token, and refresh and ID token where scope and client allow.

import { type Client, grantTypesOf } from '../clients/client-record.ts'
import { weakNonce } from '../flow/answer-rules.ts'
import { ENTROPY_CHARACTERS_MIN } from '../flow/authorization-request.ts'
import { unauthorizedClient } from '../flow/oauth-errors.ts'
import type { ConsentRecord } from '../sessions/consent-store.ts'
import { HydraError } from '../wire/hydra-error.ts'
import { type GrantName, lifespanSeconds } from './lifespans.ts'
import type { TokenDeps } from './token-deps.ts'
import { grantOfConsent } from './token-issuer.ts'

const REFRESH_SCOPES = ['offline', 'offline_access']

/** RFC 6749 §5.1, OpenID Connect Core 1.0 §3.1.3.3. */
export interface TokenAnswer {
  readonly access_token: string
  readonly expires_in: number
  readonly id_token?: string
  readonly refresh_token?: string
  readonly scope: string
  readonly token_type: 'bearer'
}

/** Issues the tokens of `consent`. Throws when its nonce is too weak to sign, or its ID token would be dead at once. */
export async function answerTokens(
  deps: TokenDeps,
  client: Client,
  consent: ConsentRecord,
  grant: GrantName,
): Promise<TokenAnswer> {
  const lifespan = (token: 'access_token' | 'refresh_token' | 'id_token') =>
    lifespanSeconds(client, grant, token, deps.settings.ttlSeconds)
  const isConnect = consent.grantedScope.includes('openid')
  if (isConnect) checkIdToken(consent, lifespan('id_token'))
  const access = await deps.tokens.issueAccessToken(client, grantOfConsent(consent), lifespan('access_token'))
  const refresh = mayRefresh(client, consent)
    ? await deps.tokens.issueRefreshToken(client, consent, lifespan('refresh_token'))
    : undefined
  const idToken = isConnect
    ? await deps.tokens.signIdToken(consent, {
        lifespanSeconds: lifespan('id_token'),
        accessToken: access.value,
      })
    : undefined
  return {
    access_token: access.value,
    expires_in: access.expiresInSeconds,
    ...(idToken === undefined ? {} : { id_token: idToken }),
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
    scope: consent.grantedScope.join(' '),
    token_type: 'bearer',
  }
}

/** Throws `unauthorized_client` unless the client may use the grant. */
export function requireGrantType(client: Client, grantType: string): void {
  if (grantTypesOf(client).includes(grantType)) return
  throw unauthorizedClient(`The OAuth 2.0 Client is not allowed to use authorization grant '${grantType}'.`)
}

function checkIdToken({ nonce }: ConsentRecord, lifespan: number): void {
  if (nonce && nonce.length < ENTROPY_CHARACTERS_MIN) throw weakNonce()
  if (lifespan < 0) throw new HydraError(500, 'server_error', 'The ID token would be dead at once.')
}

function mayRefresh(client: Client, consent: ConsentRecord): boolean {
  const isAsked = REFRESH_SCOPES.some(scope => consent.grantedScope.includes(scope))
  return isAsked && grantTypesOf(client).includes('refresh_token')
}
