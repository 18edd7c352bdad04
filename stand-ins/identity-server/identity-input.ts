// What the admin sends to make or replace an identity: read, checked against the schema, passwords hashed. Writes
// nothing.

import { randomUUID } from 'node:crypto'
import { isJsonObject, type Json } from '../service/json.ts'
import { badRequest, unreadable, WireError } from '../service/wire-error.ts'
import type { IdentityContext } from './context.ts'
import { type Credential, type Identity, type IdentityState, withPasswordCredential } from './identity.ts'
import { hashPassword, isKnownHash } from './password.ts'
import { refuseUnknown } from './request-body.ts'
import { SCHEMA_ID } from './traits-schema.ts'
import { parseUuid } from './uuid.ts'

export const CREATE_FIELDS = [
  ...['schema_id', 'traits', 'credentials', 'verifiable_addresses', 'recovery_addresses', 'metadata_public'],
  ...['metadata_admin', 'state', 'organization_id', 'external_id'],
]
const CREDENTIAL_FIELDS = ['password', 'oidc', 'saml', 'totp', 'webauthn', 'passkey', 'lookup_secret']

type Context = Pick<IdentityContext, 'schema'>
type Body = Readonly<Record<string, Json>>

/** A new identity of the body of a POST. Addresses are dropped: the schema declares none to verify or to recover by. */
export async function makeIdentity({ schema }: Context, body: Body): Promise<Identity> {
  const now = new Date()
  const state = readText(body, 'state')
  if (state !== '' && !isState(state)) throw badRequest('identity state is not valid')
  const imported = await importCredentials(body['credentials'], [], 'strict')
  const traits = body['traits'] ?? (body['traits'] === null ? null : {})
  const schemaId = checkTraits(schema, readText(body, 'schema_id'), traits)
  return {
    id: randomUUID(),
    schema_id: schemaId,
    traits,
    state: state === '' ? 'active' : state,
    state_changed_at: now,
    metadata_public: body['metadata_public'] ?? null,
    metadata_admin: body['metadata_admin'],
    external_id: readText(body, 'external_id') || null,
    organization_id: readOrganization(body['organization_id']),
    created_at: now,
    updated_at: now,
    credentials: withPasswordCredential(imported.others, schema.identifiers(traits), imported.hash),
  }
}

/** The identity after a PUT: what the body leaves out is cleared, but for state, schema and credentials. */
export async function replacedIdentity({ schema }: Context, old: Identity, body: Body): Promise<Identity> {
  const now = new Date()
  const state = readText(body, 'state')
  if (state !== '' && !isState(state)) throw badRequest('identity state is not valid')
  const newState = state === '' ? old.state : state
  const imported = await importCredentials(body['credentials'], old.credentials, 'lax')
  const traits = body['traits'] ?? (body['traits'] === null ? null : {})
  const schemaId = checkTraits(schema, readText(body, 'schema_id') || old.schema_id, traits)
  return {
    ...old,
    schema_id: schemaId,
    traits,
    state: newState,
    state_changed_at: newState === old.state ? old.state_changed_at : now,
    metadata_public: body['metadata_public'] ?? null,
    metadata_admin: body['metadata_admin'],
    external_id: readText(body, 'external_id') || null,
    updated_at: now,
    credentials: withPasswordCredential(imported.others, schema.identifiers(traits), imported.hash),
  }
}

export function isState(state: string): state is IdentityState {
  return state === 'active' || state === 'inactive'
}

/** 400 of traits that break the schema, or name one that is not there. */
export class InvalidTraits extends WireError {
  constructor(reason: string) {
    super(400, { reason })
  }
}

/** The schema's id; throws `InvalidTraits` with the first violation. */
export function checkTraits(schema: IdentityContext['schema'], schemaId: string, traits: Json): string {
  if (schemaId !== '' && schemaId !== SCHEMA_ID)
    throw new InvalidTraits(`Unable to find JSON Schema ID: ${schemaId}`)
  const [violation] = schema.check(traits)
  if (violation !== undefined) throw new InvalidTraits(violation.reason)
  return SCHEMA_ID
}

/** Of a Go string: absent and null are empty. */
function readText(body: Body, name: string): string {
  const value = body[name] ?? ''
  if (typeof value !== 'string')
    throw unreadable(`json: cannot unmarshal ${typeof value} into Go struct field .${name} of type string`)
  return value
}

function readOrganization(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null
  const id = typeof value === 'string' ? parseUuid(value) : undefined
  if (id === undefined) throw unreadable(`uuid: incorrect UUID format ${JSON.stringify(value)}`)
  return id
}

interface Imported {
  /** Of a new password. */
  readonly hash?: string
  /** The old ones and what was imported beside the password. */
  readonly others: readonly Credential[]
}

async function importCredentials(
  value: Json | undefined,
  old: readonly Credential[],
  mode: 'strict' | 'lax',
): Promise<Imported> {
  if (value === undefined || value === null) return { others: old }
  if (!isJsonObject(value)) throw unreadable('json: cannot unmarshal credentials')
  if (mode === 'strict') refuseUnknown(value, CREDENTIAL_FIELDS)
  const oidc = readProviders(value['oidc'])
  const others = oidc === undefined ? old : [...old.filter(credential => credential.type !== 'oidc'), oidc]
  const hash = await importPassword(value['password'])
  return hash === undefined ? { others } : { hash, others }
}

async function importPassword(value: Json | undefined): Promise<string | undefined> {
  if (value === undefined || value === null) return undefined
  const config = isJsonObject(value) ? (value['config'] ?? {}) : undefined
  if (!isJsonObject(config)) throw unreadable('json: cannot unmarshal credentials.password.config')
  const password = readText(config, 'password')
  const hash = readText(config, 'hashed_password')
  // Passwords that another system is to be asked for: there is none to ask, so nobody signs in by it.
  if (config['use_password_migration_hook'] === true) return undefined
  if (password !== '') return hashPassword(password)
  if (isKnownHash(hash)) return hash
  throw badRequest(
    'The imported password does not match any known hash format. For more information see https://www.ory.sh/dr/2',
  )
}

/** Accounts at other providers are kept and shown; nobody signs in by them here. */
function readProviders(value: Json | undefined): Credential | undefined {
  const config = isJsonObject(value) ? value['config'] : undefined
  const providers = isJsonObject(config) && Array.isArray(config['providers']) ? config['providers'] : []
  const accounts = providers.filter(isJsonObject).map(entry => ({
    provider: readText(entry, 'provider'),
    subject: readText(entry, 'subject'),
  }))
  if (accounts.length === 0) return undefined
  const identifiers = accounts.map(({ provider, subject }) => `${provider}:${subject}`)
  return {
    type: 'oidc',
    identifiers,
    config: { providers: accounts },
    version: 0,
    created_at: null,
    updated_at: null,
  }
}
