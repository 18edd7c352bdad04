// The claims of ID tokens, userinfo answers and JWT access tokens (pure), as Hydra composes them. What the consent put
// into `id_token` comes first; the server's own claims win over it.

import type { ConsentRecord } from '../sessions/consent-store.ts'

type Claims = Record<string, unknown>

/**
 * What is new with each ID token of a consent. Times in seconds since 1970; hashes as OpenID Connect Core §3.3.2.11.
 */
export interface IdTokenTerms {
  readonly issuer: string
  readonly id: string
  readonly issuedAt: number
  readonly expiresAt: number
  readonly accessTokenHash?: string | undefined
  readonly codeHash?: string | undefined
}

export function idTokenClaims(consent: ConsentRecord, terms: IdTokenTerms): Claims {
  return {
    ...connectClaims(consent, terms.issuer),
    iat: terms.issuedAt,
    exp: terms.expiresAt,
    jti: terms.id,
    sid: consent.loginSessionId,
    ...(consent.isAcrAsked && !consent.acr ? { acr: NO_ACR } : {}),
    ...(consent.nonce ? { nonce: consent.nonce } : {}),
    ...(terms.accessTokenHash ? { at_hash: terms.accessTokenHash } : {}),
    ...(terms.codeHash ? { c_hash: terms.codeHash } : {}),
  }
}

/** The level of a login that promises none. OpenID Connect Core 1.0 §2. */
const NO_ACR = '0'

/** What userinfo tells of a consent: its ID token without what is about one token only. */
export function userinfoClaims(consent: ConsentRecord, issuer: string): Claims {
  return { ...connectClaims(consent, issuer), iat: consent.issuedAt }
}

const TOKEN_CLAIMS = ['iat', 'exp', 'jti', 'sid', 'nonce', 'at_hash', 'c_hash', 'acr', 'amr']

function connectClaims(consent: ConsentRecord, issuer: string): Claims {
  const own = Object.entries(consent.idTokenClaims).filter(([name]) => !TOKEN_CLAIMS.includes(name))
  return {
    ...Object.fromEntries(own),
    iss: issuer,
    sub: consent.clientSubject,
    aud: [consent.clientId],
    rat: consent.requestedAt,
    auth_time: consent.authenticatedAt,
    ...(consent.acr ? { acr: consent.acr } : {}),
    ...(consent.amr.length ? { amr: consent.amr } : {}),
  }
}

/** What a JWT access token says. `extra` is what the consent put into `access_token`. */
export interface AccessTokenTerms {
  readonly issuer: string
  readonly id: string
  readonly clientId: string
  readonly subject: string
  readonly scope: readonly string[]
  readonly audience: readonly string[]
  readonly extra: Readonly<Claims>
  readonly issuedAt: number
  readonly expiresAt: number
}

export function accessTokenClaims(terms: AccessTokenTerms): Claims {
  return {
    iss: terms.issuer,
    sub: terms.subject,
    aud: terms.audience,
    client_id: terms.clientId,
    scp: terms.scope,
    ext: terms.extra,
    iat: terms.issuedAt,
    nbf: terms.issuedAt,
    exp: terms.expiresAt,
    jti: terms.id,
  }
}
