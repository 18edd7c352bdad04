// What oidc-provider refuses, in Hydra's words (pure). The library's sentences are known by their beginnings: where one
// changes with a new version, the code and the status stay right and only the hint is lost.

import { errors } from 'oidc-provider'
import {
  invalidClient,
  invalidGrant,
  invalidRequest,
  invalidScope,
  serverError,
  unauthorizedClient,
} from '../flow/oauth-errors.ts'
import { HydraError } from '../wire/hydra-error.ts'

/** The refusal that a caller gets for what the library, or one of our grants inside it, has thrown. */
export function hydraErrorOf(err: unknown): HydraError {
  if (err instanceof HydraError) return err
  if (!(err instanceof errors.OIDCProviderError)) return serverError()
  switch (err.error) {
    case 'invalid_client':
    case 'invalid_client_metadata':
      return invalidClient(methodHint(err))
    case 'invalid_request':
      if (ASSERTION_FAULTS.includes(err.error_description ?? '')) return invalidClient(UNVERIFIED)
      return invalidRequest(requestHint(err.error_description ?? ''))
    case 'unsupported_grant_type':
      return invalidRequest()
    case 'invalid_grant':
      return invalidGrant(err.error_detail)
    case 'invalid_scope':
      return invalidScope(err.error_description)
    case 'unauthorized_client':
      return unauthorizedClient(err.error_description)
    default:
      return new HydraError(err.statusCode, err.error, err.error_description)
  }
}

function methodHint(err: errors.OIDCProviderError): string | undefined {
  return err.error_detail?.startsWith('the provided authentication mechanism')
    ? 'The OAuth 2.0 Client supports another client authentication method than the one that was used. You ' +
        "must configure the OAuth 2.0 client's 'token_endpoint_auth_method' value to accept it."
    : undefined
}

/** An assertion that is no JWT, or another client's. */
const ASSERTION_FAULTS = ['invalid client_assertion format', 'client_id mismatch']
const UNVERIFIED = "Unable to verify the integrity of the 'client_assertion' value."

const REQUEST_HINTS: readonly (readonly [beginning: string, hint: string])[] = [
  [
    'no client authentication mechanism',
    'Client credentials missing or malformed in both HTTP Authorization header and HTTP POST body.',
  ],
  ["missing required parameter 'grant_type'", "Request parameter 'grant_type' is missing"],
  ['only application/x-www-form-urlencoded', 'The POST body can not be empty.'],
]

function requestHint(description: string): string | undefined {
  const known = REQUEST_HINTS.find(([beginning]) => description.startsWith(beginning))
  return known ? known[1] : description || undefined
}
