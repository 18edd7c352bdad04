// The refusals of RFC 6749, OpenID Connect and RFC 8628 with the sentences and statuses that Hydra gives them. `hint`
// follows the sentence; where Hydra has a hint of its own for the bare refusal, it is the default.

import { HydraError } from '../wire/hydra-error.ts'

type Refusal = (hint?: string) => HydraError

const refusal =
  (status: number, error: string, sentence: string, defaultHint = ''): Refusal =>
  (hint = defaultHint) =>
    new HydraError(status, error, hint ? `${sentence} ${hint}` : sentence)

export const invalidRequest = refusal(
  400,
  'invalid_request',
  'The request is missing a required parameter, includes an invalid parameter value, includes a parameter ' +
    'more than once, or is otherwise malformed.',
  'Make sure that the various parameters are correct, be aware of case sensitivity and trim your ' +
    'parameters. Make sure that the client you are using has exactly whitelisted the redirect_uri you specified.',
)

export const invalidClient = refusal(
  401,
  'invalid_client',
  'Client authentication failed (e.g., unknown client, no client authentication included, or unsupported ' +
    'authentication method).',
)

export const invalidGrant = refusal(
  400,
  'invalid_grant',
  'The provided authorization grant (e.g., authorization code, resource owner credentials) or refresh token ' +
    'is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or ' +
    'was issued to another client.',
)

export const invalidScope = refusal(
  400,
  'invalid_scope',
  'The requested scope is invalid, unknown, or malformed.',
)

export const invalidState = refusal(
  400,
  'invalid_state',
  'The state is missing or does not have enough characters and is therefore considered too weak.',
)

export const insufficientEntropy = refusal(
  400,
  'insufficient_entropy',
  'The request used a security parameter (e.g., anti-replay, anti-csrf) with insufficient entropy.',
)

export const unauthorizedClient = refusal(
  400,
  'unauthorized_client',
  'The client is not authorized to request a token using this method.',
  'Make sure that client id and secret are correctly specified and that the client exists.',
)

export const unsupportedResponseType = refusal(
  400,
  'unsupported_response_type',
  'The authorization server does not support obtaining a token using this method.',
)

export const unsupportedResponseMode = refusal(
  400,
  'unsupported_response_mode',
  'The authorization server does not support obtaining a response using this response mode.',
)

export const registrationNotSupported = refusal(
  400,
  'registration_not_supported',
  'The OP does not support use of the registration parameter.',
)

export const invalidRequestObject = refusal(
  400,
  'invalid_request_object',
  'The request parameter contains an invalid Request Object.',
)

export const invalidRequestUri = refusal(
  400,
  'invalid_request_uri',
  'The request_uri in the Authorization Request returns an error or contains invalid data.',
)

export const accessDenied = refusal(
  403,
  'access_denied',
  'The resource owner or authorization server denied the request.',
  'Make sure that the request you are making is valid. Maybe the credential or request parameters you are ' +
    'using are limited in scope or otherwise restricted.',
)

export const requestForbidden = refusal(
  403,
  'request_forbidden',
  'The request is not allowed.',
  'You are not allowed to perform this action.',
)

export const requestUnauthorized = refusal(
  401,
  'request_unauthorized',
  'The request could not be authorized.',
  'Check that you provided valid credentials in the right format.',
)

export const loginRequired = refusal(
  400,
  'login_required',
  'The Authorization Server requires End-User authentication.',
)

export const consentRequired = refusal(
  400,
  'consent_required',
  'The Authorization Server requires End-User consent.',
)

export const authorizationPending = refusal(
  400,
  'authorization_pending',
  "The authorization request is still pending as the end user hasn't yet completed the user-interaction steps.",
)

export const expiredToken = refusal(
  400,
  'expired_token',
  'The device_code has expired, and the device authorization session has concluded.',
)

export const serverError = refusal(
  500,
  'server_error',
  'The authorization server encountered an unexpected condition that prevented it from fulfilling the request.',
)

/** Answered for challenges that are none of ours. */
export const notFound = refusal(404, 'Not Found', 'Unable to locate the requested resource')

/** An ID token as a hint that the server cannot read, in the words of Hydra's library: no JWT, or another key's. */
export function unreadableHint(hint: string): HydraError {
  const isJws = hint.split('.').length === 3
  return invalidRequest(
    `go-jose/go-jose: ${isJws ? 'error in cryptographic primitive' : 'compact JWS format must have three parts'}`,
  )
}
