// Runs the statement of a data request in one trip and makes its failures speak. The one place of this feature that
// talks to the database (beside the catalog) and the one that turns Postgres' errors into what callers get.

import type { DataDatabase, DataSession } from '../../../db/database.ts'
import { explainPostgresError } from '../../../db/error-hints.ts'
import { PostgresError } from '../../../db/postgres-error.ts'
import type { Statement } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import type { Catalog, CatalogCache } from '../catalog/catalog.ts'
import type { Filter } from '../grammar/query-ast.ts'
import { isOutdated } from '../sql/reliance.ts'
import { readGuardFailure } from '../sql/result-sql.ts'
import type { DataCall } from './data-session.ts'

/** What every verb of this feature needs. */
export interface TablesDeps {
  readonly data: Pick<DataDatabase, 'batch' | 'batchForBody'>
  readonly catalog: CatalogCache
  readonly config: { readonly dbSchemas: readonly string[]; readonly dbExtraSearchPath: readonly string[] }
}

/** A statement and how it runs. */
export interface Plan {
  readonly main: Statement
  /** An EXPLAIN to run in the same trip. */
  readonly explain?: Statement | undefined
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
  readonly explain: string | null
}

/** A request on its way: who calls, on what, in which session. */
export interface DataContext {
  readonly call: DataCall
  readonly schema: string
  readonly session: DataSession
  readonly filters: readonly Filter[]
}

/** Runs the plan in one trip. */
export async function runPlan(deps: TablesDeps, context: DataContext, plan: Plan): Promise<StatementOutcome> {
  const session = { ...context.session, timezone: plan.timezone }
  const main = { sql: `${plan.main.sql}/*${session.role}*/`, params: plan.main.params }
  const options = { readOnly: plan.readOnly, prepared: plan.prepared, changesNothing: plan.isDryRun }
  if (plan.explain === undefined && !plan.isDryRun) {
    const { body, columns } = await deps.data.batchForBody(session, main, options)
    return toOutcome(body, columns, null)
  }
  const before = plan.isDryRun ? [SAVEPOINT] : []
  // Behind the statement: planning runs functions of policies, and under what they set it would be parsed for good.
  const explain = plan.explain ? [plan.explain] : []
  const after = plan.isDryRun ? [CHECK_CONSTRAINTS, ROLL_BACK] : []
  const results = await deps.data.batch(session, [...before, main, ...explain, ...after], {
    ...options,
    resultBytesMax: PARSED_BYTES_MAX,
  })
  const rowOf = (index: number) => results[index]?.rows[0] ?? []
  const [body = '', ...columns] = rowOf(before.length)
  const estimate = plan.explain ? (rowOf(before.length + 1)[0] ?? null) : null
  return toOutcome(body ?? '', columns, estimate)
}

/**
 * Most bytes of an answer beside which something else is asked for (an estimate, a dry run): it cannot pass through
 * as a stream, and what is parsed takes several times its bytes.
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
  explain: string | null,
): StatementOutcome {
  return {
    body,
    rowCount: Number(rowCount ?? 0),
    totalCount: totalCount === null || totalCount === undefined ? null : Number(totalCount),
    responseHeaders: responseHeaders ?? null,
    responseStatus: responseStatus ?? null,
    updatedCount: Number(updatedCount ?? 0),
    explain,
  }
}

/** Codes that may mean that the remembered catalog is older than the database. */
const STALE_CODES: ReadonlySet<string> = new Set([
  '25006',
  '42P01',
  '42703',
  '42704',
  '42883',
  '42P10',
  '42725',
  '42804',
])

/** Ours that say that a function, or a column with the name of a function of Postgres, is not in the catalog. */
const STALE_DOMAIN_CODES: ReadonlySet<string> = new Set([
  'function_not_found',
  'invalid_filter',
  'invalid_order',
  'invalid_select',
])

/**
 * What a request must know before its SQL can be made: nothing, the table it names (`relation_now`: not from memory;
 * `key`: also its primary key), or the functions of its name.
 */
export type CatalogNeed = 'nothing' | 'relation' | 'key' | 'relation_now' | 'functions'

/**
 * Runs `attempt` with the catalog, when it needs one. Runs it once more with a fresh catalog when Postgres says that a
 * name of the remembered one is wrong. Every failure that leaves here is explained.
 */
export async function withCatalog<T>(
  deps: TablesDeps,
  context: DataContext,
  need: CatalogNeed,
  attempt: (catalog: Catalog | undefined) => Promise<T>,
): Promise<T> {
  const known = need === 'nothing' ? undefined : await catalogFor(deps, context, need)
  try {
    return await attempt(known)
  } catch (err) {
    if (known === undefined || !mayBeStale(err)) throw await explain(deps, context, need, err)
    const fresh = await freshCatalog(deps, context, need, known)
    if (fresh === known) throw await explain(deps, context, need, err)
    return await retry(deps, context, need, fresh, attempt)
  }
}

async function retry<T>(
  deps: TablesDeps,
  context: DataContext,
  need: CatalogNeed,
  catalog: Catalog,
  attempt: (catalog: Catalog) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(catalog.justRead())
  } catch (err) {
    throw await explain(deps, context, need, err)
  }
}

/** The remembered catalog; its relation is read anew where it is not there, or must not come from memory. */
async function catalogFor(deps: TablesDeps, context: DataContext, need: CatalogNeed): Promise<Catalog> {
  const { data, catalog } = deps
  const { session, call, schema } = context
  if (need === 'relation_now') return catalog.readRelation(data, session, { schema, name: call.name })
  const known = await catalog.read(data, session)
  if (need !== 'relation' && need !== 'key') return known
  const relation = known.relation(schema, call.name)
  // No text can say that it relies on the key of a view: Postgres does not know it.
  const isKnown = relation !== undefined && !(need === 'key' && relation.isView)
  return isKnown ? known : catalog.readRelation(data, session, { schema, name: call.name })
}

/** After a failure: what may have changed since `known` was read, or `known` itself where no function has. */
function freshCatalog(
  { catalog, data }: TablesDeps,
  { schema, session, call }: DataContext,
  need: CatalogNeed,
  known: Catalog,
): Promise<Catalog> {
  const named = { schema, name: call.name }
  if (need !== 'functions') return catalog.readRelation(data, session, named)
  return catalog.refreshFunctions(data, session, named, known)
}

function mayBeStale(err: unknown): boolean {
  if (err instanceof PostgresError) return STALE_CODES.has(err.code) || isOutdated(err)
  return err instanceof DomainError && STALE_DOMAIN_CODES.has(err.code)
}

/** What each method needs to change rows and to read them back. */
const PRIVILEGES: Readonly<Record<string, string>> = {
  POST: 'INSERT, SELECT',
  PATCH: 'UPDATE, SELECT',
  DELETE: 'DELETE, SELECT',
}

/** What to throw instead of `err`: our own error for a failed guard, else the same with a hint. */
async function explain(
  deps: TablesDeps,
  context: DataContext,
  need: CatalogNeed,
  err: unknown,
): Promise<unknown> {
  if (!(err instanceof PostgresError)) return err
  const { call, schema, session } = context
  const guard = readGuardFailure(err)
  if (guard?.guard === 'max_affected') return maxAffectedExceeded(guard.rowCount)
  if (guard?.guard === 'not_singular') return notSingular(guard.rowCount)
  nameTheTable(err, call.name)
  const catalog = await catalogForHint(deps, context, err.code)
  const prefer = call.headers.get('prefer') ?? ''
  // A call is a POST too, but what its function does with which table nobody knows here.
  const privileges = need === 'functions' ? undefined : (PRIVILEGES[call.method] ?? 'SELECT')
  return explainPostgresError(err, {
    role: session.role,
    schema,
    table: call.name,
    catalog,
    isUpsert: call.method === 'POST' && need !== 'functions' && /\bresolution=/.test(prefer),
    readsBack: need !== 'functions' && !/\breturn=(?:minimal|headers-only)\b/.test(prefer),
    isWithoutUser: call.claims === null && session.role === 'anon',
    comparedWithNull: comparedWithNull(context.filters),
    ...(privileges === undefined ? { isCall: true } : { privileges }),
  })
}

/** The column of the first `eq.null` and the like: Postgres reads the text "null" as the column's type. */
function comparedWithNull(filters: readonly Filter[]): string | undefined {
  for (const filter of filters) {
    if (filter.kind === 'condition') {
      const { field, test } = filter
      if (test.kind === 'compare' && /^null$/i.test(test.value)) return field.name
      continue
    }
    const inside = comparedWithNull(filter.filters)
    if (inside !== undefined) return inside
  }
  return undefined
}

/** An error is poorer without what only the catalog knows; it matters more than that this cannot be read. */
async function orNothing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch {
    return undefined
  }
}

/** The rows of a write come under aliases of ours; callers know the table. */
function nameTheTable(err: PostgresError, table: string): void {
  const unknown = /^column r\.(.+) does not exist$/.exec(err.message)?.[1]
  if (unknown !== undefined) err.message = `column ${unknown} of relation "${table}" does not exist`
  err.hint = err.hint?.replaceAll(/"(?:r|quoin_rows?)\./g, () => `"${table}.`)
}

async function catalogForHint(
  deps: TablesDeps,
  context: DataContext,
  code: string,
): Promise<Catalog | undefined> {
  if (code !== '42P01' && code !== '42703') return undefined
  // An unknown table is the common case of the first, and must not read the catalog each time.
  return await orNothing(() => catalogFor(deps, context, code === '42703' ? 'relation' : 'nothing'))
}

function maxAffectedExceeded(rowCount: number): DomainError {
  return new DomainError('max_affected_exceeded', 'Query result exceeds max-affected preference constraint', {
    detail: `The query affects ${rowCount} rows`,
    hint: 'Nothing was changed. Narrow the filter, or raise max-affected.',
  })
}

/** `406` for a single-object answer of a result with none or several rows. */
export function notSingular(rowCount: number): DomainError {
  return new DomainError('not_singular', 'Cannot coerce the result to a single JSON object', {
    detail: `The result contains ${rowCount} rows`,
    hint: 'Filter on a unique column, or accept application/json.',
  })
}
