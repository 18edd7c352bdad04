// What must hold of a database after an upgrade, beside its migrations: the parts of `GET /v1/status` that can be seen
// from the command line.

import type { Client } from 'pg'
import { ROLES } from '../support/own-roles.ts'

const MISSING_ROLES_SQL = `
  select wanted.name from unnest($1::text[]) wanted (name)
  where not exists (select from pg_roles r where r.rolname = wanted.name)`

const LOGIN_SQL = `
  select granted.name from unnest(array['anon', 'service_role']) granted (name)
  where exists (select from pg_roles where rolname = granted.name)
    and exists (select from pg_roles where rolname = 'authenticator')
    and not pg_has_role('authenticator', granted.name, 'set')`

/** What signed-in persons lack of what anon got since: they act as a role of their own (DATA_USER_ROLE). */
const USER_RIGHTS_SQL = `
  select from pg_roles r join pg_namespace n on n.nspname in ('quoin', 'storage', 'realtime')
  where r.rolname = 'authenticated' and pg_has_role('authenticator', r.oid, 'set') and (
    has_schema_privilege('anon', n.oid, 'usage') and not has_schema_privilege(r.oid, n.oid, 'usage')
    or exists (select from pg_proc p where p.pronamespace = n.oid
      and has_function_privilege('anon', p.oid, 'execute') and not has_function_privilege(r.oid, p.oid, 'execute'))
    or exists (select from pg_class c cross join unnest('{select,insert,update}'::text[]) verb
      where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v')
        and has_any_column_privilege('anon', c.oid, verb) and not has_any_column_privilege(r.oid, c.oid, verb)))
  limit 1`

const FAILURES_MAX = 20

/** What is wrong, a sentence each; none where all is well. */
export async function upgradeProblems(client: Client): Promise<string[]> {
  const missing = await client.query<{ name: string }>(MISSING_ROLES_SQL, [ROLES])
  const closed = await client.query<{ name: string }>(LOGIN_SQL)
  const closedToUsers = await client.query(USER_RIGHTS_SQL)
  const failures = await client.query<{ table_name: string; missing: string }>(
    'select table_name, missing from quoin.recording_failures($1)',
    [FAILURES_MAX],
  )
  return [
    ...missing.rows.map(({ name }) => `the role ${name} is missing`),
    ...closed.rows.map(({ name }) => `authenticator cannot become ${name}: grant ${name} to authenticator`),
    ...closedToUsers.rows.map(
      () => 'authenticated lacks rights that anon has in schemas of Quoin: npm run adopt -- supabase',
    ),
    ...failures.rows.map(
      ({ table_name, missing: what }) => `changes of ${table_name} are not recorded: ${what} is missing`,
    ),
  ]
}
