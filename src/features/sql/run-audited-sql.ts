// A person's SQL, with a row in the audit log whatever becomes of it: the log is the history of the SQL editor.

import type { DatabaseCaller } from '../../db/caller-session.ts'
import { encodeUtf8 } from '../../lib/utf8.ts'
import { type AuditDeps, audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { runSql, runTransaction, type SqlDeps, type SqlOutcome, type TransactionOutcome } from './run-sql.ts'
import type { SqlRequest, SqlTransactionRequest } from './schemas.ts'

/** Of a longer text the audit log has the beginning. */
const SHOWN_BYTES_MAX = 8 * 1024

/**
 * Runs one statement as `runSql` does. The entry has the statement's text as
 * `before.sql` (beside `sql_bytes` where it was cut), and `after` has command and row count. Values of parameters are
 * not kept. Throws as `runSql` does.
 */
export async function runAuditedSql(
  deps: SqlDeps & AuditDeps,
  caller: Caller,
  databaseCaller: DatabaseCaller,
  input: SqlRequest,
): Promise<SqlOutcome> {
  // The text is there before it runs: so it is there too for what failed, and for what nobody saw the end of.
  const change = { targetKind: 'sql', targetId: null, before: shownText(input.sql) }
  return audited(deps, caller, change, async () => {
    const result = await runSql(deps, databaseCaller, input)
    return { result, after: { command: result.command, row_count: result.rowCount } }
  })
}

/**
 * Runs the statements in one transaction as `runTransaction` does. One entry for all of
 * them: `before.sql` is the script, `after.results` has command and row count of each. Throws as `runTransaction` does.
 */
export async function runAuditedTransaction(
  deps: SqlDeps & AuditDeps,
  caller: Caller,
  databaseCaller: DatabaseCaller,
  input: SqlTransactionRequest,
): Promise<TransactionOutcome> {
  // A semicolon behind a comment would be part of it.
  const script = input.statements.map(({ sql }) => (/--.*$/.test(sql) ? `${sql}\n` : sql)).join(';\n')
  const change = { targetKind: 'sql', targetId: null, before: shownText(script) }
  return audited(deps, caller, change, async () => {
    const result = await runTransaction(deps, databaseCaller, input)
    const results = result.outcomes.map(({ command, rowCount }) => ({ command, row_count: rowCount }))
    return { result, after: { results } }
  })
}

/** A text as the audit log has it. */
export function shownText(sql: string): object {
  const bytes = encodeUtf8(sql)
  if (bytes.length <= SHOWN_BYTES_MAX) return { sql }
  // As of a stream: what is left of a letter at the cut is waited for, and not shown.
  const shown = new TextDecoder().decode(bytes.subarray(0, SHOWN_BYTES_MAX), { stream: true })
  return { sql: shown, sql_bytes: bytes.length }
}
