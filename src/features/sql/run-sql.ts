// Runs callers' SQL: one statement, or up to twenty in one transaction. One trip to the database each, and a second
// only when an answer holds types that this isolate has not met. Callers' SQL is never prepared by name.

import { callerSession, type DatabaseCaller } from '../../db/caller-session.ts'
import type { DataDatabase, DataSession } from '../../db/database.ts'
import type { StatementResult } from '../../db/sql-wire.ts'
import { DomainError } from '../../errors.ts'
import { toParameters } from './parameters.ts'
import type { SqlParser } from './parser.ts'
import { resultTexts } from './result-json.ts'
import type { SqlRequest, SqlTransactionRequest } from './schemas.ts'
import { placeFailure, placeRefusal } from './sql-error.ts'
import { StatementReader } from './statement.ts'
import { itemResult, type Plan, planBatch, type SqlItem } from './statement-plan.ts'
import { refuseTextBytes } from './text-guard.ts'
import { TypeCatalog } from './type-catalog.ts'

/** What an isolate keeps between calls: the parser, and what it learned of statements and types. */
export interface SqlRuntime {
  statements: StatementReader
  types: TypeCatalog
}

/** Makes the runtime; `loadParser` is called at the first call and not again. */
export function makeSqlRuntime(loadParser: () => Promise<SqlParser>): SqlRuntime {
  return { statements: new StatementReader(loadParser), types: new TypeCatalog() }
}

export interface SqlDeps {
  data: DataDatabase
  sql: SqlRuntime
  /** Unqualified names are looked up in the exposed schemas and the extra ones; the text of a call has a bound. */
  config: {
    dbSchemas: readonly string[]
    dbExtraSearchPath: readonly string[]
    sqlTextBytesMax: number
  }
  now: () => Date
}

/** The JSON text of an SQL response, and what of it is worth a line in a log. */
export interface SqlOutcome {
  json: string
  command: string
  rowCount: number
}

/**
 * Runs one statement. Lets `PostgresError` pass, placed in the caller's text. Throws `payload_too_large` for a text
 * over its bound, `response_too_large` for such an answer.
 */
export async function runSql(deps: SqlDeps, caller: DatabaseCaller, input: SqlRequest): Promise<SqlOutcome> {
  refuseTextBytes([input.sql], deps.config.sqlTextBytesMax)
  const item = await readItem(deps, input, undefined)
  const session = sqlSession(deps, caller, input.timeout)
  const [outcome] = await runItems(deps, session, [item], input.row_limit)
  if (outcome === undefined) throw new Error('one statement has one outcome')
  return outcome
}

export interface TransactionOutcome {
  /** `{results: [...]}`. */
  json: string
  outcomes: SqlOutcome[]
}

/**
 * Runs the statements in one transaction; when one fails, all are rolled back and `detail` names it. Throws
 * `empty_transaction`, and as `runSql` does: its bounds hold for all statements together.
 */
export async function runTransaction(
  deps: SqlDeps,
  caller: DatabaseCaller,
  input: SqlTransactionRequest,
): Promise<TransactionOutcome> {
  if (input.statements.length === 0) {
    throw new DomainError('empty_transaction', 'A transaction needs at least one statement.', {
      hint: 'Send {"statements": [{"sql": "..."}]}.',
    })
  }
  refuseTextBytes(
    input.statements.map(({ sql }) => sql),
    deps.config.sqlTextBytesMax,
  )
  const items: SqlItem[] = []
  for (const [i, statement] of input.statements.entries()) items.push(await readItem(deps, statement, i))
  const outcomes = await runItems(deps, sqlSession(deps, caller, input.timeout), items, input.row_limit)
  return { json: `{"results":[${outcomes.map(({ json }) => json).join(',')}]}`, outcomes }
}

/** The session of a caller's SQL; unqualified names are found as in all of it. */
export function sqlSession({ config }: SqlDeps, caller: DatabaseCaller, timeoutMs: number): DataSession {
  return callerSession(caller, [...config.dbSchemas, ...config.dbExtraSearchPath], timeoutMs)
}

async function readItem(
  deps: SqlDeps,
  { sql, params }: Pick<SqlRequest, 'sql' | 'params'>,
  index: number | undefined,
): Promise<SqlItem> {
  try {
    return { statement: await deps.sql.statements.read(sql), params: toParameters(params) }
  } catch (err) {
    throw placeRefusal(err, sql, index)
  }
}

async function runItems(
  deps: SqlDeps,
  session: DataSession,
  items: readonly SqlItem[],
  rowLimit: number,
): Promise<SqlOutcome[]> {
  const plan = planBatch(items, rowLimit)
  const results = await runBatch(deps, session, plan)
  const answers = plan.items.map(planned => itemResult(planned, results, rowLimit))
  const oids = answers.flatMap(({ fields }) => fields.map(field => field.dataTypeID))
  const findType = await deps.sql.types.find(deps, session, oids)
  const texts = resultTexts(answers, findType)
  return answers.map(({ command, rowCount }, i) => ({ json: texts[i] ?? '', command, rowCount }))
}

async function runBatch(deps: SqlDeps, session: DataSession, plan: Plan): Promise<StatementResult[]> {
  try {
    return await deps.data.batch(session, plan.batch, { prepared: false, readOnly: false })
  } catch (err) {
    throw placeFailure(err, plan)
  }
}
