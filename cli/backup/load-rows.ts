// Loads the rows of a backup into tables that are there, empty, and without indexes, keys and triggers.
//
// Constraints, domains and generated columns of a table run code of whoever made them. Where that is another role than
// the one that restores, its code must not run with the rights of this one. So the rows of such a table go into a
// temporary one first, as text where a type could run code. From there a function of the table's owner takes them.

import { join } from 'node:path'
import type { Client } from 'pg'
import { quoteIdentifier, quoteQualified } from '../../src/db/sql.ts'
import { StackError } from '../support/output.ts'
import { errorText } from '../support/wait.ts'
import { shownName, type TableRows } from './manifest.ts'
import type { Backup } from './read-backup.ts'
import { copyFromFile } from './rows.ts'
import { runAs } from './run-as.ts'
import { oneRow, useBackupSettings } from './session.ts'

/**
 * Loads all tables. One whose constraints look at rows that are not there yet is tried again behind the others. Throws
 * a `StackError` that names the table whose rows do not fit.
 */
export async function loadRows(
  client: Client,
  { folder, manifest }: Backup,
  onLoaded: (table: TableRows) => void,
): Promise<void> {
  const useSettings = () => useBackupSettings(client, manifest.search_path)
  let waiting = manifest.tables.filter(({ row_count }) => row_count > 0)
  for (;;) {
    const failures = new Map<TableRows, unknown>()
    for (const table of waiting) {
      try {
        await inSavepoint(client, useSettings, () => loadTable(client, folder, table, manifest.search_path))
        onLoaded(table)
      } catch (err) {
        failures.set(table, err)
      }
    }
    const [first] = failures
    if (first === undefined) return
    if (failures.size === waiting.length) throw refused(...first)
    waiting = [...failures.keys()]
  }
}

async function inSavepoint(
  client: Client,
  useSettings: () => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  await client.query('savepoint rows')
  try {
    await work()
    await client.query('release savepoint rows')
  } catch (err) {
    await client.query('rollback to savepoint rows')
    await useSettings()
    throw err
  }
}

const CHECK_VIOLATION = '23514'

function refused(table: TableRows, err: unknown): StackError {
  const { code, where } = err as { code?: string; where?: string }
  const hint =
    where?.includes('function') || code === CHECK_VIOLATION
      ? '. In a restore, functions that a constraint or a generated column calls find names without a schema only ' +
        'where all objects are the owner’s or a superuser’s: give them `set search_path`, and take a backup again'
      : ''
  return new StackError(`rows of ${shownName(table)} cannot be loaded: ${errorText(err)}${hint}`)
}

async function loadTable(
  client: Client,
  folder: string,
  table: TableRows,
  searchPath: readonly string[],
): Promise<void> {
  const { owner, is_own } = await oneRow<{ owner: string; is_own: boolean }>(
    client,
    `select pg_get_userbyid(relowner) as owner, relowner = current_user::regrole as is_own
     from pg_class where oid = $1::regclass`,
    [quoteQualified(table)],
  )
  const file = join(folder, table.compressed.file)
  if (is_own) await copyFromFile(client, copyInSql(quoteQualified(table), table.columns), file)
  else await loadAs(client, owner, table, file, searchPath)
}

function copyInSql(name: string, columns: readonly string[]): string {
  const list = columns.map(quoteIdentifier).join(', ')
  return `copy ${name} ${list === '' ? '' : `(${list})`} from stdin`
}

interface StagedColumn {
  readonly name: string
  readonly type: string
  /** Whether reading a value of the type runs nobody's code. */
  readonly is_plain: boolean
}

/** Only a superuser makes a base type; domains run code, and so may what is made of them. */
const COLUMNS_SQL = `
  select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
    coalesce(element.typtype, t.typtype) in ('b', 'e') as is_plain
  from pg_attribute a join pg_type t on t.oid = a.atttypid
    left join pg_type element on element.oid = t.typelem and t.typsubscript = 'array_subscript_handler'::regproc
  where a.attrelid = $1::regclass and a.attname = any ($2) order by array_position($2::text[], a.attname::text)`

async function loadAs(
  client: Client,
  owner: string,
  table: TableRows,
  file: string,
  searchPath: readonly string[],
): Promise<void> {
  const name = quoteQualified(table)
  const { rows: columns } = await client.query<StagedColumn>(COLUMNS_SQL, [name, table.columns])
  const staged = columns.map(it => `${quoteIdentifier(it.name)} ${it.is_plain ? it.type : 'text'}`)
  const list = columns.map(it => quoteIdentifier(it.name)).join(', ')
  const values = columns.map(it => quoteIdentifier(it.name) + (it.is_plain ? '' : `::${it.type}`)).join(', ')
  await client.query(`create temporary table quoin_rows (${staged.join(', ')}) on commit drop`)
  await copyFromFile(client, copyInSql('pg_temp.quoin_rows', table.columns), file)
  await client.query(`grant select on pg_temp.quoin_rows to ${quoteIdentifier(owner)}`)
  const insert =
    list === ''
      ? `insert into ${name} select from pg_temp.quoin_rows`
      : `insert into ${name} (${list}) overriding system value select ${values} from pg_temp.quoin_rows`
  await runAs(client, owner, `language sql begin atomic ${insert}; end`, searchPath)
}
