// The discovery document (OpenID Connect Discovery 1.0, RFC 8414), as Hydra writes it: most of it is fixed, whatever
// the clients and settings are. Pure.

/** `issuer` without a slash at the end; `idTokenAlg` is that of the key that signs now. */
export function discoveryDocument(issuer: string, idTokenAlg: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth2/auth`,
    device_authorization_endpoint: `${issuer}/oauth2/device/auth`,
    token_endpoint: `${issuer}/oauth2/token`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    subject_types_supported: ['public', 'pairwise'],
    response_types_supported: [
      'code',
      'code id_token',
      'id_token',
      'token id_token',
      'token',
      'token id_token code',
    ],
    claims_supported: ['sub'],
    grant_types_supported: [
      'authorization_code',
      'implicit',
      'client_credentials',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    userinfo_endpoint: `${issuer}/userinfo`,
    scopes_supported: ['offline_access', 'offline', 'openid'],
    token_endpoint_auth_methods_supported: [
      'client_secret_post',
      'client_secret_basic',
      'private_key_jwt',
      'none',
    ],
    userinfo_signing_alg_values_supported: ['none', idTokenAlg],
    id_token_signing_alg_values_supported: [idTokenAlg],
    id_token_signed_response_alg: [idTokenAlg],
    userinfo_signed_response_alg: [idTokenAlg],
    request_parameter_supported: true,
    request_uri_parameter_supported: true,
    require_request_uri_registration: true,
    claims_parameter_supported: false,
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
    end_session_endpoint: `${issuer}/oauth2/sessions/logout`,
    request_object_signing_alg_values_supported: ['none', 'RS256', 'ES256'],
    code_challenge_methods_supported: ['plain', 'S256'],
  }
}
