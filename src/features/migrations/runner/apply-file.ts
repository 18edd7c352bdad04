// Runs the statements of one migration, one by one: so that the one that fails is known, and none can end the
// transaction around it.

import { DomainError } from '../../../errors.ts'
import type { MigrationFile } from '../migration-file.ts'
import { failingStatement } from '../statements/failing-statement.ts'
import { type MigrationStatement, splitStatements } from '../statements/split-statements.ts'
import { transactionUse } from '../statements/transaction-use.ts'
import { type FailurePlace, MigrationFailure } from './migration-failure.ts'
import { type BuilderDatabase, type MigrationDirection, type Shorthands, stepsOf } from './migration-steps.ts'
import { type Driver, type DriverResult, isRefusal, passOn, runStatement } from './owner-session.ts'

export interface FileRun {
  readonly file: MigrationFile
  readonly direction: MigrationDirection
  readonly shorthands: Shorthands
  readonly inTransaction: boolean
}

const NO_TRANSACTION_HINT =
  'Give the statement a file of its own that begins with the line "-- quoin:no-transaction", or calls ' +
  'pgm.noTransaction(): it then runs behind the others, outside of their transaction.'

const UNSUPPORTED = {
  copy_from_stdin: 'COPY ... FROM STDIN reads rows from a client, and there is none here.',
  psql_command: 'A backslash command is one of psql, not of Postgres.',
}

/**
 * Runs the file's statements. Throws `MigrationFailure` for whatever the file or Postgres says, and what the driver
 * throws when the connection breaks (`database_unavailable`).
 */
export async function applyFile(driver: Driver, run: FileRun): Promise<void> {
  const { file, direction, shorthands, inTransaction } = run
  const steps = await stepsOf(file, direction, shorthands, builderDatabase(driver, run)).catch(
    (err: unknown) => {
      throw failureOf(file, err)
    },
  )
  if (inTransaction && !steps.usesTransaction)
    throw new MigrationFailure(file, 'It calls pgm.noTransaction() after asking the database: call it first.')
  for (const text of steps.texts)
    for (const statement of splitStatements(text)) {
      refuseUnfit(run, text, statement, steps.firstLine)
      await runStatement(driver, text.slice(statement.start, statement.end)).catch((err: unknown) => {
        throw isRefusal(err)
          ? new MigrationFailure(file, err, placeOf(text, statement, steps.firstLine, err))
          : err
      })
    }
}

/** `pgm.db`: what it sends is looked at as the steps are. */
function builderDatabase(driver: Driver, run: FileRun): BuilderDatabase {
  const query = async (statement: unknown, values?: unknown[]): Promise<DriverResult> => {
    const text = typeof statement === 'string' ? statement : String((statement as { text?: unknown }).text)
    const statements = splitStatements(text)
    for (const part of statements) refuseUnfit(run, text, part, null)
    return passOn(driver.query(statement, values)).catch((err: unknown) => {
      const [first] = statements
      if (!isRefusal(err) || first === undefined) throw err
      const whole = { ...first, end: statements.at(-1)?.end ?? first.end }
      throw new MigrationFailure(run.file, err, placeOf(text, whole, null, err))
    })
  }
  return { query, select: async (statement, values) => (await query(statement, values)).rows }
}

function refuseUnfit(
  { file, inTransaction }: FileRun,
  text: string,
  statement: MigrationStatement,
  firstLine: number | null,
): void {
  const refuse = (reason: string, hint?: string) => {
    throw new MigrationFailure(file, reason, placeOf(text, statement, firstLine), hint)
  }
  if (statement.unsupported)
    refuse(UNSUPPORTED[statement.unsupported], 'Write INSERT statements in its place.')
  const use = transactionUse(text, statement)
  if (use === 'controls_transaction')
    refuse('A migration cannot begin or end a transaction: Quoin does, around all of them.', 'Leave it out.')
  if (use === 'needs_no_transaction' && inTransaction)
    refuse('The statement cannot run in a transaction.', NO_TRANSACTION_HINT)
}

function placeOf(
  text: string,
  statement: MigrationStatement,
  firstLine: number | null,
  err?: { position?: string },
): FailurePlace {
  const position = err?.position === undefined ? undefined : Number(err.position)
  const { excerpt, line } = failingStatement(text, statement, position)
  return { excerpt, line: firstLine === null ? null : firstLine + line - 1 }
}

/** A connection that broke is no fault of the file. */
function failureOf(file: MigrationFile, err: unknown): unknown {
  return err instanceof MigrationFailure || err instanceof DomainError ? err : new MigrationFailure(file, err)
}
