// Whether a statement fits into the one transaction that a migration runs in. Pure; told from its first words, since
// what is asked for the most is too large for Postgres' parser. Source: callers of PreventInTransactionBlock, Postgres
// 16 to 18. Only what is certain from the text is said: Postgres refuses the rest (DROP SUBSCRIPTION with a slot,
// REINDEX of a partitioned table).

import type { MigrationStatement } from './split-statements.ts'
import { SqlLexer } from './sql-lexer.ts'

export type TransactionUse =
  /** Runs in a transaction; savepoints do. */
  | 'fits_transaction'
  /** Begins, ends or prepares the transaction itself. */
  | 'controls_transaction'
  /** Postgres refuses it in a transaction. */
  | 'needs_no_transaction'

/** The longest of the statements below has about twenty before the word that decides. */
const TOKENS_MAX = 200

const CONTROLS = /^(?:BEGIN|COMMIT|END|ABORT|START TRANSACTION|ROLLBACK|PREPARE TRANSACTION)(?: |$)/
const TO_SAVEPOINT = /^ROLLBACK (?:(?:WORK|TRANSACTION) )?TO /

/** Words are in upper case with one blank between tokens; `"` stands for a quoted name and `'` for a string. */
const NEEDS_NONE: readonly RegExp[] = [
  /^(?:COMMIT|ROLLBACK) PREPARED /,
  /^(?:CREATE|CREATE UNIQUE|DROP) INDEX CONCURRENTLY /,
  /^REINDEX (?:\(.*?\) )?(?:SCHEMA|DATABASE|SYSTEM)(?: |$)/,
  /^REINDEX (?:\(.*?\) )?(?:TABLE|INDEX) CONCURRENTLY /,
  /^REINDEX \( (?:[^()]* , )?CONCURRENTLY (?:(?:TRUE|ON|1) )?[,)] /,
  /^VACUUM(?: |$)/,
  /^CLUSTER(?: VERBOSE| \( .*? \))?$/,
  /^ALTER SYSTEM /,
  /^(?:CREATE|DROP) (?:DATABASE|TABLESPACE) /,
  /^ALTER DATABASE \S+ SET TABLESPACE /,
  /^ALTER TABLE .* DETACH PARTITION (?:\S+ \. )*\S+ CONCURRENTLY$/,
  /^CREATE SUBSCRIPTION (?!.* (?:CREATE_SLOT|CONNECT) = (?:FALSE|OFF|0|') )/,
  /^ALTER SUBSCRIPTION \S+ REFRESH PUBLICATION(?: |$)/,
  /^DISCARD ALL$/,
]

/** What `statement` of `text` asks of the transaction around it. */
export function transactionUse(text: string, statement: MigrationStatement): TransactionUse {
  const words = firstWords(text, statement)
  if (NEEDS_NONE.some(pattern => pattern.test(words))) return 'needs_no_transaction'
  return CONTROLS.test(words) && !TO_SAVEPOINT.test(words) ? 'controls_transaction' : 'fits_transaction'
}

const ROLE = /^(?:SET (?:LOCAL |SESSION )?|RESET )(?:ROLE|SESSION AUTHORIZATION)(?: |$)/

/** Whether `statement` of `text` takes another role, or gives one back. What a function does is not seen. */
export function changesRole(text: string, statement: MigrationStatement): boolean {
  return ROLE.test(firstWords(text, statement))
}

function firstWords(text: string, { start, end }: MigrationStatement): string {
  const lexer = new SqlLexer(text, start)
  const words: string[] = []
  while (words.length < TOKENS_MAX) {
    const kind = lexer.next()
    if (kind === 'end' || lexer.end > end) break
    if (kind === 'quoted_name') words.push('"')
    else if (kind === 'string') words.push("'")
    else words.push(lexer.end - lexer.start > 63 ? '?' : lexer.text().toUpperCase())
  }
  return words.join(' ')
}
