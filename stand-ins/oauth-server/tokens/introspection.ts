// What a token is worth: the look-up that introspection and userinfo share, and the answer of introspection. RFC 7662.

import type { Client } from '../clients/client-record.ts'
import { coversScope, words } from '../flow/scope-matching.ts'
import type { ConsentRecord } from '../sessions/consent-store.ts'
import type { TokenDeps } from './token-deps.ts'
import { hasJwtTokens } from './token-issuer.ts'

/** A token that is good now. Times in seconds since 1970. */
export interface LiveToken {
  readonly use: 'access_token' | 'refresh_token'
  readonly client: Client
  /** Undefined for a token of the client itself. */
  readonly consent: ConsentRecord | undefined
  readonly scope: readonly string[]
  readonly audience: readonly string[]
  readonly issuedAt: number
  readonly expiresAt: number
}

/** The live access token of this value. A token of another form than the client's strategy gives now is dead. */
async function findAccessToken(deps: TokenDeps, value: string): Promise<LiveToken | undefined> {
  const token = await findLive(deps, 'access', value)
  if (!token) return undefined
  const isJwtClient = hasJwtTokens(token.client)
  const isOpaque = value.split('.').length < 3
  if (isOpaque) return isJwtClient ? undefined : token
  return isJwtClient && (await deps.tokens.isOwnAccessToken(value)) ? token : undefined
}

/** The live token of this value, an access token if it is one. */
export async function findToken(deps: TokenDeps, value: string): Promise<LiveToken | undefined> {
  const access = await findAccessToken(deps, value)
  if (access) return access
  return findLive(deps, 'refresh', value)
}

/** The body of an introspection that asks for `scope`; `{active: false}` for whatever is not good for it. */
export async function introspect(
  deps: TokenDeps,
  issuer: string,
  value: string,
  scope: string | null,
): Promise<Record<string, unknown>> {
  const token = await findToken(deps, value)
  if (!token || !words(scope).every(asked => coversScope(token.scope, asked))) return { active: false }
  const { client, consent } = token
  const extra = consent?.accessTokenClaims ?? {}
  const isObscured = consent !== undefined && consent.clientSubject !== consent.subject
  return {
    active: true,
    ...(token.scope.length ? { scope: token.scope.join(' ') } : {}),
    client_id: client.client_id,
    sub: consent?.subject ?? client.client_id,
    ...(isObscured ? { obfuscated_subject: consent.clientSubject } : {}),
    exp: token.expiresAt,
    iat: token.issuedAt,
    nbf: token.issuedAt,
    aud: token.audience,
    iss: issuer,
    token_type: 'Bearer',
    token_use: token.use,
    ...(Object.keys(extra).length ? { ext: extra } : {}),
  }
}

async function findLive(
  deps: TokenDeps,
  kind: 'access' | 'refresh',
  value: string,
): Promise<LiveToken | undefined> {
  const stored = await deps.tokenStore.find(kind, value)
  if (!stored || stored.wasUsed || stored.expiresAt * 1000 <= deps.now()) return undefined
  const { consentRequestId, scope, audience, issuedAt, expiresAt } = stored
  const client = await deps.clients.find(stored.clientId)
  const consent = consentRequestId === null ? undefined : await deps.consents.find(consentRequestId)
  if (!client || (consentRequestId !== null && !consent)) return undefined
  return {
    use: `${kind}_token`,
    client,
    consent,
    scope,
    audience: consent?.grantedAudience ?? audience,
    issuedAt,
    expiresAt,
  }
}
