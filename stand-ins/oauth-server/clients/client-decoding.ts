// A client as it comes in a request body, by Hydra's Go types. Pure; checks types only (client-validation.ts the rest).

import {
  anything,
  decodeObject,
  type FieldDecoder,
  flag,
  integer,
  text,
  texts,
  time,
} from '../../service/go-json.ts'
import { parseJwkSet } from '../keys/jwk-parsing.ts'
import { duration } from '../wire/request-json.ts'
import { type ClientFields, LIFESPANS, type Lifespans, type Revealed } from './client-record.ts'

/** What a body says of a client: what it leaves out is empty, null or false. */
export interface ClientIn extends Required<Revealed> {
  /** Empty when not given. */
  readonly client_id: string
  readonly client_secret: string
  readonly registration_access_token: string
  readonly registration_client_uri: string
  readonly created_at: string | undefined
  readonly fields: ClientFields
}

const keySet: FieldDecoder = value => (value === null ? null : parseJwkSet(value))

const LIFESPAN_DECODERS = Object.fromEntries(LIFESPANS.map(name => [name, duration]))
const NO_LIFESPANS = Object.fromEntries(LIFESPANS.map(name => [name, null])) as Lifespans

const FIELD_DECODERS = {
  client_name: text,
  redirect_uris: texts,
  grant_types: texts,
  response_types: texts,
  scope: text,
  audience: texts,
  owner: text,
  policy_uri: text,
  allowed_cors_origins: texts,
  tos_uri: text,
  client_uri: text,
  logo_uri: text,
  contacts: texts,
  client_secret_expires_at: integer,
  subject_type: text,
  sector_identifier_uri: text,
  jwks_uri: text,
  jwks: keySet,
  token_endpoint_auth_method: text,
  token_endpoint_auth_signing_alg: text,
  request_uris: texts,
  request_object_signing_alg: text,
  userinfo_signed_response_alg: text,
  frontchannel_logout_uri: text,
  frontchannel_logout_session_required: flag,
  post_logout_redirect_uris: texts,
  backchannel_logout_uri: text,
  backchannel_logout_session_required: flag,
  metadata: anything,
  access_token_strategy: text,
  skip_consent: flag,
  skip_logout_consent: flag,
} as const satisfies Record<Exclude<keyof ClientFields, keyof Lifespans>, FieldDecoder>

const EMPTY: ReadonlyMap<FieldDecoder, unknown> = new Map<FieldDecoder, unknown>([
  [text, ''],
  [texts, null],
  [flag, false],
  [integer, 0],
  [keySet, null],
  [anything, undefined],
])
const NO_FIELDS = {
  ...Object.fromEntries(Object.entries(FIELD_DECODERS).map(([name, decoder]) => [name, EMPTY.get(decoder)])),
  skip_logout_consent: null,
  ...NO_LIFESPANS,
} as ClientFields

const DECODERS = {
  client_id: text,
  client_secret: text,
  registration_access_token: text,
  registration_client_uri: text,
  created_at: time,
  updated_at: time,
  ...FIELD_DECODERS,
  ...LIFESPAN_DECODERS,
}

/** Decodes a whole client; throws a `DecodeError`. */
export function decodeClient(value: unknown): ClientIn {
  const {
    client_id = '',
    client_secret = '',
    registration_access_token = '',
    registration_client_uri = '',
    created_at,
    updated_at: _,
    ...given
  } = decodeObject(value, 'client.Client', DECODERS) as Partial<Omit<ClientIn, 'fields'>> & {
    updated_at?: string
  }
  const fields = { ...NO_FIELDS, ...given }
  return { client_id, client_secret, registration_access_token, registration_client_uri, created_at, fields }
}

/** Decodes the thirteen lifespans; those left out are null. Throws a `DecodeError`. */
export function decodeLifespans(value: unknown): Lifespans {
  return { ...NO_LIFESPANS, ...decodeObject(value, 'client.Lifespans', LIFESPAN_DECODERS) }
}
