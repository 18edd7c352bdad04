// Runs a part of the schema that pg_dump wrote, a statement at a time: so what fails is shown with its line.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, escapeLiteral } from 'pg'
import { quoteIdentifier } from '../../src/db/sql.ts'
import { eachStatement } from '../../src/features/migrations/statements/split-statements.ts'
import { StackError } from '../support/output.ts'
import { errorText } from '../support/wait.ts'
import type { BackupFile } from './manifest.ts'
import { runAs } from './run-as.ts'
import { oneRow } from './session.ts'

const EXCERPT_CHARACTERS_MAX = 200
const INSUFFICIENT_PRIVILEGE = '42501'
/** Names that need no quotes, or quoted ones. */
const CHANGES_OWNER = /^ALTER [^']* OWNER TO ([a-z_][a-z0-9_$]*|"(?:[^"]|"")+")$/s
const NAME = '(?:[a-z_][a-z0-9_$]*|"(?:[^"]|"")+")'
/** What looks at rows that are there, or at bounds of a partition: types and constraints run code of their owner. */
const RUNS_CODE = new RegExp(
  `^ALTER (TABLE|DOMAIN) (?:ONLY )?(${NAME}\\.${NAME})\\s+(?:ATTACH PARTITION|ADD CONSTRAINT ${NAME} ` +
    `(?:CHECK|FOREIGN KEY .* REFERENCES (${NAME}\\.${NAME})\\())`,
  's',
)

/** pg_dump writes so what a role has passed on, and GRANT runs nobody's code. */
const ACTS_AS = new RegExp(`^SET SESSION AUTHORIZATION (${NAME})$`)
const ACTS_AGAIN = 'RESET SESSION AUTHORIZATION'
const DEFAULTS_OF = new RegExp(`^ALTER DEFAULT PRIVILEGES FOR ROLE (${NAME}) `)

/**
 * Runs all statements of the file; those that run code of a table's or domain's owner, as that one. What this
 * role may not say of others' defaults goes to `log`. Throws a `StackError` that shows which one failed.
 */
export async function runSchema(
  client: Client,
  folder: string,
  { file }: BackupFile,
  searchPath: readonly string[],
  log: (line: string) => void,
): Promise<void> {
  const text = readFileSync(join(folder, file), 'utf8')
  for (const statement of eachStatement(text)) {
    if (statement === undefined) continue
    const sql = text.slice(statement.start, statement.end)
    try {
      if (await isOutOfReach(client, sql))
        log(`not done, do it yourself: ${sql} (of a role that is not this one's)`)
      else await runStatement(client, sql, searchPath)
    } catch (err) {
      const { hint } = err as { hint?: string }
      throw new StackError(
        `${file}:${statement.line}: ${errorText(err)}${hint ? ` (${hint})` : ''}\n` +
          `  ${sql.slice(0, EXCERPT_CHARACTERS_MAX)}`,
      )
    }
  }
}

/** Providers put defaults of their own roles into each database, which only these can change. */
async function isOutOfReach(client: Client, sql: string): Promise<boolean> {
  const role = DEFAULTS_OF.exec(sql)?.[1]
  if (role === undefined) return false
  const { is_member } = await oneRow<{ is_member: boolean }>(client, IS_MEMBER_SQL, [role])
  return !is_member
}

const IS_MEMBER_SQL = `select pg_has_role($1::regrole, 'usage') as is_member`

async function runStatement(client: Client, sql: string, searchPath: readonly string[]): Promise<void> {
  const role = CHANGES_OWNER.exec(sql)?.[1]
  if (role !== undefined) return changeOwner(client, sql, role)
  const grantor = ACTS_AS.exec(sql)?.[1]
  if (grantor !== undefined) return void (await client.query(`set local role ${grantor}`))
  if (sql === ACTS_AGAIN) return void (await client.query('reset role'))
  const [, kind, name, referenced] = RUNS_CODE.exec(sql) ?? []
  if (kind === undefined || name === undefined) return void (await client.query(sql))
  const { owner, is_own } = await oneRow<{ owner: string; is_own: boolean }>(
    client,
    kind === 'TABLE' ? OWNER_OF_TABLE_SQL : OWNER_OF_DOMAIN_SQL,
    [name],
  )
  if (is_own) return void (await client.query(sql))
  // Rights of callers come with the grants at the end.
  const lent = `references on table ${referenced}`
  const to = quoteIdentifier(owner)
  const { must_lend } =
    referenced === undefined
      ? { must_lend: false }
      : await oneRow<{ must_lend: boolean }>(client, MUST_LEND_SQL, [owner, referenced])
  if (must_lend) await client.query(`grant ${lent} to ${to}`)
  const body = `begin execute ${escapeLiteral(sql)}; end`
  await runAs(client, owner, `language plpgsql as ${escapeLiteral(body)}`, searchPath)
  if (must_lend) await client.query(`revoke ${lent} from ${to}`)
}

const OWNER_OF_TABLE_SQL = `
  select pg_get_userbyid(relowner) as owner, relowner = current_user::regrole as is_own
  from pg_class where oid = $1::regclass`
const OWNER_OF_DOMAIN_SQL = `
  select pg_get_userbyid(typowner) as owner, typowner = current_user::regrole as is_own
  from pg_type where oid = $1::regtype`
const MUST_LEND_SQL = `select not has_table_privilege($1, $2::regclass, 'references') as must_lend`

/**
 * Whoever gets an object must have the right to create in its schema, which callers and the engine's roles had only for
 * a while, and which comes with the grants at the end. So it is lent for this one statement. `role` is SQL.
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
