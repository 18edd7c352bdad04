// Reads and judges an authorization request (pure). What is wrong here is found before anybody signs in; PKCE, nonces
// and response modes that do not fit are found only when the answer is made (authorization-answer.ts), as Hydra does.

import { type Client, responseTypesOf } from '../clients/client-record.ts'
import type { HydraError } from '../wire/hydra-error.ts'
import {
  invalidClient,
  invalidRequest,
  invalidScope,
  invalidState,
  registrationNotSupported,
  unsupportedResponseMode,
  unsupportedResponseType,
} from './oauth-errors.ts'
import { matchRedirectUri } from './redirect-uri.ts'
import { coversAudience, coversScope, requestedAudience, words } from './scope-matching.ts'

/** States and nonces shorter than this can be guessed. RFC 6819 §4.4.1.8. */
export const ENTROPY_CHARACTERS_MIN = 8

export type ResponseMode = 'query' | 'fragment' | 'form_post'

export interface AuthorizationRequest {
  readonly client: Client
  /** Query and form together. */
  readonly form: URLSearchParams
  readonly redirectUri: string
  readonly responseTypes: readonly string[]
  /** As asked for; undefined when the request leaves it to the response type. */
  readonly responseMode: ResponseMode | undefined
  readonly scopes: readonly string[]
  readonly audience: readonly string[]
  readonly state: string
}

/**
 * Where an error of a request may be sent: known as soon as the redirect URI is, the rest being what was read so far.
 */
export interface AnswerTarget {
  readonly redirectUri: string
  readonly responseMode: ResponseMode | undefined
  readonly state: string
}

export type ValidatedRequest =
  | { readonly outcome: 'valid'; readonly request: AuthorizationRequest }
  /** Without a target the error belongs on the error page: nothing may be sent to an address that is not proven. */
  | { readonly outcome: 'refused'; readonly error: HydraError; readonly target: AnswerTarget | undefined }

/** Judges a request; `client` is undefined when its `client_id` is unknown. The first fault wins, in Hydra's order. */
export function validateAuthorizationRequest(
  form: URLSearchParams,
  client: Client | undefined,
): ValidatedRequest {
  const refused = (error: HydraError, target?: AnswerTarget) =>
    ({ outcome: 'refused', error, target }) as const
  if (!client) return refused(invalidClient('The requested OAuth 2.0 Client does not exist.'))
  const responseMode = form.get('response_mode') || undefined
  if (!isResponseMode(responseMode)) {
    return refused(unsupportedResponseMode(`Request with unsupported response_mode '${responseMode}'.`))
  }
  const scopes = words(form.get('scope'))
  const redirectUri = matchRedirectUri(form.get('redirect_uri'), client.redirect_uris ?? [])
  if (!form.get('redirect_uri') && scopes.includes('openid')) return refused(invalidRequest(NO_REDIRECT_URI))
  if (redirectUri === undefined) return refused(invalidRequest(UNKNOWN_REDIRECT_URI))

  const state = form.get('state') ?? ''
  const request = {
    client,
    form,
    redirectUri,
    responseMode,
    scopes,
    state,
    audience: requestedAudience(form),
    responseTypes: words(form.get('response_type')),
  }
  const error = findFault(request)
  if (!error) return { outcome: 'valid', request }
  return refused(error.error, { redirectUri, state, responseMode: error.responseMode })
}

/** The mode that a request's answer takes: the one asked for, else `query` for a code alone and `fragment` else. */
export function effectiveResponseMode(request: AuthorizationRequest): ResponseMode {
  return request.responseMode ?? defaultResponseMode(request.responseTypes)
}

/** The mode of a response type when none is asked for: tokens must not end up in a server's log. */
export function defaultResponseMode(responseTypes: readonly string[]): ResponseMode {
  return responseTypes.length === 1 && responseTypes[0] === 'code' ? 'query' : 'fragment'
}

const NO_REDIRECT_URI = "The 'redirect_uri' parameter is required when using OpenID Connect 1.0."
const UNKNOWN_REDIRECT_URI =
  "The 'redirect_uri' parameter does not match any of the OAuth 2.0 Client's pre-registered redirect urls."

interface Fault {
  readonly error: HydraError
  readonly responseMode: ResponseMode | undefined
}

function findFault(request: AuthorizationRequest): Fault | undefined {
  // The default mode is settled only after the response type is known to be allowed; faults before that go to the
  // query.
  const early = requestedRightsFault(request) ?? responseTypeFault(request)
  if (early) return { error: early, responseMode: request.responseMode }
  if (request.state.length >= ENTROPY_CHARACTERS_MIN) return undefined
  const error = invalidState(`It must have at least ${ENTROPY_CHARACTERS_MIN} characters.`)
  return { error, responseMode: effectiveResponseMode(request) }
}

function requestedRightsFault({ client, form, scopes, audience }: AuthorizationRequest) {
  return (
    rightsFault(client, scopes, audience) ??
    (form.get('registration') ? registrationNotSupported() : undefined)
  )
}

function responseTypeFault({ client, form, responseTypes }: AuthorizationRequest) {
  if (responseTypes.length === 0) {
    return unsupportedResponseType("The request is missing the 'response_type' parameter.")
  }
  if (responseTypesOf(client).some(type => isSameSet(responseTypes, words(type)))) return undefined
  return unsupportedResponseType(
    `The client is not allowed to request response_type '${form.get('response_type')}'.`,
  )
}

/** The refusal of the first scope, else audience, that the client's record does not cover. */
export function rightsFault(
  client: Client,
  scopes: readonly string[],
  audiences: readonly string[],
): HydraError | undefined {
  const scope = scopes.find(asked => !coversScope(words(client.scope), asked))
  if (scope !== undefined)
    return invalidScope(`The OAuth 2.0 Client is not allowed to request scope '${scope}'.`)
  const audience = audiences.find(asked => !coversAudience(client.audience ?? [], asked))
  if (audience === undefined) return undefined
  return invalidRequest(`Requested audience '${audience}' has not been whitelisted by the OAuth 2.0 Client.`)
}

/** In any order and, as Hydra compares them, in any case; a doubled word is none of `registered`. */
function isSameSet(asked: readonly string[], registered: readonly string[]): boolean {
  const known = new Set(asked.map(word => word.toLowerCase()))
  return (
    asked.length === registered.length &&
    known.size === asked.length &&
    registered.every(word => known.has(word.toLowerCase()))
  )
}

function isResponseMode(mode: string | undefined): mode is ResponseMode | undefined {
  return mode === undefined || mode === 'query' || mode === 'fragment' || mode === 'form_post'
}
