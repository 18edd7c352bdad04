// What the grants of the token endpoint need.

import type { Provider } from 'oidc-provider'
import type { OAuthServerContext } from '../context.ts'
import type { ConsentStore } from '../sessions/consent-store.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface TokenDeps extends Pick<OAuthServerContext, 'settings' | 'clients' | 'database' | 'now'> {
  /** Only its models and their lookups. */
  readonly provider: Provider
  readonly consents: ConsentStore
  readonly tokens: TokenIssuer
}

/** The parameters of a token request; repeated ones arrive as arrays. */
export type TokenParameters = Readonly<Record<string, unknown>>

/** A parameter that counts once; empty when absent. */
export function parameter(params: TokenParameters, name: string): string {
  const value = params[name]
  return typeof value === 'string' ? value : ''
}
