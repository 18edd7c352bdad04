// What makes an authorization fail after the consent (pure): Hydra looks at grant types, nonces, PKCE and response
// modes only when it makes the answer.

import { grantTypesOf, isPublicClient } from '../clients/client-record.ts'
import type { HydraError } from '../wire/hydra-error.ts'
import {
  type AuthorizationRequest,
  defaultResponseMode,
  ENTROPY_CHARACTERS_MIN,
} from './authorization-request.ts'
import {
  insufficientEntropy,
  invalidGrant,
  invalidRequest,
  unsupportedResponseMode,
  unsupportedResponseType,
} from './oauth-errors.ts'
import { challengeFault } from './pkce.ts'
import { isSecureRedirect } from './redirect-uri.ts'

/** The parts of an answer that a response type asks for. */
export interface AnswerParts {
  readonly code: boolean
  readonly token: boolean
  readonly idToken: boolean
}

/**
 * The parts that an answer will hold; without the scope `openid` granted `id_token` counts for nothing but in
 * hybrids.
 */
export function answerParts(request: AuthorizationRequest, grantedScope: readonly string[]): AnswerParts {
  const asked = (type: string) => request.responseTypes.includes(type)
  const isConnect = grantedScope.includes('openid')
  return {
    code: asked('code'),
    token: asked('token') && (isConnect || asked('code') || !asked('id_token')),
    idToken: asked('id_token') && isConnect,
  }
}

/**
 * The first rule that the answer would break, or undefined. `promptFault` is the verdict on prompt and login, which
 * counts for OpenID Connect answers only.
 */
export function answerFault(
  request: AuthorizationRequest,
  grantedScope: readonly string[],
  promptFault: HydraError | undefined,
): HydraError | undefined {
  const { code, token, idToken } = answerParts(request, grantedScope)
  const isPlainToken = token && request.responseTypes.length === 1
  const isPlainCode = code && request.responseTypes.length === 1
  if (!code && !token && !idToken) return unsupportedResponseType()
  const isConnect = !isPlainToken && (!isPlainCode || grantedScope.includes('openid'))
  return (
    (isPlainCode ? insecureRedirectFault(request) : grantTypeFault(request)) ??
    (isPlainCode || isPlainToken ? undefined : nonceFault(request)) ??
    (isConnect ? connectFault(request, promptFault) : undefined) ??
    (code ? pkceFault(request) : undefined) ??
    responseModeFault(request)
  )
}

function insecureRedirectFault({ redirectUri }: AuthorizationRequest) {
  if (isSecureRedirect(redirectUri)) return undefined
  return invalidRequest('The redirect URL uses http, which is only allowed on this machine.')
}

function grantTypeFault({ client, responseTypes }: AuthorizationRequest) {
  const needed = [
    ...(responseTypes.includes('code') ? ['authorization_code'] : []),
    ...(responseTypes.includes('token') || !responseTypes.includes('code') ? ['implicit'] : []),
  ]
  const missing = needed.find(grant => !grantTypesOf(client).includes(grant))
  if (missing === undefined) return undefined
  return invalidGrant(`The OAuth 2.0 Client is not allowed to use authorization grant '${missing}'.`)
}

function nonceFault({ form, responseTypes }: AuthorizationRequest) {
  const nonce = form.get('nonce') ?? ''
  if (!nonce && responseTypes.includes('id_token'))
    return invalidRequest("Parameter 'nonce' must be set when requesting an ID Token.")
  return nonce && nonce.length < ENTROPY_CHARACTERS_MIN ? weakNonce() : undefined
}

/** The refusal of a nonce that could be guessed. */
export function weakNonce(): HydraError {
  return insufficientEntropy(
    `Parameter 'nonce' is set but does not satisfy the minimum entropy of ${ENTROPY_CHARACTERS_MIN} characters.`,
  )
}

function connectFault({ form }: AuthorizationRequest, promptFault: HydraError | undefined) {
  if (form.get('redirect_uri')) return promptFault
  return invalidRequest("The 'redirect_uri' parameter is required when using OpenID Connect 1.0.")
}

function pkceFault({ client, form }: AuthorizationRequest) {
  return challengeFault(form.get('code_challenge'), form.get('code_challenge_method'), isPublicClient(client))
}

function responseModeFault({ responseMode, responseTypes }: AuthorizationRequest) {
  if (responseMode !== 'query' || defaultResponseMode(responseTypes) === 'query') return undefined
  return unsupportedResponseMode(
    `Insecure response_mode 'query' for the response_type '[${responseTypes.join(' ')}]'.`,
  )
}
