// What a script would lose, before it runs: its statements, and of each what it takes away for good.

import type { DatabaseCaller } from '../../db/caller-session.ts'
import { DomainError } from '../../errors.ts'
import { countLosses } from './loss-rows.ts'
import { LOSS_FIELDS, lossesOf } from './losses.ts'
import type { ParsedStatement } from './parser.ts'
import { type SqlDeps, sqlSession } from './run-sql.ts'
import { type SqlCheckRequest, type SqlCheckResponse, STATEMENTS_MAX, TIMEOUT_MS_DEFAULT } from './schemas.ts'
import { placeRefusal } from './sql-error.ts'
import { refuseTextBytes } from './text-guard.ts'

/** One statement of the largest text could name a hundred thousand tables: nobody reads such a list. */
const LOSSES_MAX = 1_000

/**
 * Reads a script and runs none of it. Whether its statements are allowed is not looked at: running them says so. Throws
 * `PostgresError` 42601 and `sql_syntax` with the place of what cannot be read, `too_many_statements`,
 * `payload_too_large`, and `response_too_large` for over 1 000 losses. One trip for names and one for each count; none
 * where nothing is lost.
 */
export async function checkSql(
  deps: SqlDeps,
  caller: DatabaseCaller,
  { sql }: SqlCheckRequest,
): Promise<SqlCheckResponse> {
  refuseTextBytes([sql], deps.config.sqlTextBytesMax)
  const statements = await readScript(deps, sql)
  const losses = statements.map(({ node }) => lossesOf(node))
  const all = losses.flat()
  if (all.length > LOSSES_MAX) throw tooManyLosses(all.length)
  const session = sqlSession(deps, caller, TIMEOUT_MS_DEFAULT)
  const counted = all.length === 0 ? [] : await countLosses(deps, session, all)
  return {
    statements: statements.map(({ node, end }, i) => ({
      ...withoutBlanks(sql, statements[i - 1]?.end ?? 0, end),
      opaque: 'DoStmt' in node || 'CallStmt' in node,
      losses: counted.splice(0, losses[i]?.length ?? 0),
    })),
  }
}

async function readScript(deps: SqlDeps, sql: string): Promise<ParsedStatement[]> {
  let statements: ParsedStatement[]
  try {
    statements = await deps.sql.statements.trees(sql, LOSS_FIELDS)
  } catch (err) {
    throw placeRefusal(err, sql, undefined)
  }
  if (statements.length <= STATEMENTS_MAX) return statements
  throw new DomainError('too_many_statements', `A transaction takes at most ${STATEMENTS_MAX} statements.`, {
    detail: `The SQL holds ${statements.length} statements.`,
    hint: 'Run it in parts. What belongs to the schema is a migration: a file may have any number of statements.',
  })
}

function tooManyLosses(count: number): DomainError {
  return new DomainError('response_too_large', `A check names at most ${LOSSES_MAX} losses.`, {
    detail: `The script would lose ${count} objects.`,
    hint: 'Check it in parts.',
  })
}

/** The comments before a statement are its own: who finds it in the history has them too. */
function withoutBlanks(text: string, from: number, end: number): { sql: string; offset: number } {
  const sql = text.slice(from, end).replace(/^[\s;]+/, '')
  return { sql: sql.trimEnd(), offset: end - sql.length }
}
