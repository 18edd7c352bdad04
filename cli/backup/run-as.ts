// Work that may run code of whoever owns a table, with the rights of that role alone.

import type { Client } from 'pg'
import { quoteIdentifier } from '../../src/db/sql.ts'
import { pathOf, useBackupSettings } from './session.ts'

/** Whoever owns a table need not see the schemas of its columns' types; for the work they must. */
const CLOSED_SCHEMAS_SQL = `
  select quote_ident(nspname) as schema from pg_namespace
  where nspname !~ '^pg_' and nspname not in ('information_schema', 'quoin') and pg_has_role(nspowner, 'usage')
    and not has_schema_privilege($1, oid, 'usage')`

/**
 * Runs a function with this language and body as `owner`. It is a SECURITY DEFINER one: in such a function nobody can
 * change roles. Afterwards all that it may have left in the session goes.
 */
export async function runAs(
  client: Client,
  owner: string,
  body: string,
  searchPath: readonly string[],
): Promise<void> {
  const role = quoteIdentifier(owner)
  const { rows: closed } = await client.query<{ schema: string }>(CLOSED_SCHEMAS_SQL, [owner])
  const schemas = closed.map(({ schema }) => schema).join(', ')
  if (schemas !== '') await client.query(`grant usage on schema ${schemas} to ${role}`)
  await client.query(`set local role ${role}`)
  await client.query(
    `create function pg_temp.quoin_run() returns void security definer
     set search_path = ${pathOf(searchPath)} ${body}`,
  )
  await client.query('reset role')
  await client.query('select pg_temp.quoin_run()')
  if (schemas !== '') await client.query(`revoke usage on schema ${schemas} from ${role}`)
  await client.query('discard temp')
  await client.query('reset all')
  await useBackupSettings(client, searchPath)
}
