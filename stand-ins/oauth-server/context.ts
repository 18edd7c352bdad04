// What every part of the OAuth2 server is given. Made once by server.ts; nothing here is looked up anywhere else.

import type { Database } from '../service/database.ts'
import type { ClientStore } from './clients/client-store.ts'
import type { KeyStore } from './keys/key-store.ts'
import type { OAuthServerSettings } from './settings.ts'
import type { PageTokens } from './wire/page-tokens.ts'

/** Where everything is, without a slash at the end. */
export interface Addresses {
  /** The issuer too. */
  readonly public: string
  readonly admin: string
  readonly login: string
  readonly consent: string
  readonly logout: string
  readonly error: string
  readonly deviceVerification: string
  readonly deviceSuccess: string
  readonly postLogoutRedirect: string
}

export interface OAuthServerContext {
  readonly settings: OAuthServerSettings
  readonly addresses: Addresses
  readonly database: Database
  readonly clients: ClientStore
  readonly keys: KeyStore
  readonly pageTokens: PageTokens
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** For calls to what a client registered (sector identifiers, logout notifications). */
  readonly fetch: typeof fetch
}

export type { RequestContext } from '../service/listen.ts'

/** Where the pages are: those that were set, else the server's own fallbacks as Hydra names them. */
export function addressesOf(settings: OAuthServerSettings, publicUrl: string, adminUrl: string): Addresses {
  const fallback = (page: string) => `${publicUrl}/oauth2/fallbacks/${page}`
  return {
    public: publicUrl,
    admin: adminUrl,
    login: settings.loginUrl ?? fallback('login'),
    consent: settings.consentUrl ?? fallback('consent'),
    logout: settings.logoutUrl ?? fallback('logout'),
    error: settings.errorUrl ?? fallback('error'),
    deviceVerification: settings.deviceVerificationUrl ?? fallback('device'),
    deviceSuccess: settings.deviceSuccessUrl ?? fallback('device/done'),
    postLogoutRedirect: settings.postLogoutRedirectUrl ?? fallback('logout/callback'),
  }
}
