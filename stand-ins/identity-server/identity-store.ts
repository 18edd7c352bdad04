// The rows of identities and their credentials. Checks nothing but what the database does: an identifier or an external
// id that is taken is a unique violation.

import type { Queryable } from '../service/database.ts'
import type { Json } from '../service/json.ts'
import type { Credential, Identity, IdentityState } from './identity.ts'

interface IdentityRow {
  id: string
  schema_id: string
  traits: Json
  state: IdentityState
  state_changed_at: Date
  metadata_public: Json
  metadata_admin: Json
  external_id: string | null
  organization_id: string | null
  created_at: Date
  updated_at: Date
  credentials: StoredCredential[]
}

type StoredCredential = Omit<Credential, 'created_at' | 'updated_at'> & {
  created_at: string
  updated_at: string
}

const COLUMNS = `
  i.id, i.schema_id, i.traits, i.state, i.state_changed_at, i.metadata_public, i.metadata_admin, i.external_id,
  i.organization_id, i.created_at, i.updated_at,
  coalesce((
    select jsonb_agg(jsonb_build_object(
      'type', c.type, 'config', c.config, 'version', c.version, 'created_at', c.created_at, 'updated_at', c.updated_at,
      'identifiers', coalesce((
        select jsonb_agg(n.identifier order by n.position) from credential_identifiers n
        where n.identity_id = c.identity_id and n.type = c.type
      ), '[]')
    ) order by c.type = 'password' desc, c.type)
    from credentials c where c.identity_id = i.id
  ), '[]') as credentials`

/** By id, whatever the state; with `forUpdate` the row waits for this transaction. */
export async function findIdentity(
  db: Queryable,
  id: string,
  lock: '' | 'for update' = '',
): Promise<Identity | undefined> {
  const { rows } = await db.query<IdentityRow>(
    `select ${COLUMNS} from identities i where i.id = $1 ${lock}`,
    [id],
  )
  return rows[0] && toIdentity(rows[0])
}

export async function findByExternalId(db: Queryable, externalId: string): Promise<Identity | undefined> {
  const { rows } = await db.query<IdentityRow>(
    `select ${COLUMNS} from identities i where i.external_id = $1`,
    [externalId],
  )
  return rows[0] && toIdentity(rows[0])
}

/** Who signs in with this identifier and a password. */
export async function findByPasswordIdentifier(
  db: Queryable,
  identifier: string,
): Promise<Identity | undefined> {
  const { rows } = await db.query<IdentityRow>(
    `select ${COLUMNS} from credential_identifiers n join identities i on i.id = n.identity_id
     where n.type = 'password' and n.identifier = $1`,
    [identifier],
  )
  return rows[0] && toIdentity(rows[0])
}

/** At most one of the filters. */
export interface IdentityFilter {
  readonly ids?: readonly string[]
  readonly organizationId?: string
  /** As it is stored, and as it was written (for credentials that keep it so). */
  readonly identifier?: readonly [normalised: string, written: string]
  /** Identifiers that begin so. */
  readonly identifierPrefix?: string
}

/** Where to begin: after an id (empty: at the first), and then at an offset. */
export interface IdentityWindow {
  readonly after: string
  readonly offset: number
  readonly limit: number
}

/** Ordered by id. */
export async function listIdentities(
  db: Queryable,
  filter: IdentityFilter,
  window: IdentityWindow,
): Promise<Identity[]> {
  const params: unknown[] = []
  const bind = (value: unknown) => `$${params.push(value)}`
  const where = [
    ...(filter.ids === undefined ? [] : [`i.id = any(${bind(filter.ids)}::uuid[])`]),
    ...(filter.organizationId === undefined ? [] : [`i.organization_id = ${bind(filter.organizationId)}`]),
    ...(filter.identifier === undefined
      ? []
      : [`exists (${OF_IDENTITY} and n.identifier = any(${bind(filter.identifier)}::text[]))`]),
    ...(filter.identifierPrefix === undefined
      ? []
      : [`exists (${OF_IDENTITY} and starts_with(n.identifier, ${bind(filter.identifierPrefix)}))`]),
    ...(window.after === '' ? [] : [`i.id > ${bind(window.after)}`]),
  ]
  const { rows } = await db.query<IdentityRow>(
    `select ${COLUMNS} from identities i ${where.length === 0 ? '' : `where ${where.join(' and ')}`}
     order by i.id limit ${bind(window.limit)} offset ${bind(window.offset)}`,
    params,
  )
  return rows.map(toIdentity)
}

const OF_IDENTITY = 'select from credential_identifiers n where n.identity_id = i.id'

export async function countIdentities(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*)::int as count from identities')
  return rows[0]?.count ?? 0
}

/** Inside a transaction: identity, credentials and identifiers, or a unique violation. */
export async function insertIdentity(tx: Queryable, identity: Identity): Promise<void> {
  await tx.query(
    `insert into identities (id, schema_id, traits, state, state_changed_at, metadata_public, metadata_admin,
       external_id, organization_id, updated_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [...columnValues(identity), identity.created_at],
  )
  await insertCredentials(tx, identity)
}

/** Inside a transaction: writes everything but `created_at`, credentials included. */
export async function replaceIdentity(tx: Queryable, identity: Identity): Promise<void> {
  await tx.query(
    `update identities set schema_id = $2, traits = $3, state = $4, state_changed_at = $5, metadata_public = $6,
       metadata_admin = $7, external_id = $8, organization_id = $9, updated_at = $10
     where id = $1`,
    columnValues(identity),
  )
  await tx.query('delete from credentials where identity_id = $1', [identity.id])
  await insertCredentials(tx, identity)
}

/** Its credentials and sessions go with it. Answers whether there was one. */
export async function deleteIdentity(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from identities where id = $1', [id])
  return rowCount === 1
}

async function insertCredentials(tx: Queryable, { id, credentials, updated_at }: Identity): Promise<void> {
  for (const { type, identifiers, config, version, ...times } of credentials) {
    await tx.query(
      `insert into credentials (identity_id, type, config, version, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        id,
        type,
        JSON.stringify(config),
        version,
        times.created_at ?? updated_at,
        times.updated_at ?? updated_at,
      ],
    )
    for (const [position, identifier] of identifiers.entries()) {
      await tx.query(
        'insert into credential_identifiers (type, identifier, identity_id, position) values ($1, $2, $3, $4)',
        [type, identifier, id, position],
      )
    }
  }
}

function columnValues(identity: Identity): unknown[] {
  const json = (value: Json | undefined) =>
    value === undefined || value === null ? null : JSON.stringify(value)
  return [
    identity.id,
    identity.schema_id,
    JSON.stringify(identity.traits),
    identity.state,
    identity.state_changed_at,
    json(identity.metadata_public),
    json(identity.metadata_admin),
    identity.external_id,
    identity.organization_id,
    identity.updated_at,
  ]
}

function toIdentity({ credentials, ...row }: IdentityRow): Identity {
  return {
    ...row,
    credentials: credentials.map(credential => ({
      ...credential,
      created_at: new Date(credential.created_at),
      updated_at: new Date(credential.updated_at),
    })),
  }
}
