// Runs a part of the schema that pg_dump wrote, a statement at a time: so what fails is shown with its line.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { eachStatement } from '../../src/features/migrations/statements/split-statements.ts'
import { StackError } from '../support/output.ts'
import { errorText } from '../support/wait.ts'
import type { BackupFile } from './manifest.ts'

const EXCERPT_CHARACTERS_MAX = 200
const INSUFFICIENT_PRIVILEGE = '42501'
/** Names that need no quotes, or quoted ones. */
const CHANGES_OWNER = /^ALTER [^']* OWNER TO ([a-z_][a-z0-9_$]*|"(?:[^"]|"")+")$/s

/** Runs all statements of the file. Throws a `StackError` that shows which one failed. */
export async function runSchema(client: Client, folder: string, { file }: BackupFile): Promise<void> {
  const text = readFileSync(join(folder, file), 'utf8')
  for (const statement of eachStatement(text)) {
    if (statement === undefined) continue
    const sql = text.slice(statement.start, statement.end)
    try {
      const role = CHANGES_OWNER.exec(sql)?.[1]
      await (role === undefined ? client.query(sql) : changeOwner(client, sql, role))
    } catch (err) {
      const { hint } = err as { hint?: string }
      throw new StackError(
        `${file}:${statement.line}: ${errorText(err)}${hint ? ` (${hint})` : ''}\n` +
          `  ${sql.slice(0, EXCERPT_CHARACTERS_MAX)}`,
      )
    }
  }
}

/**
 * Whoever gets an object must have the right to create in its schema, which callers and quoin_outbox had only for a
 * while, and which comes with the grants at the end. So it is lent for this one statement. `role` is SQL.
 */
async function changeOwner(client: Client, sql: string, role: string): Promise<void> {
  await client.query('savepoint owner')
  try {
    await client.query(sql)
    await client.query('release savepoint owner')
  } catch (err) {
    if ((err as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw err
    await client.query('rollback to savepoint owner')
    const { rows } = await client.query<{ schema: string }>(LENDABLE_SQL, [role])
    const schemas = rows.map(({ schema }) => schema).join(', ')
    if (schemas === '') throw err
    await client.query(`grant create on schema ${schemas} to ${role}`)
    await client.query(sql)
    await client.query(`revoke create on schema ${schemas} from ${role}`)
  }
}

const LENDABLE_SQL = `
  select quote_ident(nspname) as schema from pg_namespace
  where nspname !~ '^pg_' and nspname <> 'information_schema' and pg_has_role(nspowner, 'usage')
    and not has_schema_privilege($1::regrole, oid, 'create')`
