// Userinfo, and what the admin port does with tokens: introspection and the end of all access tokens of a client.

import { randomUUID } from 'node:crypto'
import type { ServiceApp } from '../../service/listen.ts'
import type { OAuthServerContext, RequestContext } from '../context.ts'
import { invalidRequest, requestUnauthorized } from '../flow/oauth-errors.ts'
import { readBodyForm, readRequestForm } from '../flow/request-form.ts'
import { errorAnswer, jsonAnswer, noContent } from '../wire/answers.ts'
import { findAccessToken, introspect, type LiveToken } from './introspection.ts'
import { revokeAccessTokensOf } from './revocation.ts'
import { userinfoClaims } from './token-claims.ts'
import type { TokenDeps } from './token-deps.ts'

type RouteDeps = TokenDeps & Pick<OAuthServerContext, 'addresses' | 'now'>

export function addUserinfoRoutes(app: ServiceApp, deps: RouteDeps): void {
  app.on(['GET', 'POST'], '/userinfo', c => userinfo(deps, c))
}

export function addTokenAdminRoutes(app: ServiceApp, deps: RouteDeps): void {
  app.post('/admin/oauth2/introspect', async c => {
    const form = await readBodyForm(c)
    const uncached = { 'content-type': 'application/json;charset=UTF-8', 'cache-control': 'no-store' }
    if (form.size === 0) {
      const { status, error, description } = invalidRequest('The POST body can not be empty.')
      return jsonAnswer(c, { error, error_description: description }, status, uncached)
    }
    const body = await introspect(deps, deps.addresses.public, form.get('token') ?? '', form.get('scope'))
    return jsonAnswer(c, body, 200, uncached)
  })
  app.delete('/admin/oauth2/tokens', async c => {
    const clientId = c.req.query('client_id')
    if (!clientId) {
      throw invalidRequest("Query parameter 'client_id' is not defined but it should have been.")
    }
    await revokeAccessTokensOf(deps, clientId)
    return noContent(c)
  })
}

/** Everything that the consent put into the ID token, whatever the token's scopes: Hydra does not filter. */
async function userinfo(deps: RouteDeps, c: RequestContext): Promise<Response> {
  const token = await findAccessToken(deps, await bearerToken(c))
  if (!token) {
    const refusal = requestUnauthorized()
    c.header('www-authenticate', `Bearer error="${refusal.error}",error_description="${refusal.description}"`)
    return errorAnswer(c, refusal)
  }
  const claims = claimsOf(deps, token)
  if (token.client.userinfo_signed_response_alg !== 'RS256') return jsonAnswer(c, claims)
  const signed = await deps.tokens.signConnectClaims({
    ...claims,
    iat: Math.floor(deps.now() / 1000),
    jti: randomUUID(),
  })
  return c.body(signed, 200, { 'content-type': 'application/jwt' })
}

function claimsOf(
  { addresses }: RouteDeps,
  { consent, client, issuedAt }: LiveToken,
): Record<string, unknown> {
  if (consent) return userinfoClaims(consent, addresses.public)
  return { aud: [client.client_id], iat: issuedAt, iss: addresses.public }
}

/** The header's token, else the parameter `access_token` of body or query. RFC 6750 §2. */
async function bearerToken(c: RequestContext): Promise<string> {
  const [, header] = /^bearer (.*)$/i.exec(c.req.header('authorization') ?? '') ?? []
  return header ?? (await readRequestForm(c)).get('access_token') ?? ''
}
