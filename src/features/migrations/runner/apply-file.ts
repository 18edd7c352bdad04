// Runs the statements of one migration, one by one: so that the one that fails is known, and none can end the
// transaction around it.

import { DomainError } from '../../../errors.ts'
import type { MigrationFile } from '../migration-file.ts'
import { failingStatement } from '../statements/failing-statement.ts'
import { type MigrationStatement, splitStatements } from '../statements/split-statements.ts'
import { changesRole, transactionUse } from '../statements/transaction-use.ts'
import { type FailurePlace, MigrationFailure } from './migration-failure.ts'
import {
  handledOnly,
  type MigrationDirection,
  type MigrationSteps,
  type Shorthands,
  stepsOf,
} from './migration-steps.ts'
import { type Driver, type DriverResult, isRefusal, sendStatement } from './owner-session.ts'

export interface FileRun {
  readonly file: MigrationFile
  readonly direction: MigrationDirection
  readonly shorthands: Shorthands
  readonly inTransaction: boolean
  /** Longest that the file may take to say its SQL; 0: any time. */
  readonly timeoutMs: number
  /** Waited for before a statement by which the file takes another role, or gives one back. */
  readonly beforeRoleChange: () => Promise<void>
}

const NO_TRANSACTION_HINT =
  'Give the statement a file of its own that begins with the line "-- quoin:no-transaction", or calls ' +
  'pgm.noTransaction(): what comes before it is then committed, and it runs on its own.'

const NOT_AWAITED = 'It uses pgm.db without waiting for the answer: `await` it.'

const COPY = 'COPY ... FROM STDIN reads rows from a client, and there is none here.'
const COPY_HINT = 'Write INSERT statements in its place, as `pg_dump --inserts` does.'
const PSQL = 'A backslash command is one of psql, not of Postgres.'

/** By the command; the others are left out. */
const PSQL_HINTS: readonly (readonly [RegExp, string])[] = [
  [/^\\copy\b/, COPY_HINT],
  [/^\\(?:i|ir|include|include_relative)\b/, 'Put the statements of that file in its place.'],
  [/^\\(?:c|connect)\b/, 'Leave it out: a run works in one database, which DATABASE_URL names.'],
  [
    /^\\(?:set|gset|if|elif|else|endif|prompt|getenv)\b/,
    'Write the values into the SQL, or make a .cjs file of it.',
  ],
  [/^\\(?:g|gexec|gx|gdesc|watch)\b/, 'End the statement with a semicolon; what it answers is not used.'],
]

/** What helps where a statement needs a COMMIT that the run has not made, by SQLSTATE. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  // unsafe_new_enum_value_usage
  '55P04':
    'Begin the file that adds the value with the line "-- quoin:no-transaction", and use the value in a file ' +
    'behind it: the value is committed then.',
  // active_sql_transaction, invalid_transaction_termination
  '25001': NO_TRANSACTION_HINT,
  '2D000': NO_TRANSACTION_HINT,
  // object_in_use: mostly triggers that are deferred to COMMIT
  '55006': 'Where it has pending trigger events, put "set constraints all immediate;" before it.',
}

/**
 * Runs the file's statements. Throws `MigrationFailure` for whatever the file or Postgres says, and what the driver
 * throws when the connection breaks (`database_unavailable`).
 */
export async function applyFile(driver: Driver, run: FileRun): Promise<void> {
  const { file, inTransaction } = run
  const steps = await askedSteps(driver, run)
  if (inTransaction && !steps.usesTransaction)
    throw new MigrationFailure(file, 'It calls pgm.noTransaction() after asking the database: call it first.')
  for (const text of steps.texts)
    for (const statement of splitStatements(text)) await runPart(driver, run, { text, statement, ...steps })
}

/** The steps, with `pgm.db` open until the file has said them: later questions would be outside of its order. */
async function askedSteps(driver: Driver, run: FileRun): Promise<MigrationSteps> {
  const { file, direction, shorthands, timeoutMs } = run
  const open = new Set<Promise<unknown>>()
  let isClosed = false
  const query = (statement: unknown, values?: unknown[]): Promise<DriverResult> => {
    if (isClosed) return Promise.reject(new Error(NOT_AWAITED))
    const answer = runQuestion(driver, run, statement, values)
    open.add(answer)
    return answer.finally(() => open.delete(answer))
  }
  const database = handledOnly({
    query,
    select: async (statement, values) => (await query(statement, values)).rows,
  })
  try {
    const steps = await stepsOf(file, direction, shorthands, { database, timeoutMs })
    if (open.size > 0) throw new MigrationFailure(file, NOT_AWAITED)
    return steps
  } catch (err) {
    // A connection that broke is no fault of the file.
    throw err instanceof MigrationFailure || err instanceof DomainError
      ? err
      : new MigrationFailure(file, err)
  } finally {
    isClosed = true
    await Promise.allSettled(open)
  }
}

/** What `pgm.db` asks: statements as those of the steps, of which the last one answers. */
async function runQuestion(
  driver: Driver,
  run: FileRun,
  statement: unknown,
  given?: unknown[],
): Promise<DriverResult> {
  const question = typeof statement === 'string' ? { text: statement } : Object(statement)
  const text = String(question.text)
  const values: unknown[] = question.values ?? given ?? []
  const parts = splitStatements(text)
  const last = parts.pop() ?? { start: 0, end: text.length, line: 1 }
  for (const part of parts) await runPart(driver, run, { text, statement: part, firstLine: null })
  return runPart(driver, run, { text, statement: last, firstLine: null }, values)
}

interface Part {
  readonly text: string
  readonly statement: MigrationStatement
  readonly firstLine: number | null
}

async function runPart(
  driver: Driver,
  run: FileRun,
  { text, statement, firstLine }: Part,
  values: readonly unknown[] = [],
): Promise<DriverResult> {
  refuseUnfit(run, text, statement, firstLine)
  if (changesRole(text, statement)) await run.beforeRoleChange()
  try {
    return await sendStatement(driver, text.slice(statement.start, statement.end), values)
  } catch (err) {
    if (!isRefusal(err)) throw err
    const wayOut = run.inTransaction ? WAYS_OUT[err.code] : undefined
    throw new MigrationFailure(run.file, err, placeOf(text, statement, firstLine, err), wayOut)
  }
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
  if (statement.unsupported === 'copy_from_stdin') refuse(COPY, COPY_HINT)
  if (statement.unsupported === 'psql_command') {
    const command = text.slice(statement.start, statement.end).replace(/^[^\\]*/, '')
    refuse(PSQL, PSQL_HINTS.find(([fits]) => fits.test(command))?.[1] ?? 'Leave it out.')
  }
  const use = transactionUse(text, statement)
  if (use === 'controls_transaction')
    refuse(
      'A migration cannot begin or end a transaction: Quoin does, around the files of a run.',
      'Leave it out.',
    )
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
