// Userinfo, and what the admin port does with tokens: introspection and the end of all access tokens of a client.

import { randomUUID } from 'node:crypto'
import type { ServiceApp } from '../../service/listen.ts'
import type { RequestContext } from '../context.ts'
import { invalidRequest, requestUnauthorized } from '../flow/oauth-errors.ts'
import { readBodyForm, readRequestForm } from '../flow/request-form.ts'
import { bearerToken, errorAnswer, jsonAnswer, noContent } from '../wire/answers.ts'
import { HydraError } from '../wire/hydra-error.ts'
import { findToken, introspect, type LiveToken } from './introspection.ts'
import { userinfoClaims } from './token-claims.ts'
import type { TokenDeps } from './token-deps.ts'

export const USERINFO_PATH = '/userinfo'

export function addUserinfoRoutes(app: ServiceApp, deps: TokenDeps): void {
  app.on(['GET', 'POST'], USERINFO_PATH, c => userinfo(deps, c))
}

export function addTokenAdminRoutes(app: ServiceApp, deps: TokenDeps): void {
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
    await deps.tokenStore.endAccessTokensOfClient(clientId)
    return noContent(c)
  })
}

/** Everything that the consent put into the ID token, whatever the token's scopes: Hydra does not filter. */
async function userinfo(deps: TokenDeps, c: RequestContext): Promise<Response> {
  const token = await findToken(deps, await accessToken(c))
  if (!token) return refuseBearer(c, requestUnauthorized())
  if (token.use === 'refresh_token') {
    return refuseBearer(c, new HydraError(401, 'invalid_token', 'Only access tokens are good for this.'))
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

/** RFC 6750 §3. */
function refuseBearer(c: RequestContext, refusal: HydraError): Response {
  const { error, description } = refusal
  c.header('www-authenticate', `Bearer error="${error}",error_description="${description}"`)
  return errorAnswer(c, refusal)
}

function claimsOf(
  { addresses }: TokenDeps,
  { consent, client, issuedAt }: LiveToken,
): Record<string, unknown> {
  if (consent) return userinfoClaims(consent, addresses.public)
  return { aud: [client.client_id], iat: issuedAt, iss: addresses.public }
}

/** The header's token, else the parameter `access_token` of body or query. RFC 6750 §2. */
async function accessToken(c: RequestContext): Promise<string> {
  return bearerToken(c) ?? (await readRequestForm(c)).get('access_token') ?? ''
}
