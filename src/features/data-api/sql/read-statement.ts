// Builds the SELECT of a read: of a table, a view, or the rows of a function. Pure.
// The same shape of request gives the same SQL text, whatever its values: Postgres prepares each text once.

import { Parameters, type QualifiedName, quoteQualified, type Statement } from '../../../db/sql.ts'
import type { OutputFormat } from '../grammar/media-type.ts'
import type { Preferences } from '../grammar/prefer.ts'
import { ROW_LIMIT_MAX } from '../limits.ts'
import type { Level, RootLevel } from '../plan/level.ts'
import { type LevelParts, levelParts, rowsWhereSql } from './level-sql.ts'
import { relianceSql } from './reliance.ts'
import { bodySql } from './result-sql.ts'

export interface ReadRequest {
  readonly level: RootLevel
  readonly format: OutputFormat
  readonly count: Preferences['count']
  /** Up to so many rows a count that is estimated is exact. */
  readonly countedMax?: number
}

export interface ReadStatements {
  readonly main: Statement
  /** EXPLAIN of the unpaged query, whose first row holds the planner's estimate; for counts that are not exact. */
  readonly estimate: Statement | undefined
}

/** The statements that read a table or view. */
export function buildRead(table: QualifiedName, request: ReadRequest): ReadStatements {
  const params = new Parameters()
  const sql = rowsSql(quoteQualified(table), params, request)
  const isEstimated = request.count === 'planned' || request.count === 'estimated'
  return {
    main: { sql, params: params.values },
    estimate: isEstimated ? buildEstimate(table, request.level) : undefined,
  }
}

/** What of `rowsSql` is not the same for all: the body, columns behind the total, conditions besides the filters. */
interface RowsShape {
  readonly body?: string
  readonly more?: readonly string[]
  readonly conditions?: readonly string[]
}

/** `select <body>, count(*), <total>[, <more>] from (<page of source>) "t"`; `source` has the level's alias. */
export function rowsSql(
  source: string,
  params: Parameters,
  { level, format, count, countedMax = ROW_LIMIT_MAX }: ReadRequest,
  { body = bodySql(format), more = [], conditions = [] }: RowsShape = {},
): string {
  const parts = levelParts(level, source, params, [...conditions, ...relianceSql(level, params)])
  const total = totalSql(parts, count, countedMax)
  const columns = [body, 'pg_catalog.count(*)', total, ...more]
  const { list, from, where, group, order, slice } = parts
  return `select ${columns.join(',')} from (select ${list}${from}${where}${group}${order}${slice}) "t"`
}

/** Rows of the whole result, with the parameters of the page. */
function totalSql(
  { bareFrom, where, list, from, group, limit, offset }: LevelParts,
  count: Preferences['count'],
  countedMax: number,
): string {
  if (count !== 'exact' && count !== 'estimated') return 'null'
  if (limit === undefined) return 'pg_catalog.count(*)'
  const rows = group === '' ? `select 1${bareFrom}${where}` : `select ${list}${from}${where}${group}`
  const counted =
    count === 'exact' && group === ''
      ? `(select pg_catalog.count(*)${bareFrom}${where})`
      : `(select pg_catalog.count(*) from (${rows}${count === 'exact' ? '' : ` limit ${countedMax + 1}`}) "c")`
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
  const where = rowsWhereSql(level, params)
  return {
    sql: `explain (format json) select 1 from ${quoteQualified(table)}${where}`,
    params: params.values,
  }
}
