// What the admin sends to make or replace an identity: read, checked against the schema, passwords hashed. Writes
// nothing.

import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Json } from '../service/json.ts'
import { Text } from '../service/json-body.ts'
import { badRequest, WireError } from '../service/wire-error.ts'
import type { IdentityContext } from './context.ts'
import { type Credential, type Identity, withPasswordCredential } from './identity.ts'
import { hashPassword, isKnownHash } from './password.ts'
import { SCHEMA_ID } from './traits-schema.ts'
import { Uuid } from './uuid.ts'

const AnyJson = z.json().optional()

const Credentials = z.object({
  password: z
    .object({
      config: z
        .object({
          password: Text,
          hashed_password: Text,
          use_password_migration_hook: z.boolean().nullish(),
        })
        .nullish(),
    })
    .nullish(),
  oidc: z
    .object({
      config: z
        .object({ providers: z.array(z.object({ provider: Text, subject: Text })).nullish() })
        .nullish(),
    })
    .nullish(),
})
const OTHERS = Object.fromEntries(
  ['saml', 'totp', 'webauthn', 'passkey', 'lookup_secret'].map(name => [name, AnyJson]),
)

/** The body of a PUT; what else is in it is ignored. */
export const ReplaceIn = z.object({
  schema_id: Text,
  traits: AnyJson,
  credentials: Credentials.nullish(),
  metadata_public: AnyJson,
  metadata_admin: AnyJson,
  state: Text,
  external_id: Text,
})
export type ReplaceIn = z.infer<typeof ReplaceIn>

/** The body of a POST, where unknown members are refused. Addresses are dropped: the schema declares none. */
export const CreateIn = z.strictObject({
  ...ReplaceIn.shape,
  credentials: z.strictObject({ ...Credentials.shape, ...OTHERS }).nullish(),
  organization_id: Uuid.nullish(),
  verifiable_addresses: AnyJson,
  recovery_addresses: AnyJson,
})
export type CreateIn = z.infer<typeof CreateIn>

type Context = Pick<IdentityContext, 'schema'>

export async function makeIdentity(context: Context, body: CreateIn): Promise<Identity> {
  const now = new Date()
  return {
    id: randomUUID(),
    ...(await given(context, body, { schema_id: '', credentials: [], state: 'active' })),
    state_changed_at: now,
    organization_id: body.organization_id ?? null,
    created_at: now,
    updated_at: now,
  }
}

/** The identity after a PUT: what the body leaves out is cleared, but for state, schema and credentials. */
export async function replacedIdentity(context: Context, old: Identity, body: ReplaceIn): Promise<Identity> {
  const now = new Date()
  const changed = await given(context, body, old)
  const state_changed_at = changed.state === old.state ? old.state_changed_at : now
  return { ...old, ...changed, state_changed_at, updated_at: now }
}

/** What both write; of `old` stays what the body does not say. */
async function given(
  { schema }: Context,
  body: ReplaceIn,
  old: Pick<Identity, 'schema_id' | 'credentials' | 'state'>,
) {
  if (body.state !== '' && !isState(body.state)) throw badRequest('identity state is not valid')
  const traits = body.traits === undefined ? {} : body.traits
  const schema_id = checkTraits(schema, body.schema_id || old.schema_id, traits)
  const others = [...old.credentials.filter(({ type }) => type !== 'oidc'), ...providersOf(body, old)]
  const hash = await importPassword(body.credentials?.password?.config)
  return {
    schema_id,
    traits,
    state: isState(body.state) ? body.state : old.state,
    metadata_public: body.metadata_public ?? null,
    metadata_admin: body.metadata_admin,
    external_id: body.external_id || null,
    credentials: withPasswordCredential(others, schema.identifiers(traits), hash),
  }
}

export function isState(state: string): state is Identity['state'] {
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

type PasswordConfig = NonNullable<NonNullable<NonNullable<ReplaceIn['credentials']>['password']>['config']>

async function importPassword(config: PasswordConfig | null | undefined): Promise<string | undefined> {
  // Passwords that another system is to be asked for: there is none to ask, so nobody signs in by it.
  if (!config || config.use_password_migration_hook) return undefined
  if (config.password !== '') return hashPassword(config.password)
  if (isKnownHash(config.hashed_password)) return config.hashed_password
  throw badRequest('The imported password does not match any known hash format.')
}

/** Accounts at other providers are kept and shown; nobody signs in by them here. */
function providersOf(body: ReplaceIn, old: Pick<Identity, 'credentials'>): Credential[] {
  const accounts = body.credentials?.oidc?.config?.providers ?? []
  if (accounts.length === 0) return old.credentials.filter(({ type }) => type === 'oidc')
  return [
    {
      type: 'oidc',
      identifiers: accounts.map(({ provider, subject }) => `${provider}:${subject}`),
      config: { providers: accounts },
      version: 0,
      created_at: null,
      updated_at: null,
    },
  ]
}
