// GET of a table or view.

import type { CatalogNeed } from '../catalog/needed-catalog.ts'
import type { Dialect } from '../dialect.ts'
import { negotiateFormat } from '../grammar/media-type.ts'
import { contentRange, parsePage } from '../grammar/page.ts'
import { refuseUnused } from '../grammar/parameter-use.ts'
import { type Preferences, parsePrefer, preferenceApplied } from '../grammar/prefer.ts'
import type { DataQuery, SelectItem } from '../grammar/query-ast.ts'
import { parseQueryString } from '../grammar/query-string.ts'
import { namesRowFunction } from '../grammar/row-functions.ts'
import { embedsRelations, planTable } from '../plan/plan-root.ts'
import { type DataApiDeps, type DataCall, openCall } from '../run/data-session.ts'
import { notSingular } from '../run/own-failure.ts'
import { runPlan, type StatementOutcome } from '../run/run-plan.ts'
import { withCatalog } from '../run/with-catalog.ts'
import { filterNeedsTypes } from '../sql/filter-sql.ts'
import { buildRead } from '../sql/read-statement.ts'
import { answer, type DataAnswer, discardBody, explained, rowsStatus } from './data-answer.ts'
import { addressOf, canonicalQuery } from './resource-address.ts'

/**
 * The rows that the query string selects, in one read-only trip. 206 when a count was asked for and there are more
 * rows. Throws `invalid_*` before the database is asked, `not_singular`, and explained `PostgresError`s.
 */
export async function readRows(deps: DataApiDeps, call: DataCall, dialect: Dialect): Promise<DataAnswer> {
  const opened = openCall(deps, call, 'table')
  const query = parseQueryString(call.search)
  refuseUnused(query, 'read', dialect)
  const page = parsePage(query, call.method === 'GET' ? call.headers.get('range') : null, dialect)
  const preferences = parsePrefer(call.headers.get('prefer'), dialect)
  const format = negotiateFormat(call.headers.get('accept'), deps.config.dbPlanEnabled)
  const context = { ...opened, query }
  const table = { schema: opened.schema, name: call.name }

  const outcome = await withCatalog(deps, context, queryNeed(query), catalog => {
    const level = planTable({ catalog, dialect, role: call.role }, table, query, page)
    const made = call.method === 'HEAD' ? { ...format, kind: 'none' as const } : format
    const { main, estimate } = buildRead(table, {
      level,
      format: made,
      count: preferences.count,
      countedMax: dialect.rowLimit.max,
    })
    const timezone = preferences.timezone
    return runPlan(deps, context, {
      main,
      estimate,
      explain: format.explain,
      readOnly: true,
      prepared: true,
      isDryRun: false,
      timezone,
    })
  })
  if (format.explain) return explained(deps, context, format, outcome)
  const total = totalOf(outcome, preferences.count, dialect)
  if (format.kind === 'object' && outcome.rowCount !== 1) {
    discardBody(outcome)
    throw notSingular(outcome.rowCount)
  }
  const status = rowsStatus(outcome, page, total)
  return answer(deps, context, status, outcome.body, {
    'content-type': format.contentType,
    'content-range': contentRange(page.offset, outcome.rowCount, total),
    'content-location': addressOf(call, dialect, canonicalQuery(call.search)),
    'preference-applied': preferenceApplied(preferences, ['count', 'tx', 'handling', 'timezone']),
  })
}

/**
 * The table must be known when the SQL depends on column types, as JSON paths and text search do. So it must when a
 * name may be a function over the row, when `*` stands beside an aggregate, and when relations are embedded.
 */
export function queryNeed(query: DataQuery): CatalogNeed {
  const { select, filters, order } = query
  const needsColumns =
    embedsRelations(query) ||
    namesRowFunction(query) ||
    filters.some(filterNeedsTypes) ||
    select.some(item => item.kind === 'field' && item.field.path.length > 0) ||
    (select.some(({ kind }) => kind === 'all') && select.some(isAggregate)) ||
    order.some(term => term.field.path.length > 0)
  return needsColumns ? 'relation' : 'nothing'
}

function isAggregate(item: SelectItem): boolean {
  return item.kind === 'count' || (item.kind === 'field' && item.aggregate !== undefined)
}

/** `planned` is the planner's estimate; `estimated` is exact up to the most rows that one read returns. */
function totalOf(
  { totalCount, estimate }: StatementOutcome,
  count: Preferences['count'],
  { rowLimit }: Dialect,
): number | null {
  if (count === undefined) return null
  if (count === 'exact' || estimate === null) return totalCount
  const planned = plannedRows(estimate)
  if (count === 'planned') return planned
  return totalCount !== null && totalCount > rowLimit.max ? Math.max(planned, totalCount) : totalCount
}

function plannedRows(estimate: string): number {
  const plan = JSON.parse(estimate) as [{ Plan: { 'Plan Rows': number } }]
  return plan[0].Plan['Plan Rows']
}
