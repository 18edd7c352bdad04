// The client as Hydra knows it: its fields by their wire names, and how the admin API shows them. Pure. A list that
// was never given is null until the client is read back from the database; then it is empty.

import * as z from 'zod'
import { parseGoDuration } from '../../../src/lib/duration.ts'
import { Flag, Integer, Text } from '../../service/json-body.ts'
import { JwkSetIn } from '../keys/jwk.ts'

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

/** A list that was not given is null; null within it is refused. */
const Names = z
  .array(z.string())
  .readonly()
  .nullish()
  .transform(list => list ?? null)

/** Whole seconds, shown as Go writes them: clients read that. */
const Duration = z
  .string()
  .refine(text => parseGoDuration(text) !== undefined, 'no duration')
  .nullish()
  .transform(text => (text ? goText(parseGoDuration(text) ?? 0) : null))

function goText(seconds: number): string {
  const [hours, minutes] = [Math.trunc(seconds / 3600), Math.trunc(seconds / 60)]
  const rest = minutes ? `${Math.abs(minutes % 60)}m${Math.abs(seconds % 60)}s` : `${seconds}s`
  return hours ? `${hours}h${rest}` : `${seconds < 0 && minutes ? '-' : ''}${rest}`
}

/** The thirteen of them; those left out are null. */
export const Lifespans = z.object(
  Object.fromEntries(LIFESPANS.map(name => [name, Duration])) as Record<LifespanName, typeof Duration>,
)
export type Lifespans = Readonly<z.infer<typeof Lifespans>>

/** What is stored of a client beside its id, its secrets and its times. Texts are empty when they were not given. */
export const ClientFields = z.object({
  client_name: Text,
  redirect_uris: Names,
  grant_types: Names,
  response_types: Names,
  scope: Text,
  audience: Names,
  owner: Text,
  policy_uri: Text,
  allowed_cors_origins: Names,
  tos_uri: Text,
  client_uri: Text,
  logo_uri: Text,
  contacts: Names,
  client_secret_expires_at: Integer,
  subject_type: Text,
  sector_identifier_uri: Text,
  jwks_uri: Text,
  jwks: JwkSetIn.nullish().transform(set => set ?? null),
  token_endpoint_auth_method: Text,
  token_endpoint_auth_signing_alg: Text,
  request_uris: Names,
  request_object_signing_alg: Text,
  userinfo_signed_response_alg: Text,
  frontchannel_logout_uri: Text,
  frontchannel_logout_session_required: Flag,
  post_logout_redirect_uris: Names,
  backchannel_logout_uri: Text,
  backchannel_logout_session_required: Flag,
  /** Any JSON; undefined when it was not given. */
  metadata: z.unknown().optional(),
  access_token_strategy: Text,
  skip_consent: Flag,
  skip_logout_consent: z
    .boolean()
    .nullish()
    .transform(value => value ?? null),
  ...Lifespans.shape,
})
export type ClientFields = Readonly<z.infer<typeof ClientFields>>

/** What a body says of a client; the id and the secret are empty when they were not given. */
export const ClientIn = z
  .object({ client_id: Text, client_secret: Text, ...ClientFields.shape })
  .transform(({ client_id, client_secret, ...fields }) => ({ client_id, client_secret, fields }))
export type ClientIn = z.infer<typeof ClientIn>

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

/** Left out while they are empty, as Hydra does. */
const UNLESS_EMPTY: readonly string[] = [
  ...['client_secret', 'registration_access_token', 'registration_client_uri'],
  ...[
    'sector_identifier_uri',
    'jwks_uri',
    'access_token_strategy',
    'request_uris',
    'post_logout_redirect_uris',
  ],
  ...['token_endpoint_auth_method', 'token_endpoint_auth_signing_alg', 'request_object_signing_alg'],
  ...['userinfo_signed_response_alg', 'frontchannel_logout_uri', 'frontchannel_logout_session_required'],
  ...['backchannel_logout_uri', 'backchannel_logout_session_required'],
]

/** Shows a client; what Hydra leaves out when it is empty is left out here. */
export function clientAnswer(client: Client, revealed: Revealed = {}): ClientAnswer {
  const { client_secret, registration_access_token, registration_client_uri } = revealed
  const shown = {
    ...client,
    ...{ client_secret, registration_access_token, registration_client_uri },
    jwks: client.jwks ?? {},
  }
  const isShown = ([name, value]: [string, unknown]) => !UNLESS_EMPTY.includes(name) || !isEmpty(value)
  return { client_id: client.client_id, ...Object.fromEntries(Object.entries(shown).filter(isShown)) }
}

function isEmpty(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0)
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
