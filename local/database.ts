// What the local Postgres holds before the first migration: the owner, who has what a hosted Postgres gives and is no
// superuser, so that nothing works here alone, and the database that it owns. Each step may be repeated.

import { escapeIdentifier, escapeLiteral } from 'pg'
import { withOwner } from './owner-connection.ts'
import { LOOPBACK } from './ports.ts'
import { SUPERUSER } from './postgres.ts'
import type { Secrets } from './secrets.ts'

const OWNER = 'quoin_owner'
const DATABASE = 'quoin'
const OWNER_ATTRIBUTES = 'login nosuperuser createdb createrole bypassrls replication'

/** The connection strings of the local Postgres. */
export interface DatabaseUrls {
  readonly superuserUrl: string
  readonly databaseUrl: string
  readonly dataDatabaseUrl: string
}

export function localDatabaseUrls(secrets: Secrets, port: number): DatabaseUrls {
  const url = (user: string, password: string, database: string) =>
    `postgresql://${user}:${password}@${LOOPBACK}:${port}/${database}`
  return {
    superuserUrl: url(SUPERUSER, secrets.superuser_password, 'postgres'),
    databaseUrl: url(OWNER, secrets.owner_password, DATABASE),
    dataDatabaseUrl: url('authenticator', secrets.authenticator_password, DATABASE),
  }
}

/** Makes the owner and its database unless they are there; the owner's password becomes that of the secrets. */
export async function prepareDatabase(superuserUrl: string, secrets: Secrets): Promise<void> {
  await withOwner(superuserUrl, async client => {
    const roles = await client.query('select 1 from pg_roles where rolname = $1', [OWNER])
    const verb = roles.rowCount === 0 ? 'create' : 'alter'
    const password = escapeLiteral(secrets.owner_password)
    await client.query(`${verb} role ${escapeIdentifier(OWNER)} ${OWNER_ATTRIBUTES} password ${password}`)
    const databases = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (databases.rowCount === 0) {
      await client.query(`create database ${escapeIdentifier(DATABASE)} owner ${escapeIdentifier(OWNER)}`)
    }
  })
}

/** Gives the role that callers' data goes through its password: migrations make it without one. */
export async function setAuthenticatorPassword(databaseUrl: string, secrets: Secrets): Promise<void> {
  const password = escapeLiteral(secrets.authenticator_password)
  await withOwner(databaseUrl, client => client.query(`alter role authenticator password ${password}`))
}
