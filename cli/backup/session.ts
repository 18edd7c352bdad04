// Connections for backup and restore. What Postgres writes as text must not depend on the settings of the database.

import type { Client } from 'pg'
import { quoteIdentifier } from '../../src/db/sql.ts'
import { StackError } from '../support/output.ts'
import { withOwner } from '../support/owner-connection.ts'

const SETTINGS = {
  statement_timeout: '0',
  lock_timeout: '60s',
  idle_in_transaction_session_timeout: '0',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  check_function_bodies: 'off',
  row_security: 'off',
  xmloption: 'content',
  client_min_messages: 'warning',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  extra_float_digits: '3',
  bytea_output: 'hex',
  lc_monetary: 'C',
  synchronize_seqscans: 'off',
  default_transaction_read_only: 'off',
  default_tablespace: '',
  default_table_access_method: 'heap',
  quote_all_identifiers: 'off',
  application_name: 'quoin:backup',
}

const SETTINGS_SQL = `select ${Object.entries(SETTINGS)
  .map(([name, value]) => `pg_catalog.set_config('${name}', '${value}', false)`)
  .join(', ')}`

/** Only from 17 on; whoever has set it for the database means statements of an application. */
const TRANSACTION_TIMEOUT_SQL = `
  select pg_catalog.set_config(name, '0', false) from pg_catalog.pg_settings where name = 'transaction_timeout'`

/**
 * Puts the session's settings to what backup and restore rely on, whatever ran before. Names are found in pg_catalog,
 * and then in these schemas. pg_temp stands last: a type or table that somebody made for this session must not come
 * before Postgres' own.
 */
export async function useBackupSettings(client: Client, searchPath: readonly string[] = []): Promise<void> {
  await client.query(SETTINGS_SQL)
  await client.query(TRANSACTION_TIMEOUT_SQL)
  await client.query("select pg_catalog.set_config('search_path', $1, false)", [pathOf(searchPath)])
}

/**
 * From here on no statement of this session reads a view or a foreign table that a user made: whoever puts one in the
 * place of what is about to be read would run code with the rights of this role. Throws a `StackError` for a Postgres
 * that cannot do so (16.0 to 16.3). For sessions that only read.
 */
export async function readOnlyStored(client: Client): Promise<void> {
  const { rows } = await client.query(
    `select pg_catalog.set_config(name, 'view, foreign-table', false) from pg_catalog.pg_settings
     where name = 'restrict_nonsystem_relation_kind'`,
  )
  if (rows.length === 0)
    throw new StackError(
      'a backup of Postgres 16 needs 16.4 or newer: an older one cannot keep code that users made from running with ' +
        'the rights of the backup. Install the newest release of Postgres 16',
    )
}

/** As SQL. */
export function pathOf(searchPath: readonly string[]): string {
  return ['pg_catalog', ...searchPath.map(quoteIdentifier), 'pg_temp'].join(', ')
}

/** Runs `work` on a connection of its own with these settings. */
export function withBackupSession<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  return withOwner(url, async client => {
    await useBackupSettings(client)
    return work(client)
  })
}

/** The one row of a query that has one always. */
export async function oneRow<Row extends object>(
  client: Client,
  sql: string,
  params: readonly unknown[] = [],
): Promise<Row> {
  const { rows } = await client.query<Row>(sql, [...params])
  const [row] = rows
  if (row === undefined) throw new Error('a query that has one row always answered none')
  return row
}
