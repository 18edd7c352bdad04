// `POST /oauth2/token`, `/oauth2/revoke` and `/oauth2/device/auth`: what a client asks for itself. RFC 6749, 7009,
// 8628.

import type { ServiceApp } from '../../service/listen.ts'
import type { Client } from '../clients/client-record.ts'
import type { RequestContext } from '../context.ts'
import { beginDevice } from '../device/device-request.ts'
import { invalidGrant, invalidRequest } from '../flow/oauth-errors.ts'
import { jsonAnswer } from '../wire/answers.ts'
import { HydraError } from '../wire/hydra-error.ts'
import { authenticateClient, readFields } from './client-authentication.ts'
import { grantClientCredentials } from './client-credentials-grant.ts'
import { exchangeCode } from './code-grant.ts'
import { DEVICE_GRANT, exchangeDeviceCode } from './device-grant.ts'
import { refreshTokens } from './refresh-grant.ts'
import { requireGrantType, type TokenAnswer } from './token-answer.ts'
import type { TokenDeps } from './token-deps.ts'

export const TOKEN_PATH = '/oauth2/token'
export const REVOCATION_PATH = '/oauth2/revoke'
const DEVICE_AUTHORIZATION_PATH = '/oauth2/device/auth'
const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

type Grant = (deps: TokenDeps, client: Client, fields: URLSearchParams) => Promise<TokenAnswer>

const GRANTS: ReadonlyMap<string, Grant> = new Map<string, Grant>([
  ['authorization_code', exchangeCode],
  ['refresh_token', refreshTokens],
  ['client_credentials', grantClientCredentials],
  [DEVICE_GRANT, exchangeDeviceCode],
  [JWT_BEARER_GRANT, refuseAssertion],
])

export function addTokenEndpoints(app: ServiceApp, deps: TokenDeps): void {
  const add = (path: string, answer: (c: RequestContext) => Promise<unknown>) =>
    app.post(path, async c => {
      try {
        const body = await answer(c)
        return body === undefined ? c.body('', 200, UNCACHED) : jsonAnswer(c, body, 200, JSON_HEADERS)
      } catch (err) {
        if (!(err instanceof HydraError)) throw err
        const { status, error, description } = err
        return jsonAnswer(c, { error, error_description: description }, status, JSON_HEADERS)
      }
    })
  add(TOKEN_PATH, c => grantTokens(deps, c))
  add(REVOCATION_PATH, c => revoke(deps, c))
  add(DEVICE_AUTHORIZATION_PATH, async c => {
    const fields = await readFields(c)
    const client = await authenticateClient(deps, c, fields)
    // Also where a header names it. RFC 8628 §3.1.
    if (fields.get('client_id') !== client.client_id) throw invalidRequest('Provided client_id mismatch.')
    return beginDevice(deps, client, fields)
  })
}

const UNCACHED = { 'cache-control': 'no-store', pragma: 'no-cache' }
const JSON_HEADERS = { ...UNCACHED, 'content-type': 'application/json;charset=UTF-8' }

/** An unknown grant is refused before the client is looked at. */
async function grantTokens(deps: TokenDeps, c: RequestContext): Promise<TokenAnswer> {
  const fields = await readFields(c)
  const grant = GRANTS.get(fields.get('grant_type') ?? '')
  if (!grant) throw invalidRequest("The 'grant_type' is missing or unknown.")
  return grant(deps, await authenticateClient(deps, c, fields), fields)
}

/** This server trusts no issuers of such assertions (RFC 7523 §2.1), as a Hydra does that was told of none. */
async function refuseAssertion(_: TokenDeps, client: Client, fields: URLSearchParams): Promise<TokenAnswer> {
  requireGrantType(client, JWT_BEARER_GRANT)
  if (!fields.get('assertion')) throw invalidRequest('The assertion is missing.')
  throw invalidGrant('No public JWK that would verify this assertion is registered.')
}

/** Ends a token with everything of its grant; unknown ones and those of others are left alone and answered alike. */
async function revoke(deps: TokenDeps, c: RequestContext): Promise<undefined> {
  const { tokenStore } = deps
  const fields = await readFields(c)
  const client = await authenticateClient(deps, c, fields)
  const value = fields.get('token') ?? ''
  for (const kind of ['access', 'refresh'] as const) {
    const token = await tokenStore.find(kind, value)
    if (token?.clientId !== client.client_id) continue
    await tokenStore.remove(kind, value)
    if (token.consentRequestId !== null) await tokenStore.endTokensOf(token.consentRequestId)
  }
}
