// What an identity is, and how the wire shows it to whom. Pure: the rows are in identity-store.ts.

import { isJsonObject, type Json } from '../service/json.ts'
import { SCHEMA_ID_ENCODED } from './traits-schema.ts'

export type IdentityState = 'active' | 'inactive'

export interface Credential {
  readonly type: string
  readonly identifiers: readonly string[]
  /** Of a password: `hashed_password`, or nothing when none is set. */
  readonly config: Json
  readonly version: number
  /** Null for one that was made by the request under way. */
  readonly created_at: Date | null
  readonly updated_at: Date | null
}

export interface Identity {
  readonly id: string
  readonly schema_id: string
  readonly traits: Json
  readonly state: IdentityState
  readonly state_changed_at: Date
  readonly metadata_public: Json
  /** Undefined in the answer to a change that did not name it; the database knows only null. */
  readonly metadata_admin: Json | undefined
  readonly external_id: string | null
  readonly organization_id: string | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly credentials: readonly Credential[]
}

export const CREDENTIAL_TYPES = new Set([
  ...['password', 'oidc', 'totp', 'lookup_secret', 'webauthn', 'code', 'passkey', 'saml'],
  ...['link_recovery', 'code_recovery'],
])

export function schemaUrl(publicUrl: string): string {
  return `${publicUrl}/schemas/${SCHEMA_ID_ENCODED}`
}

/** As everybody sees it: no credentials, no admin metadata. */
export function publicIdentity(identity: Identity, url: string): Record<string, unknown> {
  return {
    id: identity.id,
    ...(identity.external_id === null ? {} : { external_id: identity.external_id }),
    schema_id: identity.schema_id,
    schema_url: url,
    state: identity.state,
    state_changed_at: identity.state_changed_at,
    traits: identity.traits,
    metadata_public: identity.metadata_public,
    created_at: identity.created_at,
    updated_at: identity.updated_at,
    organization_id: identity.organization_id,
  }
}

interface AdminView {
  readonly url: string
  /** False in plain lists. */
  readonly hasCredentials: boolean
  /** Types whose `config` is shown. */
  readonly include: ReadonlySet<string>
}

/** As the admin port shows it. */
export function adminIdentity(
  identity: Identity,
  { url, hasCredentials, include }: AdminView,
): Record<string, unknown> {
  const credentials = identity.credentials.map(credential => [
    credential.type,
    {
      type: credential.type,
      identifiers: credential.identifiers,
      ...(include.has(credential.type) ? { config: credential.config } : {}),
      version: credential.version,
      created_at: credential.created_at ?? identity.updated_at,
      updated_at: credential.updated_at ?? identity.updated_at,
    },
  ])
  return {
    ...publicIdentity(identity, url),
    ...(identity.metadata_admin === undefined ? {} : { metadata_admin: identity.metadata_admin }),
    ...(hasCredentials && credentials.length > 0 ? { credentials: Object.fromEntries(credentials) } : {}),
  }
}

/** The hash to compare a password with; undefined for somebody without one. */
export function passwordHash(identity: Identity | undefined): string | undefined {
  const config = identity?.credentials.find(credential => credential.type === 'password')?.config
  const hash = isJsonObject(config) ? config['hashed_password'] : undefined
  return typeof hash === 'string' && hash !== '' ? hash : undefined
}

/**
 * The credentials after traits or passwords changed: whoever has an identifier has a password credential, if an empty
 * one.
 */
export function withPasswordCredential(
  credentials: readonly Credential[],
  identifiers: readonly string[],
  hash?: string,
): Credential[] {
  const others = credentials.filter(credential => credential.type !== 'password')
  if (identifiers.length === 0) return others
  const old = credentials.find(credential => credential.type === 'password')
  const isOld = old !== undefined && hash === undefined
  return [
    {
      type: 'password',
      identifiers,
      config: isOld ? old.config : hash === undefined ? {} : { hashed_password: hash },
      version: 0,
      created_at: isOld ? old.created_at : null,
      updated_at: isOld ? old.updated_at : null,
    },
    ...others,
  ]
}
