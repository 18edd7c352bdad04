// Clients in the database. Checks nothing about them (client-validation.ts does) and shows no secret: of these it keeps
// hashes only.

import { randomUUID } from 'node:crypto'
import { type Database, isUniqueViolation, type Queryable } from '../../service/database.ts'
import { alreadyThere, noSuchRow } from '../wire/hydra-error.ts'
import type { Client, ClientFields } from './client-record.ts'
import { hashSecret, matchesHash, matchesRegistrationToken } from './client-secrets.ts'

export interface NewClient {
  /** Empty: a UUID is made. */
  readonly id: string
  readonly fields: ClientFields
  readonly secret: string
  /** The hash of the token that it is managed with at the public port. */
  readonly registrationTokenHash: string
}

export interface ClientChange {
  readonly fields: ClientFields
  /** Empty: the secret stays. */
  readonly secret: string
  /** Undefined: it stays. Empty: the client can no longer be managed at the public port. */
  readonly registrationTokenHash?: string
}

export interface ClientFilter {
  /** Exactly these; empty for any. */
  readonly name: string
  readonly owner: string
  /** Only ids that come after it. */
  readonly after: string
  readonly limit: number
}

export interface ClientStore {
  /** The client, its lists never null; undefined when there is none. */
  find(id: string): Promise<Client | undefined>
  /** As `find`; throws the 404 of the admin API when there is none. */
  get(id: string): Promise<Client>
  /** Whether `secret` is the client's; also true for a public client's, should it have been given one. */
  checkSecret(client: Pick<Client, 'client_id'>, secret: string): Promise<boolean>
  checkRegistrationToken(id: string, token: string): Promise<boolean>
  /** In the order of their ids. */
  list(filter: ClientFilter): Promise<Client[]>
  /** Throws a `HydraError` 409 when the id is taken. What comes back is as it was given: lists may be null. */
  insert(client: NewClient): Promise<Client>
  /** Replaces all fields; throws a `HydraError` 404. What comes back is as it was given: lists may be null. */
  replace(id: string, change: ClientChange): Promise<Client>
  /** With its tokens, flows and sessions; throws a `HydraError` 404. */
  remove(id: string): Promise<void>
}

interface ClientRow {
  readonly id: string
  readonly fields: ClientFields
  readonly created_at: Date
  readonly updated_at: Date
}

const COLUMNS = 'id, fields, created_at, updated_at'
/** What was stored as null reads as empty. */
const LISTS = [
  'redirect_uris',
  'grant_types',
  'response_types',
  'audience',
  'allowed_cors_origins',
  'contacts',
  'request_uris',
  'post_logout_redirect_uris',
] as const

/** The clients of that database; `now` in milliseconds. */
export function makeClientStore(database: Database, now: () => number): ClientStore {
  const find = async (id: string) => {
    const { rows } = await database.query<ClientRow>(`select ${COLUMNS} from clients where id = $1`, [id])
    return rows[0] && readRow(rows[0])
  }
  return {
    find,
    async get(id) {
      const client = await find(id)
      if (client === undefined) throw noSuchRow()
      return client
    },
    checkSecret: async ({ client_id }, secret) =>
      matchesHash(secret, await hashOf(database, client_id, 'secret_hash')),
    checkRegistrationToken: async (id, token) =>
      matchesRegistrationToken(token, await hashOf(database, id, 'registration_token_hash')),
    list: filter => listClients(database, filter),
    insert: client => insertClient(database, client, wholeSecond(now())),
    replace: (id, change) => replaceClient(database, id, change, wholeSecond(now())),
    async remove(id) {
      const { rowCount } = await database.query('delete from clients where id = $1', [id])
      if (rowCount === 0) throw noSuchRow()
    },
  }
}

async function hashOf(database: Queryable, id: string, column: 'secret_hash' | 'registration_token_hash') {
  const { rows } = await database.query<{ hash: string }>(
    `select ${column} as hash from clients where id = $1`,
    [id],
  )
  return rows[0]?.hash ?? ''
}

async function listClients(
  database: Queryable,
  { name, owner, after, limit }: ClientFilter,
): Promise<Client[]> {
  const { rows } = await database.query<ClientRow>(
    `select ${COLUMNS} from clients
     where id > $1 and ($2 = '' or fields->>'client_name' = $2) and ($3 = '' or fields->>'owner' = $3)
     order by id limit $4`,
    [after, name, owner, limit],
  )
  return rows.map(readRow)
}

async function insertClient(database: Queryable, client: NewClient, time: Date): Promise<Client> {
  const id = client.id || randomUUID()
  const fields = withoutNulls(client.fields)
  try {
    await database.query(
      `insert into clients (id, fields, secret_hash, registration_token_hash, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $5)`,
      [id, JSON.stringify(fields), await hashSecret(client.secret), client.registrationTokenHash, time],
    )
  } catch (err) {
    throw isUniqueViolation(err) ? alreadyThere() : err
  }
  return { ...fields, client_id: id, created_at: timeText(time), updated_at: timeText(time) }
}

async function replaceClient(
  database: Queryable,
  id: string,
  change: ClientChange,
  time: Date,
): Promise<Client> {
  const fields = withoutNulls(change.fields)
  const secretHash = change.secret === '' ? '' : await hashSecret(change.secret)
  const { rows } = await database.query<Pick<ClientRow, 'created_at'>>(
    `update clients set fields = $2, secret_hash = coalesce(nullif($3, ''), secret_hash),
       registration_token_hash = coalesce($4, registration_token_hash), updated_at = $5
     where id = $1 returning created_at`,
    [id, JSON.stringify(fields), secretHash, change.registrationTokenHash ?? null, time],
  )
  if (!rows[0]) throw noSuchRow()
  return { ...fields, client_id: id, created_at: timeText(rows[0].created_at), updated_at: timeText(time) }
}

/** These three are made empty before they are stored, the other lists when they are read. */
function withoutNulls(fields: ClientFields): ClientFields {
  const { audience, allowed_cors_origins: origins, metadata } = fields
  return {
    ...fields,
    audience: audience ?? [],
    allowed_cors_origins: origins ?? [],
    metadata: metadata === undefined ? {} : metadata,
  }
}

function readRow({ id, fields, created_at, updated_at }: ClientRow): Client {
  const lists = Object.fromEntries(LISTS.map(name => [name, fields[name] ?? []]))
  return {
    ...fields,
    ...lists,
    client_id: id,
    created_at: timeText(created_at),
    updated_at: timeText(updated_at),
  }
}

function wholeSecond(ms: number): Date {
  return new Date(Math.round(ms / 1000) * 1000)
}

/** RFC 3339 as Go writes whole seconds. */
function timeText(time: Date): string {
  return time.toISOString().replace('.000Z', 'Z')
}
