// Builds the SELECT of a read: of a table, a view, or the rows of a function. Pure.
// The same shape of request gives the same SQL text, whatever its values: Postgres prepares each text once.

import { Parameters, type QualifiedName, quoteQualified, type Statement } from '../../../db/sql.ts'
import type { ColumnTypes } from '../catalog/catalog-types.ts'
import type { OutputFormat } from '../grammar/media-type.ts'
import type { Page } from '../grammar/page.ts'
import type { Preferences } from '../grammar/prefer.ts'
import type { DataQuery } from '../grammar/query-ast.ts'
import { ROW_LIMIT_MAX } from '../limits.ts'
import { type FieldScope, orderSql, selectListSql } from './field-sql.ts'
import { whereSql } from './filter-sql.ts'
import { bodySql } from './result-sql.ts'

export interface ReadRequest {
  readonly query: DataQuery
  readonly page: Page
  readonly format: OutputFormat
  readonly count: Preferences['count']
}

export interface ReadStatements {
  readonly main: Statement
  /** EXPLAIN of the unpaged query, whose first row holds the planner's estimate; for counts that are not exact. */
  readonly estimate: Statement | undefined
}

/** The statements that read a table or view. */
export function buildRead(table: QualifiedName, request: ReadRequest, typeOf: ColumnTypes): ReadStatements {
  const params = new Parameters()
  const scope = { relation: table.name, table, params, typeOf }
  const sql = rowsSql(quoteQualified(table), scope, request)
  const isEstimated = request.count === 'planned' || request.count === 'estimated'
  return {
    main: { sql, params: params.values },
    estimate: isEstimated ? buildEstimate(table, request.query, typeOf) : undefined,
  }
}

/**
 * `select <body>, count(*), <total>[, <more>] from (<page of source>) "t"`; `source` is what stands in FROM as
 * `scope.relation`.
 */
export function rowsSql(
  source: string,
  scope: FieldScope,
  { query, page, format, count }: ReadRequest,
  { body = bodySql(format), more = [] }: { body?: string; more?: readonly string[] } = {},
): string {
  const { params } = scope
  const list = selectListSql(scope, query.select)
  const from = ` from ${source}${whereSql(scope, query.filters)}`
  const limit = params.add(String(page.limit))
  const offset = page.offset === 0 ? undefined : params.add(String(page.offset))
  const slice = `${orderSql(scope, query.order)} limit ${limit}${offset === undefined ? '' : ` offset ${offset}`}`
  const total = totalSql(from, count, limit, offset)
  const columns = [body, 'pg_catalog.count(*)', total, ...more]
  return `select ${columns.join(',')} from (select ${list}${from}${slice}) "t"`
}

/** Rows of the whole result; `from` is the FROM and WHERE of the page, with the same parameters. */
function totalSql(
  from: string,
  count: Preferences['count'],
  limit: string,
  offset: string | undefined,
): string {
  if (count !== 'exact' && count !== 'estimated') return 'null'
  const counted =
    count === 'exact'
      ? `(select pg_catalog.count(*)${from})`
      : `(select pg_catalog.count(*) from (select 1${from} limit ${ROW_LIMIT_MAX + 1}) "c")`
  // A page that is not full ends where the result ends: no second scan then.
  const isLast =
    offset === undefined
      ? `pg_catalog.count(*)<${limit}::bigint`
      : `pg_catalog.count(*)<${limit}::bigint and (pg_catalog.count(*)>0 or ${offset}::bigint=0)`
  const skipped = offset === undefined ? '' : `+${offset}::bigint`
  return `case when ${isLast} then pg_catalog.count(*)${skipped} else ${counted} end`
}

function buildEstimate(table: QualifiedName, query: DataQuery, typeOf: ColumnTypes): Statement {
  const params = new Parameters()
  const where = whereSql({ relation: table.name, table, params, typeOf }, query.filters)
  return {
    sql: `explain (format json) select 1 from ${quoteQualified(table)}${where}`,
    params: params.values,
  }
}
