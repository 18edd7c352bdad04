import type { OAuthServerContext } from '../context.ts'
import type { ConsentStore } from '../sessions/consent-store.ts'
import type { AuthenticationDeps } from './client-authentication.ts'
import type { TokenIssuer } from './token-issuer.ts'

/** What the grants need. */
export interface TokenDeps extends AuthenticationDeps, Pick<OAuthServerContext, 'settings'> {
  readonly consents: ConsentStore
  readonly tokens: TokenIssuer
}
