// The refusals of RFC 6749, OpenID Connect and RFC 8628 with the statuses that Hydra gives them.

import { HydraError } from '../wire/hydra-error.ts'

/** What is not described is described by its code. */
const refusal =
  (status: number, error: string) =>
  (description = `The answer is ${error.replaceAll('_', ' ')}.`) =>
    new HydraError(status, error, description)

export const invalidRequest = refusal(400, 'invalid_request')
export const invalidClient = refusal(401, 'invalid_client')
export const invalidGrant = refusal(400, 'invalid_grant')
export const invalidScope = refusal(400, 'invalid_scope')
export const invalidState = refusal(400, 'invalid_state')
export const insufficientEntropy = refusal(400, 'insufficient_entropy')
export const unauthorizedClient = refusal(400, 'unauthorized_client')
export const unsupportedResponseType = refusal(400, 'unsupported_response_type')
export const unsupportedResponseMode = refusal(400, 'unsupported_response_mode')
export const registrationNotSupported = refusal(400, 'registration_not_supported')
export const invalidRequestObject = refusal(400, 'invalid_request_object')
export const invalidRequestUri = refusal(400, 'invalid_request_uri')
export const accessDenied = refusal(403, 'access_denied')
export const requestForbidden = refusal(403, 'request_forbidden')
export const requestUnauthorized = refusal(401, 'request_unauthorized')
export const loginRequired = refusal(400, 'login_required')
export const consentRequired = refusal(400, 'consent_required')
export const authorizationPending = refusal(400, 'authorization_pending')
export const expiredToken = refusal(400, 'expired_token')

/** An ID token as a hint that the server cannot read: no JWT, or another key's. */
export const unreadableHint = () => invalidRequest('The id_token_hint cannot be read.')
