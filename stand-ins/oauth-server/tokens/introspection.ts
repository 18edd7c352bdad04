// What a token is worth: the look-up that introspection and userinfo share, and the answer of introspection. RFC 7662.
// The library's own introspection answers callers that authenticate, in other words, and knows no JWTs.

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

interface StoredToken {
  readonly clientId?: string | undefined
  readonly grantId?: string | undefined
  readonly scope?: string | undefined
  readonly aud?: string | string[] | undefined
  readonly iat: number
  readonly exp?: number | undefined
}

/** The live access token of this value. A token of another form than the client's strategy gives now is dead. */
async function findAccessToken(deps: TokenDeps, value: string): Promise<LiveToken | undefined> {
  const { AccessToken, ClientCredentials } = deps.provider
  const stored = (await AccessToken.find(value)) ?? (await ClientCredentials.find(value))
  const token = stored && (await readToken(deps, 'access_token', stored))
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
  const refresh = await deps.provider.RefreshToken.find(value)
  return refresh && !refresh.consumed ? readToken(deps, 'refresh_token', refresh) : undefined
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

async function readToken(
  deps: TokenDeps,
  use: LiveToken['use'],
  stored: StoredToken,
): Promise<LiveToken | undefined> {
  // The library lets a token live some seconds longer, for clocks that differ.
  if ((stored.exp ?? 0) * 1000 <= deps.now()) return undefined
  const client = await deps.clients.find(stored.clientId ?? '')
  const consent = stored.grantId === undefined ? undefined : await deps.consents.find(stored.grantId)
  if (!client || (stored.grantId !== undefined && !consent)) return undefined
  return {
    use,
    client,
    consent,
    scope: words(stored.scope),
    audience: consent?.grantedAudience ?? [stored.aud ?? []].flat(),
    issuedAt: stored.iat,
    expiresAt: stored.exp ?? stored.iat,
  }
}
