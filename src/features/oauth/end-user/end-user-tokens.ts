// All that an isolate needs for access tokens of end users: how each kind is verified, and what is remembered of them.

import type { Upstream } from '../../../clients/http.ts'
import { fetchPublicKeys } from '../../../clients/oauth-server/documents.ts'
import { introspectToken } from '../../../clients/oauth-server/introspection.ts'
import type { OwnerConfig } from '../clients/own-client.ts'
import {
  type AccessTokenRules,
  type EndUser,
  invalidAccessToken,
  isJwt,
  verifyAccessToken,
} from './access-token.ts'
import { type EndUserTokens, OpaqueTokenGate } from './opaque-token.ts'
import { TokenClients } from './token-clients.ts'
import { TokenKeys } from './token-keys.ts'

export interface EndUserTokenDeps {
  config: OwnerConfig & {
    oauthPublicUrl: string | undefined
    oauthIssuer: string | undefined
    oauthAdminUrl: string | undefined
    dataAudience: string | undefined
  }
  upstreams: { oauthPublic: Upstream; oauthAdmin: Upstream }
  now: () => Date
}

interface EndUserTokenParts {
  /**
   * Who an access token beside an API key belongs to: a JWT says so itself, of an opaque one the OAuth2 server is
   * asked. Throws `invalid_access_token` and the `upstream_*` errors.
   */
  verifyAccessToken: (token: string) => Promise<EndUser>
  /** How JWT access tokens are verified, beside API keys and before they are revoked; undefined: none are taken. */
  accessTokenRules: AccessTokenRules | undefined
  /** What is remembered of end users' tokens; for whoever ends some. */
  endUserTokens: EndUserTokens
}

/** One isolate's memory of end users' tokens, keys and clients. */
export function makeEndUserTokens(deps: EndUserTokenDeps): EndUserTokenParts {
  const { config, now } = deps
  const { oauthAdmin } = deps.upstreams
  const rules = makeAccessTokenRules(deps)
  const opaqueTokens = new OpaqueTokenGate({
    introspect: token => introspectToken(oauthAdmin, token),
    audience: config.dataAudience,
    now,
  })
  const clients = new TokenClients({ config, oauthAdmin, now })
  const verify = (token: string): Promise<EndUser> => {
    if (isJwt(token))
      return rules === undefined ? refuse('OAUTH_PUBLIC_URL') : verifyAccessToken(rules, token)
    return config.oauthAdminUrl === undefined ? refuse('OAUTH_ADMIN_URL') : opaqueTokens.enter(token)
  }
  return {
    verifyAccessToken: async token => {
      const endUser = await verify(token)
      if (!(await clients.includes(String(endUser.claims['client_id'])))) throw invalidAccessToken()
      return endUser
    },
    accessTokenRules: rules,
    endUserTokens: { forget: () => opaqueTokens.forget() },
  }
}

function refuse(unset: string): Promise<never> {
  return Promise.reject(invalidAccessToken(`This deployment takes none of its kind: ${unset} is not set.`))
}

function makeAccessTokenRules({ config, upstreams, now }: EndUserTokenDeps): AccessTokenRules | undefined {
  const { oauthIssuer, oauthPublicUrl, dataAudience: audience } = config
  if (oauthPublicUrl === undefined) return undefined
  const issuers = oauthIssuer === undefined ? [oauthPublicUrl, `${oauthPublicUrl}/`] : [oauthIssuer]
  const keys = new TokenKeys({
    fetchKeys: () => fetchPublicKeys(upstreams.oauthPublic),
    nowMs: () => now().getTime(),
    wait: milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds)),
  })
  return { issuers, audience, keys, now }
}
