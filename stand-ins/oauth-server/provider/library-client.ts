// A client of this server as oidc-provider has to see it to authenticate it. The library has stricter rules for
// clients than Hydra (no http redirects for implicit web clients, no unknown grant types): it is told only what
// authentication needs, and the rest stands in for what it insists on. What a client may do is decided by our own code
// on our own record.

import type { AllClientMetadata } from 'oidc-provider'
import type { Client } from '../clients/client-record.ts'

const KNOWN_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const
type KnownMethod = (typeof KNOWN_METHODS)[number]

/** The grants of the token endpoint. A client's own list is looked at by the grants themselves. */
const TOKEN_GRANTS = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
]

/** Never met: the library compares secrets through our own store (provider.ts). */
const SECRET_PLACEHOLDER = 'the secret is stored as a hash'
/** Never redirected to: the authorization endpoint is our own. */
const REDIRECT_PLACEHOLDER = 'https://client.invalid/callback'

/** The library's metadata for `client`. */
export function libraryClient(client: Client): AllClientMetadata {
  const method = authenticationMethod(client)
  return {
    client_id: client.client_id,
    token_endpoint_auth_method: method,
    ...(method.startsWith('client_secret') ? { client_secret: SECRET_PLACEHOLDER } : {}),
    ...(method === 'private_key_jwt' ? assertionKeys(client) : {}),
    grant_types: TOKEN_GRANTS,
    response_types: ['code'],
    redirect_uris: [REDIRECT_PLACEHOLDER],
  }
}

/** A method that this server does not know authenticates nobody: as an assertion without keys does. */
function authenticationMethod(client: Client): KnownMethod {
  const asked = client.token_endpoint_auth_method || 'client_secret_basic'
  return KNOWN_METHODS.find(method => method === asked) ?? 'private_key_jwt'
}

function assertionKeys(client: Client): AllClientMetadata {
  return {
    token_endpoint_auth_signing_alg: client.token_endpoint_auth_signing_alg || 'RS256',
    ...(client.jwks_uri ? { jwks_uri: client.jwks_uri } : { jwks: { keys: client.jwks?.keys ?? [] } }),
  } as AllClientMetadata
}
