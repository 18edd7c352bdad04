// Builds the call of a function, whose result is a value, a row, or rows to filter and page. Pure.
// The function is called exactly once, whatever is asked about its result.

import {
  Parameters,
  quoteIdentifier,
  quoteQualified,
  type Statement,
  type TextBytes,
} from '../../../db/sql.ts'
import type { DatabaseFunction, FunctionArgument } from '../catalog/catalog-types.ts'
import type { ResolvedCall } from '../catalog/function-resolution.ts'
import type { OutputFormat } from '../grammar/media-type.ts'
import { type ReadRequest, rowsSql } from './read-statement.ts'
import { hasOverloads } from './reliance.ts'
import { bodySql, guardSql, RESPONSE_SETTINGS } from './result-sql.ts'

export interface CallRequest extends ReadRequest {
  readonly maxAffected: number | undefined
}

/** What is passed: a JSON object of arguments by name, whose values may all be texts, or the one argument. */
export interface PassedArguments {
  readonly names: readonly string[]
  readonly body: string | TextBytes
  readonly areTexts: boolean
}

/** The statement that calls a function. */
export function buildCall(
  { target, overloads, passing }: ResolvedCall,
  passed: PassedArguments,
  request: CallRequest,
): Statement {
  const params = new Parameters()
  const from =
    passing === 'wholeBody'
      ? wholeBodySql(target, params.add(passed.body))
      : byNameSql(target, passed, params)
  const isStill = hasOverloads(target, overloads, params)
  return { sql: resultSql(target, from, request, isStill, params), params: params.values }
}

function wholeBodySql(target: DatabaseFunction, body: string): string {
  const type = target.arguments[0]?.type ?? 'json'
  return sourceSql(target, `${body}::${type}`)
}

/** What stands in FROM under the function's name: its rows, or a column of that name with its values. */
function sourceSql(target: DatabaseFunction, passed: string): string {
  const alias = quoteIdentifier(target.name)
  const call = `${quoteQualified(target)}(${passed})`
  return target.isRecord ? `lateral (select ${call} ${alias}) ${alias}` : `${call} ${alias}`
}

/** `json_to_record($1) "quoin_arguments"("a" integer), "public"."f"("a"=>"quoin_arguments"."a") "f"`. */
function byNameSql(
  target: DatabaseFunction,
  { names, body, areTexts }: PassedArguments,
  params: Parameters,
): string {
  const passed = target.arguments.filter(({ name }) => names.includes(name))
  if (passed.length === 0) return sourceSql(target, '')
  const definitions = passed.map(({ name, type, isVariadic }) => {
    const text = isVariadic ? 'text[]' : 'text'
    return `${quoteIdentifier(name)} ${areTexts ? text : type}`
  })
  const source = `pg_catalog.json_to_record(${params.add(body)}) "quoin_arguments"(${definitions.join(',')})`
  return `${source},${sourceSql(target, passed.map(each => passSql(each, areTexts)).join(','))}`
}

function passSql({ name, type, isVariadic }: FunctionArgument, isText: boolean): string {
  const quoted = quoteIdentifier(name)
  const value = `"quoin_arguments".${quoted}${isText ? `::${type}` : ''}`
  return `${isVariadic ? 'variadic ' : ''}${quoted}=>${value}`
}

function resultSql(
  target: DatabaseFunction,
  from: string,
  request: CallRequest,
  condition: string,
  params: Parameters,
): string {
  const alias = quoteIdentifier(target.name)
  const where = ` where ${condition}`
  if (target.returns === 'void') {
    const called = target.returnsSet
      ? `(select pg_catalog.count(*) from ${from}${where}) "t"`
      : `${from}${where}`
    return `select '[]',0,null,${RESPONSE_SETTINGS} from ${called}`
  }
  if (target.returns === 'scalar' && !target.returnsSet) {
    return `select ${valueSql(`${alias}.${alias}`, request.format)},1,null,${RESPONSE_SETTINGS} from ${from}${where}`
  }
  const more = [RESPONSE_SETTINGS, 'null', ...guards(request, params)]
  const rows = rowsOf(target, request)
  const shape = { body: rows.body, more }
  if (request.count === undefined)
    return rowsSql(from, params, rows.request, { ...shape, conditions: [condition] })
  const once = `with ${alias} as materialized (select ${alias}.* from ${from}${where}) `
  return once + rowsSql(alias, params, { ...rows.request, count: 'exact' }, shape)
}

/** One value as a body. Bytes go in base64: what comes from the database is text. */
function valueSql(value: string, { kind }: OutputFormat): string {
  switch (kind) {
    case 'text':
      return `coalesce(${value}::text,'')`
    case 'bytes':
      return `coalesce(pg_catalog.encode(${value},'base64'),'')`
    case 'csv':
      return `coalesce(${value}::text,'null')`
    default:
      return `coalesce(pg_catalog.to_json(${value})::text,'null')`
  }
}

/** A single row is an object, values of a set are not wrapped into objects. */
function rowsOf(target: DatabaseFunction, request: CallRequest): { request: ReadRequest; body: string } {
  const isList = request.format.kind === 'json'
  if (target.returns === 'scalar') {
    const value = `"t".${quoteIdentifier(target.name)}`
    const all = { ...request, level: { ...request.level, items: [{ kind: 'all' as const }] } }
    if (request.format.kind === 'csv' || request.format.kind === 'none')
      return { request: all, body: bodySql(request.format) }
    const values = `pg_catalog.json_agg(${value})`
    return { request: all, body: isList ? `coalesce(${values},'[]')` : `coalesce(${values}->0,'null')` }
  }
  const kind = isList && !target.returnsSet ? 'object' : request.format.kind
  return { request, body: bodySql({ ...request.format, kind }) }
}

function guards({ maxAffected, format }: CallRequest, params: Parameters): string[] {
  const list: string[] = []
  if (maxAffected !== undefined) {
    list.push(guardSql('max_affected', `pg_catalog.count(*)>${params.add(String(maxAffected))}::bigint`))
  }
  if (format.kind === 'object') list.push(guardSql('not_singular', 'pg_catalog.count(*)<>1'))
  return list
}
