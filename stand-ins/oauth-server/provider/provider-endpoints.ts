// The endpoints that oidc-provider answers, with our grants inside and Hydra's bodies outside: token, revocation and
// device authorization. client-request.ts rewrites what the library reads, a Koa middleware before its routes what
// leaves.

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { Client } from '../clients/client-record.ts'
import type { RequestContext } from '../context.ts'
import { grantClientCredentials } from '../tokens/client-credentials-grant.ts'
import { exchangeCode } from '../tokens/code-grant.ts'
import { DEVICE_GRANT, exchangeDeviceCode } from '../tokens/device-grant.ts'
import { JWT_BEARER_GRANT, refuseAssertion } from '../tokens/jwt-bearer-grant.ts'
import { refreshTokens } from '../tokens/refresh-grant.ts'
import { revokeAccessToken } from '../tokens/revocation.ts'
import type { TokenAnswer } from '../tokens/token-answer.ts'
import type { TokenDeps, TokenParameters } from '../tokens/token-deps.ts'
import { jsonAnswer } from '../wire/answers.ts'
import { corsHeaders } from '../wire/cors.ts'
import { HydraError } from '../wire/hydra-error.ts'
import { readClientRequest } from './client-request.ts'
import { hydraErrorOf } from './library-errors.ts'
import { DEVICE_AUTHORIZATION_PATH, TOKEN_PATH } from './provider.ts'

type Grant = (deps: TokenDeps, client: Client, params: TokenParameters) => Promise<TokenAnswer>

/** By grant type: what answers it, and with which parameters. */
const GRANTS: Readonly<Record<string, { readonly answer: Grant; readonly parameters: string[] }>> = {
  authorization_code: { answer: exchangeCode, parameters: ['code', 'code_verifier', 'redirect_uri'] },
  refresh_token: { answer: refreshTokens, parameters: ['refresh_token', 'scope'] },
  client_credentials: { answer: grantClientCredentials, parameters: ['scope', 'audience'] },
  [DEVICE_GRANT]: { answer: exchangeDeviceCode, parameters: ['device_code'] },
  [JWT_BEARER_GRANT]: { answer: refuseAssertion, parameters: ['assertion'] },
}

/** Readies the library's endpoints and gives the handler that serves them at their own paths. */
export function makeProviderEndpoints(
  deps: TokenDeps,
  deviceAnswer: (answer: Record<string, unknown>) => Promise<Record<string, unknown>>,
): (c: RequestContext) => Promise<Response> {
  const { provider } = deps
  for (const [name, { answer, parameters }] of Object.entries(GRANTS)) {
    const handle = async (ctx: KoaContextWithOIDC) => {
      const client = await deps.clients.get(ctx.oidc.client?.clientId ?? '')
      ctx.body = await answer(deps, client, { ...ctx.oidc.params })
    }
    provider.registerGrantType(name, handle, parameters)
  }
  const failures = collectFailures(provider)
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => {
    await next()
    const failure = failures.get(ctx)
    if (failure !== undefined) await answerFailure(deps, ctx, failure)
    else if (ctx.oidc.route === 'device_authorization') ctx.body = await deviceAnswer({ ...Object(ctx.body) })
    finishHeaders(ctx)
  })
  const serve = provider.callback()
  return async c => {
    try {
      await serve(await readClientRequest(deps, c, rulesOf(c.req.path)), c.env.outgoing)
      return RESPONSE_ALREADY_SENT
    } catch (err) {
      if (err instanceof HydraError) return earlyRefusal(c, err)
      throw err
    }
  }
}

function rulesOf(path: string) {
  if (path === TOKEN_PATH) return { grantTypes: Object.keys(GRANTS) }
  return { mustNameClient: path === DEVICE_AUTHORIZATION_PATH }
}

function earlyRefusal(c: RequestContext, { status, error, description }: HydraError): Response {
  return jsonAnswer(c, { error, error_description: description }, status, ANSWER_HEADERS)
}

/** What the library caught, by request: it writes errors in its own words before it tells. */
function collectFailures(provider: Provider): WeakMap<object, unknown> {
  const failures = new WeakMap<object, unknown>()
  const collect = (ctx: KoaContextWithOIDC, err: unknown) => void failures.set(ctx, err)
  provider.on('grant.error', collect)
  provider.on('revocation.error', collect)
  provider.on('device_authorization.error', collect)
  provider.on('server_error', (ctx, err) => {
    collect(ctx, err)
    if (!(err instanceof HydraError)) console.error(err)
  })
  return failures
}

async function answerFailure(deps: TokenDeps, ctx: KoaContextWithOIDC, failure: unknown): Promise<void> {
  ctx.remove('WWW-Authenticate')
  if (ctx.oidc.route === 'revocation' && (await isRevocationOfNothing(deps, ctx, failure))) {
    ctx.status = 200
    ctx.body = ''
    return
  }
  const { status, error, description } = hydraErrorOf(failure)
  ctx.status = status
  ctx.body = { error, error_description: description }
}

/**
 * Hydra says yes to a revocation without a token, and revokes JWTs, both of which the library refuses after it has
 * authenticated the client.
 */
async function isRevocationOfNothing(deps: TokenDeps, ctx: KoaContextWithOIDC, failure: unknown) {
  if (!(failure instanceof errors.OIDCProviderError) || !ctx.oidc.client) return false
  const token = ctx.oidc.params?.['token']
  if (failure.error === 'unsupported_token_type' && typeof token === 'string') {
    await revokeAccessToken(deps, ctx.oidc.client.clientId, token)
    return true
  }
  return failure.error === 'invalid_request' && token === undefined
}

function finishHeaders(ctx: KoaContextWithOIDC): void {
  ctx.set(ANSWER_HEADERS)
  if (!ctx.body) ctx.remove('content-type')
  // The library lets every origin read, at devices too. What it writes is past our middleware.
  for (const header of ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'Vary'])
    ctx.remove(header)
  if (ctx.path !== DEVICE_AUTHORIZATION_PATH) ctx.set(corsHeaders(ctx.get('origin')))
}

const ANSWER_HEADERS = {
  'content-type': 'application/json;charset=UTF-8',
  'cache-control': 'no-store',
  pragma: 'no-cache',
}
