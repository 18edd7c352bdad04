// Roles belong to the whole cluster, so a backup has their names alone. Quoin's own are made where they are missing, as
// its first migrations make them; others are for whoever runs the cluster.

import type { Client } from 'pg'
import { quoteIdentifier } from '../../src/db/sql.ts'
import { StackError } from '../support/output.ts'
import {
  CALLERS,
  ENGINE_ROLES,
  ROLES,
  type RoleName,
  SUPABASE_ROLES,
  type SupabaseRole,
  USER_ROLE,
} from '../support/own-roles.ts'
import type { Manifest } from './manifest.ts'
import { oneRow } from './session.ts'

const ATTRIBUTES: Readonly<Record<RoleName | SupabaseRole, string>> = {
  authenticator: 'login noinherit',
  anon: 'nologin noinherit',
  service_role: 'nologin noinherit bypassrls',
  quoin_outbox: 'nologin noinherit',
  quoin_storage: 'nologin noinherit',
  authenticated: 'nologin noinherit',
  supabase_auth_admin: 'nologin noinherit',
}

/**
 * What keeps the roles of a backup from being used here, as Quoin's first migrations refuse it: attributes or
 * memberships that would give callers more than their own rights.
 */
const STRONGER_SQL = `
  select string_agg(problem, '; ') as problems from (
    select format('%s has other attributes than Quoin needs', rolname) as problem from pg_roles
      where rolname = any ($1) and (rolsuper or rolcreaterole or rolcreatedb or rolreplication
        or rolbypassrls <> (rolname = 'service_role') or rolcanlogin <> (rolname = 'authenticator')
        or (rolname = 'authenticator' and rolinherit))
    union all
    select format('%s is a member of %s', member.rolname, granted.rolname) from pg_auth_members m
      join pg_roles member on member.oid = m.member join pg_roles granted on granted.oid = m.roleid
      where member.rolname = any ($1)
        and not (member.rolname = 'authenticator' and granted.rolname in ('anon', 'service_role', 'authenticated'))
  ) found`

/** Throws a `StackError` with the SQL that makes what is missing. Reads only. */
export async function refuseMissingRoles(client: Client, { roles, owner }: Manifest): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'select rolname as name from pg_roles where rolname = any ($1)',
    [roles.map(({ name }) => name)],
  )
  const known = new Set(rows.map(({ name }) => name))
  const missing = roles.filter(({ name }) => !known.has(name) && !(name in ATTRIBUTES))
  if (missing.length > 0) {
    const statements = missing.map(
      ({ name, attributes }) => `  create role ${quoteIdentifier(name)} ${attributes};`,
    )
    throw new StackError(
      'the backup has objects or rights of roles that this cluster lacks. Nothing was changed. Make them, with what ' +
        `rights you want them to have (those are as they were), and restore again:\n${statements.join('\n')}`,
    )
  }
  if (owner === null) return
  const { problems } = await oneRow<{ problems: string | null }>(client, STRONGER_SQL, [
    [...ROLES, USER_ROLE],
  ])
  if (problems !== null)
    throw new StackError(`roles of this cluster are not what Quoin needs (docs/adopt.md): ${problems}`)
}

/**
 * Makes those of Quoin's own roles that the cluster lacks, and the memberships between them, where Quoin is in the
 * backup. A role that came with a later Quoin is left to the migration that makes it, and those of schemas of Supabase
 * are made where the backup has them. Answers the names of those that are new.
 */
export async function makeOwnRoles(client: Client, { owner, roles }: Manifest): Promise<string[]> {
  if (owner === null) return []
  const isInBackup = (wanted: string) => roles.some(({ name }) => name === wanted)
  const otherRoles = [...ENGINE_ROLES, ...SUPABASE_ROLES].filter(isInBackup)
  const made: string[] = []
  for (const name of [...CALLERS, ...otherRoles]) {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name])
    if (rowCount !== 0) continue
    await client.query(`create role ${quoteIdentifier(name)} ${ATTRIBUTES[name]}`)
    made.push(name)
  }
  for (const granted of ['anon', 'service_role', USER_ROLE].filter(
    name => name !== USER_ROLE || isInBackup(name),
  ))
    if (!(await isMember(client, 'authenticator', granted, 'set')))
      await client.query(`grant ${granted} to authenticator with admin false, inherit false, set true`)
  for (const granted of ['anon', 'service_role', ...otherRoles])
    if (
      !(await isMember(client, owner, granted, 'usage')) ||
      !(await isMember(client, owner, granted, 'set'))
    )
      await client.query(`grant ${granted} to ${quoteIdentifier(owner)} with inherit true, set true`)
  return made
}

async function isMember(
  client: Client,
  member: string,
  role: string,
  how: 'set' | 'usage',
): Promise<boolean> {
  const sql = 'select pg_has_role($1, $2, $3) as is_member'
  return (await oneRow<{ is_member: boolean }>(client, sql, [member, role, how])).is_member
}
