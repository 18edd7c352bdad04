// Makes codes and tokens, opaque ones and JWTs, and keeps them (token-store.ts).

import { createHash, randomUUID } from 'node:crypto'
import type { Client } from '../clients/client-record.ts'
import type { OAuthServerContext } from '../context.ts'
import type { SigningKey } from '../keys/key-store.ts'
import type { ConsentRecord } from '../sessions/consent-store.ts'
import { readSigned, signClaims } from './signed-claims.ts'
import { accessTokenClaims, idTokenClaims } from './token-claims.ts'
import type { TokenStore } from './token-store.ts'
import { opaqueValue } from './token-values.ts'

const ID_TOKEN_KEYS = 'hydra.openid.id-token'
const ACCESS_TOKEN_KEYS = 'hydra.jwt.access-token'

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
  readonly tokenStore: TokenStore
}

export function makeTokenIssuer({ settings, addresses, keys, now, tokenStore }: IssuerParts): TokenIssuer {
  const timesFor = (lifespan: number) => {
    const issuedAt = Math.floor(now() / 1000)
    return { issuedAt, expiresAt: issuedAt + lifespan }
  }
  const ofConsent = (
    { client_id: clientId }: Client,
    { consentRequestId, subject, grantedScope }: ConsentRecord,
  ) => ({ clientId, consentRequestId, subject, scope: grantedScope })
  const signAccessToken = async (client: Client, grant: AccessGrant, times: ReturnType<typeof timesFor>) => {
    const terms = { issuer: addresses.public, id: randomUUID(), clientId: client.client_id }
    return signClaims(
      await keys.signingKey(ACCESS_TOKEN_KEYS),
      accessTokenClaims({ ...grant, ...terms, ...times }),
    )
  }
  return {
    async issueCode(client, consent, terms) {
      const code = opaqueValue('code')
      const times = timesFor(settings.ttlSeconds.authorizationCode)
      await tokenStore.insert('code', code, { ...ofConsent(client, consent), ...terms, ...times })
      return code
    },
    /** A JWT is kept like an opaque token, by the hash of its text, so that it can be revoked and introspected. */
    async issueAccessToken(client, grant, lifespan) {
      const times = timesFor(lifespan)
      const value = hasJwtTokens(client) ? await signAccessToken(client, grant, times) : opaqueValue('access')
      const { extra: _, ...kept } = grant
      await tokenStore.insert('access', value, { ...kept, clientId: client.client_id, ...times })
      return { value, expiresInSeconds: lifespan }
    },
    async issueRefreshToken(client, consent, lifespan) {
      const value = opaqueValue('refresh')
      await tokenStore.insert('refresh', value, { ...ofConsent(client, consent), ...timesFor(lifespan) })
      return value
    },
    async signIdToken(consent, { lifespanSeconds, accessToken, code }) {
      const key = await keys.signingKey(ID_TOKEN_KEYS)
      const claims = idTokenClaims(consent, {
        issuer: addresses.public,
        id: randomUUID(),
        ...timesFor(lifespanSeconds),
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

/** The left half of the hash that goes with the key's algorithm. OpenID Connect Core 1.0 §3.1.3.6. */
function halfHash({ alg }: SigningKey, text: string): string {
  const hash = createHash(alg.endsWith('384') ? 'sha384' : /512$|^EdDSA$/.test(alg) ? 'sha512' : 'sha256')
  const digest = hash.update(text).digest()
  return digest.subarray(0, digest.length / 2).toString('base64url')
}
