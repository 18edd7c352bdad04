// Runs one query as an anon key would, for nobody or for a person: what they would see, and by which policies.

import type { DatabaseCaller } from '../../db/caller-session.ts'
import type { DataSession } from '../../db/database.ts'
import { PostgresError } from '../../db/postgres-error.ts'
import type { StatementResult } from '../../db/sql-wire.ts'
import { DomainError } from '../../errors.ts'
import { type AuditDeps, audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { resultTexts } from '../sql/result-json.ts'
import { shownText } from '../sql/run-audited-sql.ts'
import { type SqlDeps, sqlSession } from '../sql/run-sql.ts'
import { placeFailure, placeRefusal } from '../sql/sql-error.ts'
import type { SingleStatement } from '../sql/statement.ts'
import { type ItemResult, itemResult, planBatch } from '../sql/statement-plan.ts'
import { refuseTextBytes } from '../sql/text-guard.ts'
import { type ClaimsDeps, claimsOf } from './claims.ts'
import { CALLER_SQL, isOfQuery, type Marks, markedBatch, parseMarked } from './marked-query.ts'
import { ONE_TABLE_FIELDS, type OneTable, oneTable } from './one-table.ts'
import { type MARKS, ROWS_MAX, TIMEOUT_MS, type TryAsRequest } from './schemas.ts'
import { callsSessionFunction, SESSION_FUNCTION_FIELDS } from './session-functions.ts'

export type TryAsDeps = SqlDeps &
  AuditDeps &
  ClaimsDeps & { config: SqlDeps['config'] & ClaimsDeps['config'] }

interface Tried {
  result: ItemResult
  marks: (typeof MARKS)[number]
  of?: Marks
}

/**
 * The answer's JSON text. The query runs in a read-only transaction, for 2 s and 100 rows.
 * `callerAs` makes its session from the claims. The audit log has the text and the claims. Throws
 * `statement_not_allowed` for what is no read, `not_found` for an unknown identity, and `PostgresError` with its place.
 */
export async function tryAs(
  deps: TryAsDeps,
  caller: Caller,
  callerAs: (claims: DatabaseCaller['claims']) => DatabaseCaller,
  { sql, as }: TryAsRequest,
): Promise<string> {
  const claims = await claimsOf(deps, as)
  const session = sqlSession(deps, callerAs(claims), TIMEOUT_MS)
  const used = JSON.parse(session.claims) as Record<string, unknown>
  const change = { targetKind: 'sql', targetId: null, before: { ...shownText(sql), claims: used } }
  return audited(deps, caller, change, async () => {
    const statement = await readStatement(deps, sql)
    const [parsed] = await deps.sql.statements.trees(sql, ONE_TABLE_FIELDS)
    const table = parsed && oneTable(parsed.node, sql)
    const tried =
      table === undefined
        ? await runPlain(deps, session, statement, 'not_one_table')
        : await runMarked(deps, session, statement, table)
    const { rowCount } = tried.result
    return {
      result: await answerText(deps, session, used, tried),
      after: { command: 'SELECT', row_count: rowCount },
    }
  })
}

async function readStatement(deps: TryAsDeps, sql: string): Promise<SingleStatement> {
  refuseTextBytes([sql], deps.config.sqlTextBytesMax)
  let statement: SingleStatement
  try {
    statement = await deps.sql.statements.read(sql)
  } catch (err) {
    throw placeRefusal(err, sql, undefined)
  }
  if (!statement.isRead) {
    throw new DomainError('statement_not_allowed', 'Only a query is tried as somebody else.', {
      hint: 'Send one SELECT, VALUES or TABLE that changes nothing. POST /api/sql runs other statements.',
    })
  }
  const [parsed] = await deps.sql.statements.trees(sql, SESSION_FUNCTION_FIELDS)
  if (parsed && !callsSessionFunction(parsed.node)) return statement
  throw new DomainError(
    'statement_not_allowed',
    'A query that is tried sets nothing and runs no SQL in a text.',
    {
      hint: 'Leave set_config, query_to_xml and its like, ts_stat and ts_rewrite out. POST /api/sql runs them.',
    },
  )
}

const READ_ONLY = { prepared: false, readOnly: true } as const

/** Where the marks fail for whatever reason, the rows show without them. */
async function runMarked(
  deps: TryAsDeps,
  session: DataSession,
  statement: SingleStatement,
  table: OneTable,
): Promise<Tried> {
  let results: StatementResult[]
  try {
    const batch = markedBatch(statement, table, session)
    results = await deps.data.batch(session, batch, { ...READ_ONLY, isolationLevel: 'RepeatableRead' })
  } catch (err) {
    if (!(err instanceof PostgresError)) throw err
    // It is out of time with the marks or without them.
    if (isOfQuery(err) && err.code === TIMEOUT) throw explained(err)
    return runPlain(deps, session, statement, whyUnmarked(err))
  }
  const { result, endedAs, marks } = parseMarked(results)
  refuseOtherCaller(session, endedAs)
  const isTruncated = result.rows.length > ROWS_MAX
  const rows = result.rows.slice(0, ROWS_MAX)
  return {
    result: { fields: result.fields, rows, rowCount: rows.length, command: 'SELECT', isTruncated },
    marks: marks.table === null ? 'not_one_table' : marks.isActive ? 'made' : 'no_row_level_security',
    of: marks,
  }
}

const TIMEOUT = '57014'

function whyUnmarked({ code }: PostgresError): Tried['marks'] {
  if (code === TIMEOUT) return 'out_of_time'
  if (code === '42501') return 'columns_only'
  // An aggregate, or a relation whose rows have no place: a view, a foreign table.
  return code === '42803' || code === '42703' ? 'not_one_table' : 'failed'
}

async function runPlain(
  deps: TryAsDeps,
  session: DataSession,
  statement: SingleStatement,
  marks: Tried['marks'],
): Promise<Tried> {
  const plan = planBatch([{ statement, params: [] }], ROWS_MAX)
  const [planned] = plan.items
  if (planned === undefined) throw new Error('a plan has its one statement')
  try {
    const results = await deps.data.batch(
      session,
      [...plan.batch, { sql: CALLER_SQL, params: [] }],
      READ_ONLY,
    )
    refuseOtherCaller(session, results.at(-1))
    return { result: itemResult(planned, results, ROWS_MAX), marks }
  } catch (err) {
    throw explained(placeFailure(err, plan))
  }
}

/** A function may set role and claims, as it may for a real caller; then these would be another's rows. */
function refuseOtherCaller(session: DataSession, endedAs: StatementResult | undefined): void {
  const [role, claims] = endedAs?.rows[0] ?? []
  if (role === session.role && claims === session.claims) return
  throw new DomainError(
    'statement_not_allowed',
    'The query changed who it runs as, so its rows are not shown.',
    {
      hint: "A function of the schema calls set_config('role', ...) or sets the claims: any anon key can do so by it.",
    },
  )
}

const HINTS: Readonly<Record<string, string>> = {
  '25006': 'It runs in a read-only transaction: what writes cannot be tried.',
  '42501': 'anon may not do this. GET /api/database/tables/:schema/:table says what it may, and why.',
  '42P17':
    'A policy reads its own table, directly or through others: put that reading into a SECURITY DEFINER function.',
  [TIMEOUT]: `A query that is tried has ${TIMEOUT_MS} ms. Filter on indexed columns, or read fewer rows.`,
}

/** Hints of POST /api/sql speak of service_role and of longer times. */
function explained(err: unknown): unknown {
  if (err instanceof PostgresError) err.hint = HINTS[err.code] ?? err.hint
  if (!(err instanceof DomainError) || err.code !== 'validation_failed') return err
  return new DomainError(err.code, err.message, {
    hint: 'A query that is tried takes no parameters: write the values into it.',
    cause: err,
  })
}

async function answerText(
  deps: TryAsDeps,
  session: DataSession,
  claims: Record<string, unknown>,
  { result, marks, of }: Tried,
): Promise<string> {
  const oids = result.fields.map(({ dataTypeID }) => dataTypeID)
  const [rows = ''] = resultTexts([result], await deps.sql.types.find(deps, session, oids))
  const facts = {
    claims,
    marks,
    table: of?.table ?? null,
    policies: of?.policies ?? [],
    row_policies: marks === 'made' ? (of?.rowPolicies ?? []) : [],
  }
  return `${JSON.stringify(facts).slice(0, -1)},"result":${rows}}`
}
