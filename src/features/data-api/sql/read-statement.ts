// Builds the SELECT of a read: of a table, a view, or the rows of a function. Pure.
// The same shape of request gives the same SQL text, whatever its values: Postgres prepares each text once.

import { Parameters, type QualifiedName, quoteQualified, type Statement } from '../../../db/sql.ts'
import type { OutputFormat } from '../grammar/media-type.ts'
import type { Preferences } from '../grammar/prefer.ts'
import { ROW_LIMIT_MAX } from '../limits.ts'
import type { Level } from '../plan/level.ts'
import { type FieldScope, orderSql, scopeOf, selectListSql } from './field-sql.ts'
import { whereSql } from './filter-sql.ts'
import { bodySql } from './result-sql.ts'

export interface ReadRequest {
  readonly level: Level
  readonly format: OutputFormat
  readonly count: Preferences['count']
}

export interface ReadStatements {
  readonly main: Statement
  /** EXPLAIN of the unpaged query, whose first row holds the planner's estimate; for counts that are not exact. */
  readonly estimate: Statement | undefined
}

/** The statements that read a table or view. */
export function buildRead(table: QualifiedName, request: ReadRequest): ReadStatements {
  const params = new Parameters()
  const sql = rowsSql(quoteQualified(table), { params }, request)
  const isEstimated = request.count === 'planned' || request.count === 'estimated'
  return {
    main: { sql, params: params.values },
    estimate: isEstimated ? buildEstimate(table, request.level) : undefined,
  }
}

/** Where the values of a statement go, and what its FROM asks besides the filters. */
export type StatementScope = Pick<FieldScope, 'params' | 'conditions'>

/** `select <body>, count(*), <total>[, <more>] from (<page of source>) "t"`; `source` has the level's alias. */
export function rowsSql(
  source: string,
  { params, conditions }: StatementScope,
  { level, format, count }: ReadRequest,
  { body = bodySql(format), more = [] }: { body?: string; more?: readonly string[] } = {},
): string {
  const scope = scopeOf(level, params, conditions)
  const list = selectListSql(scope, level.items)
  const from = ` from ${source}${whereSql(scope, level.filters)}`
  const { page, order } = level
  const limit = page && params.add(String(page.limit))
  const offset = page && page.offset > 0 ? params.add(String(page.offset)) : undefined
  const slice = `${orderSql(scope, order)}${clauseSql('limit', limit)}${clauseSql('offset', offset)}`
  const total = totalSql(from, count, limit, offset)
  const columns = [body, 'pg_catalog.count(*)', total, ...more]
  return `select ${columns.join(',')} from (select ${list}${from}${slice}) "t"`
}
function clauseSql(keyword: string, parameter: string | undefined): string {
  return parameter === undefined ? '' : ` ${keyword} ${parameter}`
}

/** Rows of the whole result; `from` is the FROM and WHERE of the page, with the same parameters. */
function totalSql(
  from: string,
  count: Preferences['count'],
  limit: string | undefined,
  offset: string | undefined,
): string {
  if (count !== 'exact' && count !== 'estimated') return 'null'
  if (limit === undefined) return 'pg_catalog.count(*)'
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

function buildEstimate(table: QualifiedName, level: Level): Statement {
  const params = new Parameters()
  const where = whereSql(scopeOf(level, params), level.filters)
  return {
    sql: `explain (format json) select 1 from ${quoteQualified(table)}${where}`,
    params: params.values,
  }
}
