// Makes codes and tokens: opaque ones and JWTs, kept through oidc-provider's models. ID tokens and JWT access tokens
// are signed here and not by the library: it takes its keys once, at its start, while ours rotate, and it would mask
// the claims that a consent adds.

import { createHash, randomUUID } from 'node:crypto'
import type { Provider } from 'oidc-provider'
import type { Client } from '../clients/client-record.ts'
import type { OAuthServerContext } from '../context.ts'
import type { SigningKey } from '../keys/key-store.ts'
import type { ConsentRecord } from '../sessions/consent-store.ts'
import { readSigned, signClaims } from './signed-claims.ts'
import { accessTokenClaims, idTokenClaims } from './token-claims.ts'
import { opaqueValue } from './token-values.ts'

const ID_TOKEN_KEYS = 'hydra.openid.id-token'
const ACCESS_TOKEN_KEYS = 'hydra.jwt.access-token'
const CODE_GRANT = 'authorization_code'

/** What an access token allows. */
export interface AccessGrant {
  readonly subject: string
  readonly scope: readonly string[]
  readonly audience: readonly string[]
  readonly extra: Readonly<Record<string, unknown>>
  /** The consent that it comes from; undefined for a client's own token. */
  readonly consentRequestId?: string
}

export interface IssuedToken {
  readonly value: string
  readonly expiresInSeconds: number
}

export interface TokenIssuer {
  issueCode(
    client: Client,
    consent: ConsentRecord,
    terms: { readonly redirectUri: string | undefined; readonly codeChallenge: string | undefined },
  ): Promise<string>
  /** Opaque or a JWT, as the client's `access_token_strategy` says. */
  issueAccessToken(client: Client, grant: AccessGrant, lifespanSeconds: number): Promise<IssuedToken>
  issueRefreshToken(client: Client, consent: ConsentRecord, lifespanSeconds: number): Promise<string>
  /** Signed with the newest key; hashes of the token and the code that go with it are put in. */
  signIdToken(
    consent: ConsentRecord,
    terms: {
      readonly lifespanSeconds: number
      readonly accessToken?: string | undefined
      readonly code?: string | undefined
    },
  ): Promise<string>
  /** Signs other claims with the key of ID tokens: logout tokens, userinfo. */
  signConnectClaims(claims: Record<string, unknown>): Promise<string>
  /** The claims of an ID token of ours, expired or not; null when it is none, or signed by a key before the newest. */
  readIdToken(token: string): Promise<Record<string, unknown> | null>
  /** Whether this is a JWT that the newest key for access tokens has signed. */
  isOwnAccessToken(token: string): Promise<boolean>
}

/** Whether the client's access tokens are JWTs. */
export function hasJwtTokens({ access_token_strategy }: Client): boolean {
  return access_token_strategy.toLowerCase() === 'jwt'
}

/** What an access token of a consent allows. */
export function grantOfConsent(consent: ConsentRecord): AccessGrant {
  return {
    subject: consent.subject,
    scope: consent.grantedScope,
    audience: consent.grantedAudience,
    extra: consent.accessTokenClaims,
    consentRequestId: consent.consentRequestId,
  }
}

type IssuerParts = Pick<OAuthServerContext, 'settings' | 'addresses' | 'keys' | 'now'> & {
  readonly provider: Provider
}

export function makeTokenIssuer(parts: IssuerParts): TokenIssuer {
  const { keys, addresses } = parts
  const nowSeconds = () => Math.floor(parts.now() / 1000)
  return {
    issueCode: (client, consent, terms) => issueCode(parts, client, consent, terms),
    async issueAccessToken(client, grant, lifespan) {
      const times = { iat: nowSeconds(), exp: nowSeconds() + lifespan }
      const value = hasJwtTokens(client)
        ? await signAccessToken(parts, client, grant, times)
        : opaqueValue('accessToken')
      await storeAccessToken(parts.provider, client, grant, { ...times, value })
      return { value, expiresInSeconds: lifespan }
    },
    issueRefreshToken: (client, consent, lifespan) => issueRefreshToken(parts, client, consent, lifespan),
    async signIdToken(consent, { lifespanSeconds, accessToken, code }) {
      const key = await keys.signingKey(ID_TOKEN_KEYS)
      const claims = idTokenClaims(consent, {
        issuer: addresses.public,
        id: randomUUID(),
        issuedAt: nowSeconds(),
        expiresAt: nowSeconds() + lifespanSeconds,
        accessTokenHash: accessToken && halfHash(key, accessToken),
        codeHash: code && halfHash(key, code),
      })
      return signClaims(key, claims)
    },
    signConnectClaims: async claims => signClaims(await keys.signingKey(ID_TOKEN_KEYS), claims),
    readIdToken: async token => readSigned(await keys.signingKey(ID_TOKEN_KEYS), token),
    isOwnAccessToken: async token =>
      (await readSigned(await keys.signingKey(ACCESS_TOKEN_KEYS), token)) !== null,
  }
}

async function issueCode(
  { provider, settings, now }: IssuerParts,
  client: Client,
  consent: ConsentRecord,
  terms: { readonly redirectUri: string | undefined; readonly codeChallenge: string | undefined },
): Promise<string> {
  const iat = Math.floor(now() / 1000)
  const code = new provider.AuthorizationCode({
    ...(await grantedBy(provider, client, consent)),
    iat,
    exp: iat + settings.ttlSeconds.authorizationCode,
    redirectUri: terms.redirectUri,
    codeChallenge: terms.codeChallenge,
  })
  return Object.assign(code, { jti: opaqueValue('authorizationCode') }).save()
}

async function issueRefreshToken(
  { provider, now }: IssuerParts,
  client: Client,
  consent: ConsentRecord,
  lifespanSeconds: number,
): Promise<string> {
  const iat = Math.floor(now() / 1000)
  const token = new provider.RefreshToken({
    ...(await grantedBy(provider, client, consent)),
    iat,
    exp: iat + lifespanSeconds,
  })
  return Object.assign(token, { jti: opaqueValue('refreshToken') }).save()
}

/** What a code and a refresh token of the consent have in common. */
async function grantedBy(provider: Provider, client: Client, consent: ConsentRecord) {
  return {
    client: await libraryClientOf(provider, client),
    accountId: consent.subject,
    grantId: consent.consentRequestId,
    gty: CODE_GRANT,
    scope: consent.grantedScope.join(' '),
  }
}

/** A JWT is kept like an opaque token, by the hash of its text, so that it can be revoked and introspected. */
async function storeAccessToken(
  provider: Provider,
  client: Client,
  grant: AccessGrant,
  { value, iat, exp }: { value: string; iat: number; exp: number },
): Promise<void> {
  const common = {
    client: await libraryClientOf(provider, client),
    aud: [...grant.audience],
    scope: grant.scope.join(' '),
    iat,
    exp,
  }
  const token =
    grant.consentRequestId === undefined
      ? new provider.ClientCredentials(common)
      : new provider.AccessToken({
          ...common,
          accountId: grant.subject,
          grantId: grant.consentRequestId,
          gty: CODE_GRANT,
        })
  await Object.assign(token, { jti: value, format: 'opaque' }).save()
}

async function signAccessToken(
  { keys, addresses }: IssuerParts,
  client: Client,
  grant: AccessGrant,
  { iat, exp }: { iat: number; exp: number },
): Promise<string> {
  const claims = accessTokenClaims({
    ...grant,
    issuer: addresses.public,
    id: randomUUID(),
    clientId: client.client_id,
    issuedAt: iat,
    expiresAt: exp,
  })
  return signClaims(await keys.signingKey(ACCESS_TOKEN_KEYS), claims)
}

/** The left half of the hash that goes with the key's algorithm. OpenID Connect Core 1.0 §3.1.3.6. */
function halfHash({ alg }: SigningKey, text: string): string {
  const hash = createHash(alg.endsWith('384') ? 'sha384' : /512$|^EdDSA$/.test(alg) ? 'sha512' : 'sha256')
  const digest = hash.update(text).digest()
  return digest.subarray(0, digest.length / 2).toString('base64url')
}

async function libraryClientOf(provider: Provider, { client_id }: Client) {
  const client = await provider.Client.find(client_id)
  if (!client) throw new Error(`the client ${client_id} was deleted while a token was made for it`)
  return client
}
