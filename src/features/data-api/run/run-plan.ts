// Runs the statement of a data request in one trip. Beside the catalog it is the one place of this feature that talks
// to the database.

import type { DataSession } from '../../../db/database.ts'
import type { Statement } from '../../../db/sql.ts'
import type { ExplainFormat } from '../grammar/media-type.ts'
import type { DataApiDeps, DataContext } from './data-session.ts'
import { ownFailure } from './own-failure.ts'

/** A statement and how it runs. */
export interface Plan {
  readonly main: Statement
  /** An EXPLAIN to run before; of reads alone. */
  readonly estimate?: Statement | undefined
  /** Asks how the statement runs, in place of what it answers: nothing of it stays. */
  readonly explain?: ExplainFormat | undefined
  readonly readOnly: boolean
  readonly prepared: boolean
  /** True: everything is undone at the end, and the answer comes all the same. */
  readonly isDryRun: boolean
  readonly timezone: string | undefined
}

/** The one row of `sql/result-sql.ts`. */
export interface StatementOutcome {
  readonly body: BodyInit
  readonly rowCount: number
  readonly totalCount: number | null
  readonly responseHeaders: string | null
  readonly responseStatus: string | null
  readonly updatedCount: number
  /** Text of the EXPLAIN's JSON, where one was asked for. */
  readonly estimate: string | null
}

/** Runs the plan in one trip; an estimate takes another. Throws our own errors where it was made to fail. */
export async function runPlan(
  deps: Pick<DataApiDeps, 'data'>,
  context: DataContext,
  plan: Plan,
): Promise<StatementOutcome> {
  try {
    return await runStatements(deps, context, plan)
  } catch (err) {
    throw ownFailure(err, plan.main) ?? err
  }
}

async function runStatements(
  deps: Pick<DataApiDeps, 'data'>,
  context: DataContext,
  plan: Plan,
): Promise<StatementOutcome> {
  const session = { ...context.session, timezone: plan.timezone }
  if (plan.explain) return runExplain(deps, session, plan, plan.explain)
  const main = { sql: `${plan.main.sql}/*${session.role}*/`, params: plan.main.params }
  const options = { readOnly: plan.readOnly, prepared: plan.prepared, changesNothing: plan.isDryRun }
  if (!plan.isDryRun) {
    const estimate = plan.estimate && (await runEstimate(deps, session, plan.estimate))
    const { body, columns } = await deps.data.batchForBody(session, main, options)
    return toOutcome(body, columns, estimate ?? null)
  }
  const statements = [SAVEPOINT, main, CHECK_CONSTRAINTS, ROLL_BACK]
  const results = await deps.data.batch(session, statements, { ...options, resultBytesMax: PARSED_BYTES_MAX })
  const [body = '', ...columns] = results[1]?.rows[0] ?? []
  return toOutcome(body ?? '', columns, null)
}

/** A trip of its own, so that the answer beside it can pass through as a stream, however large it is. */
async function runEstimate(
  { data }: Pick<DataApiDeps, 'data'>,
  session: DataSession,
  estimate: Statement,
): Promise<string | null> {
  const [result] = await data.batch(session, [estimate], { readOnly: true, prepared: true })
  return result?.rows[0]?.[0] ?? null
}

/** `body` is the plan. Of a write that EXPLAIN ANALYZE runs nothing stays. */
async function runExplain(
  deps: Pick<DataApiDeps, 'data'>,
  session: DataSession,
  { main, readOnly }: Plan,
  { form, options }: ExplainFormat,
): Promise<StatementOutcome> {
  const explain = {
    sql: `explain (${[`format ${form}`, ...options].join(',')}) ${main.sql}`,
    params: main.params,
  }
  const statements = readOnly ? [explain] : [SAVEPOINT, explain, ROLL_BACK]
  const results = await deps.data.batch(session, statements, {
    readOnly,
    prepared: false,
    changesNothing: true,
    resultBytesMax: PARSED_BYTES_MAX,
  })
  const lines = results[readOnly ? 0 : 1]?.rows.map(([line]) => line) ?? []
  return toOutcome(lines.join('\n'), [], null)
}

/**
 * Most bytes of the answer of a dry run: it cannot pass through as a stream, and what is parsed takes several times its
 * bytes.
 */
const PARSED_BYTES_MAX = 4 * 1024 * 1024

/** A dry run undoes its work inside the transaction, so that the batch itself ends well and brings the rows. */
const SAVEPOINT: Statement = { sql: 'savepoint quoin_dry_run', params: [] }
/** Deferred constraints would only be checked at a commit that never comes. */
const CHECK_CONSTRAINTS: Statement = { sql: 'set constraints all immediate', params: [] }
const ROLL_BACK: Statement = { sql: 'rollback to savepoint quoin_dry_run', params: [] }

function toOutcome(
  body: BodyInit,
  [rowCount, totalCount, responseHeaders, responseStatus, updatedCount]: (string | null)[],
  estimate: string | null,
): StatementOutcome {
  return {
    body,
    rowCount: Number(rowCount ?? 0),
    totalCount: totalCount === null || totalCount === undefined ? null : Number(totalCount),
    responseHeaders: responseHeaders ?? null,
    responseStatus: responseStatus ?? null,
    updatedCount: Number(updatedCount ?? 0),
    estimate,
  }
}
