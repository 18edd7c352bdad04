// The client as Hydra knows it: its fields by their wire names, and how the admin API shows them. Pure. A list that
// was never given is null until the client is read back from the database; then it is empty.

/** The thirteen lifespans, each a Go duration or null for the server's own. */
export const LIFESPANS = [
  'authorization_code_grant_access_token_lifespan',
  'authorization_code_grant_id_token_lifespan',
  'authorization_code_grant_refresh_token_lifespan',
  'client_credentials_grant_access_token_lifespan',
  'implicit_grant_access_token_lifespan',
  'implicit_grant_id_token_lifespan',
  'jwt_bearer_grant_access_token_lifespan',
  'refresh_token_grant_id_token_lifespan',
  'refresh_token_grant_access_token_lifespan',
  'refresh_token_grant_refresh_token_lifespan',
  'device_authorization_grant_id_token_lifespan',
  'device_authorization_grant_access_token_lifespan',
  'device_authorization_grant_refresh_token_lifespan',
] as const
export type LifespanName = (typeof LIFESPANS)[number]
export type Lifespans = { readonly [name in LifespanName]: string | null }

type Strings = readonly string[] | null
type JsonObject = Readonly<Record<string, unknown>>

/** What is stored of a client beside its id, its secrets and its times. Texts are empty when they were not given. */
export interface ClientFields extends Lifespans {
  readonly client_name: string
  readonly redirect_uris: Strings
  readonly grant_types: Strings
  readonly response_types: Strings
  readonly scope: string
  readonly audience: Strings
  readonly owner: string
  readonly policy_uri: string
  readonly allowed_cors_origins: Strings
  readonly tos_uri: string
  readonly client_uri: string
  readonly logo_uri: string
  readonly contacts: Strings
  readonly client_secret_expires_at: number
  readonly subject_type: string
  readonly sector_identifier_uri: string
  readonly jwks_uri: string
  /** A key set with `keys`, or null. */
  readonly jwks: { readonly keys: readonly JsonObject[] | null } | null
  readonly token_endpoint_auth_method: string
  readonly token_endpoint_auth_signing_alg: string
  readonly request_uris: Strings
  readonly request_object_signing_alg: string
  readonly userinfo_signed_response_alg: string
  readonly frontchannel_logout_uri: string
  readonly frontchannel_logout_session_required: boolean
  readonly post_logout_redirect_uris: Strings
  readonly backchannel_logout_uri: string
  readonly backchannel_logout_session_required: boolean
  /** Any JSON; undefined when it was not given. */
  readonly metadata: unknown
  readonly access_token_strategy: string
  readonly skip_consent: boolean
  readonly skip_logout_consent: boolean | null
}

export interface Client extends ClientFields {
  readonly client_id: string
  /** RFC 3339, whole seconds, UTC. */
  readonly created_at: string
  readonly updated_at: string
}

/** What is shown once, with the answer that made it. */
export interface Revealed {
  readonly client_secret?: string | undefined
  readonly registration_access_token?: string | undefined
  readonly registration_client_uri?: string | undefined
}

/** The client as the API gives it: a JSON object with Hydra's fields. */
export type ClientAnswer = Readonly<Record<string, unknown>> & { readonly client_id: string }

/** Shows a client; what Hydra leaves out when it is empty is left out here. */
export function clientAnswer(client: Client, revealed: Revealed = {}): ClientAnswer {
  return {
    client_id: client.client_id,
    client_name: client.client_name,
    ...unlessEmpty('client_secret', revealed.client_secret),
    redirect_uris: client.redirect_uris,
    grant_types: client.grant_types,
    response_types: client.response_types,
    scope: client.scope,
    audience: client.audience,
    owner: client.owner,
    policy_uri: client.policy_uri,
    allowed_cors_origins: client.allowed_cors_origins,
    tos_uri: client.tos_uri,
    client_uri: client.client_uri,
    logo_uri: client.logo_uri,
    contacts: client.contacts,
    client_secret_expires_at: client.client_secret_expires_at,
    subject_type: client.subject_type,
    ...unlessEmpty('sector_identifier_uri', client.sector_identifier_uri),
    ...unlessEmpty('jwks_uri', client.jwks_uri),
    jwks: client.jwks ?? {},
    ...unlessEmpty('token_endpoint_auth_method', client.token_endpoint_auth_method),
    ...unlessEmpty('token_endpoint_auth_signing_alg', client.token_endpoint_auth_signing_alg),
    ...unlessEmpty('request_uris', client.request_uris),
    ...unlessEmpty('request_object_signing_alg', client.request_object_signing_alg),
    ...unlessEmpty('userinfo_signed_response_alg', client.userinfo_signed_response_alg),
    created_at: client.created_at,
    updated_at: client.updated_at,
    ...unlessEmpty('frontchannel_logout_uri', client.frontchannel_logout_uri),
    ...unlessEmpty('frontchannel_logout_session_required', client.frontchannel_logout_session_required),
    ...unlessEmpty('post_logout_redirect_uris', client.post_logout_redirect_uris),
    ...unlessEmpty('backchannel_logout_uri', client.backchannel_logout_uri),
    ...unlessEmpty('backchannel_logout_session_required', client.backchannel_logout_session_required),
    metadata: client.metadata,
    ...unlessEmpty('registration_access_token', revealed.registration_access_token),
    ...unlessEmpty('registration_client_uri', revealed.registration_client_uri),
    ...unlessEmpty('access_token_strategy', client.access_token_strategy),
    skip_consent: client.skip_consent,
    skip_logout_consent: client.skip_logout_consent,
    ...lifespansOf(client),
  }
}

/** The thirteen of them alone. */
export function lifespansOf(client: Lifespans): Lifespans {
  return Object.fromEntries(LIFESPANS.map(name => [name, client[name]])) as Lifespans
}

/** Whether the client has no secret of its own. */
export function isPublicClient(client: Client): boolean {
  return client.token_endpoint_auth_method === 'none'
}

/** The grant types it may use; one that names none has the code grant. */
export function grantTypesOf(client: Client): readonly string[] {
  return client.grant_types?.length ? client.grant_types : ['authorization_code']
}

/** The response types it may use; one that names none has `code`. */
export function responseTypesOf(client: Client): readonly string[] {
  return client.response_types?.length ? client.response_types : ['code']
}

function unlessEmpty(name: string, value: string | boolean | Strings | undefined): Record<string, unknown> {
  const isEmpty = !value || (typeof value === 'object' && value.length === 0)
  return isEmpty ? {} : { [name]: value }
}
