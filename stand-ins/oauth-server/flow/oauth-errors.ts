// The refusals of RFC 6749, OpenID Connect and RFC 8628 with the statuses that Hydra gives them. `hint` follows the
// sentence.

import { HydraError } from '../wire/hydra-error.ts'

const refusal =
  (status: number, error: string, sentence: string) =>
  (hint = '') =>
    new HydraError(status, error, hint ? `${sentence} ${hint}` : sentence)

export const invalidRequest = refusal(400, 'invalid_request', 'The request is malformed.')
export const invalidClient = refusal(401, 'invalid_client', 'Client authentication failed.')
export const invalidGrant = refusal(
  400,
  'invalid_grant',
  'The grant is invalid, expired, revoked, for another redirect URI or of another client.',
)
export const invalidScope = refusal(400, 'invalid_scope', 'The requested scope is invalid or unknown.')
export const invalidState = refusal(400, 'invalid_state', 'The state is missing or too short.')
export const insufficientEntropy = refusal(400, 'insufficient_entropy', 'A parameter can be guessed.')
export const unauthorizedClient = refusal(
  400,
  'unauthorized_client',
  'The client is not authorized to request a token using this method.',
)
export const unsupportedResponseType = refusal(
  400,
  'unsupported_response_type',
  'The server does not support this response type.',
)
export const unsupportedResponseMode = refusal(
  400,
  'unsupported_response_mode',
  'The server does not support this response mode.',
)
export const registrationNotSupported = refusal(
  400,
  'registration_not_supported',
  'The server does not support the registration parameter.',
)
export const invalidRequestObject = refusal(
  400,
  'invalid_request_object',
  'The request parameter contains an invalid request object.',
)
export const invalidRequestUri = refusal(
  400,
  'invalid_request_uri',
  'The request_uri returns an error or contains invalid data.',
)
export const accessDenied = refusal(403, 'access_denied', 'The request was denied.')
export const requestForbidden = refusal(403, 'request_forbidden', 'The request is not allowed.')
export const requestUnauthorized = refusal(
  401,
  'request_unauthorized',
  'The request could not be authorized.',
)
export const loginRequired = refusal(400, 'login_required', 'Somebody has to sign in.')
export const consentRequired = refusal(400, 'consent_required', 'The person has to consent.')
export const authorizationPending = refusal(
  400,
  'authorization_pending',
  'The person has not yet completed the steps of the device.',
)
export const expiredToken = refusal(400, 'expired_token', 'The device code has expired.')

/** Answered for challenges that are none of ours. */
export const notFound = refusal(404, 'Not Found', 'Unable to locate the requested resource')

/** An ID token as a hint that the server cannot read: no JWT, or another key's. */
export const unreadableHint = () => invalidRequest('The id_token_hint cannot be read.')
