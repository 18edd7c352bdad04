// What the steps of a flow need from the rest of the server.

import type { OAuthServerContext } from '../context.ts'
import type { ConsentStore } from '../sessions/consent-store.ts'
import type { LoginSessionStore } from '../sessions/login-session-store.ts'
import type { TokenIssuer } from '../tokens/token-issuer.ts'
import type { TokenStore } from '../tokens/token-store.ts'
import type { BrowserCookies } from './browser-cookies.ts'
import type { Challenges } from './flow-challenges.ts'

export interface FlowDeps extends OAuthServerContext {
  readonly challenges: Challenges
  readonly cookies: BrowserCookies
  readonly loginSessions: LoginSessionStore
  readonly consents: ConsentStore
  readonly tokens: TokenIssuer
  readonly tokenStore: TokenStore
  /** Seconds since 1970. */
  readonly nowSeconds: () => number
}
