// What the local Postgres holds before the first migration: the owner, who has what a hosted Postgres gives and is no
// superuser, so that nothing works here alone, and the database that it owns. Each step may be repeated.

import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { withOwner } from '../cli/support/owner-connection.ts'
import { LOOPBACK } from './ports.ts'
import { SUPERUSER } from './postgres.ts'
import type { Secrets } from './secrets.ts'

const OWNER = 'quoin_owner'
const DATABASE = 'quoin'
/** What the owner of an outside system's database may do: that, and nothing in ours. */
const SERVER_ATTRIBUTES = 'login nosuperuser nocreatedb nocreaterole nobypassrls noreplication'
const OWNER_ATTRIBUTES = 'login nosuperuser createdb createrole bypassrls replication'

/** The connection strings of the local Postgres. */
export interface DatabaseUrls {
  readonly superuserUrl: string
  readonly databaseUrl: string
  readonly dataDatabaseUrl: string
  readonly oauthDatabaseUrl: string
  readonly identityDatabaseUrl: string
  readonly permissionDatabaseUrl: string
}

export function localDatabaseUrls(secrets: Secrets, port: number): DatabaseUrls {
  const url = (user: string, password: string, database: string) =>
    `postgresql://${user}:${password}@${LOOPBACK}:${port}/${database}`
  return {
    superuserUrl: url(SUPERUSER, secrets.superuser_password, 'postgres'),
    databaseUrl: url(OWNER, secrets.owner_password, DATABASE),
    dataDatabaseUrl: url('authenticator', secrets.authenticator_password, DATABASE),
    oauthDatabaseUrl: url('quoin_oauth', secrets.oauth_database_password, 'oauth'),
    identityDatabaseUrl: url('quoin_identity', secrets.identity_database_password, 'identity'),
    permissionDatabaseUrl: url('quoin_permission', secrets.permission_database_password, 'permission'),
  }
}

/**
 * Makes our owner with its database, and those of the outside systems, unless they are there; the passwords become
 * those of the secrets. Nobody but its owner may connect to a database of an outside system. Answers the version of the
 * server.
 */
export async function prepareDatabases(superuserUrl: string, secrets: Secrets): Promise<string> {
  return withOwner(superuserUrl, async client => {
    await prepareDatabase(client, {
      owner: OWNER,
      attributes: OWNER_ATTRIBUTES,
      password: secrets.owner_password,
      database: DATABASE,
    })
    const servers = {
      oauth: secrets.oauth_database_password,
      identity: secrets.identity_database_password,
      permission: secrets.permission_database_password,
    }
    for (const [database, password] of Object.entries(servers)) {
      const owner = `quoin_${database}`
      await prepareDatabase(client, { owner, attributes: SERVER_ATTRIBUTES, password, database })
      await client.query(`revoke all on database ${escapeIdentifier(database)} from public`)
    }
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return rows[0]?.server_version ?? ''
  })
}

interface OwnedDatabase {
  readonly owner: string
  readonly attributes: string
  readonly password: string
  readonly database: string
}

async function prepareDatabase(client: Client, wanted: OwnedDatabase): Promise<void> {
  const roles = await client.query('select 1 from pg_roles where rolname = $1', [wanted.owner])
  const verb = roles.rowCount === 0 ? 'create' : 'alter'
  const owner = escapeIdentifier(wanted.owner)
  await client.query(`${verb} role ${owner} ${wanted.attributes} password ${escapeLiteral(wanted.password)}`)
  const databases = await client.query('select 1 from pg_database where datname = $1', [wanted.database])
  if (databases.rowCount === 0)
    await client.query(`create database ${escapeIdentifier(wanted.database)} owner ${owner}`)
}

/** Gives the role that callers' data goes through its password: migrations make it without one. */
export async function setAuthenticatorPassword(databaseUrl: string, secrets: Secrets): Promise<void> {
  const password = escapeLiteral(secrets.authenticator_password)
  await withOwner(databaseUrl, client => client.query(`alter role authenticator password ${password}`))
}
