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

/** The column that bare values stand in, as PostgREST calls it: filters, orders and CSV headers name it. */
const VALUE = '"pgrst_scalar"'

/** What stands in FROM under the function's name: its rows, or one column with its values. */
function sourceSql({ schema, name, returns, isRecord }: DatabaseFunction, passed: string): string {
  const alias = quoteIdentifier(name)
  const call = `${quoteQualified({ schema, name })}(${passed})`
  if (isRecord) return `lateral (select ${call} ${VALUE}) ${alias}`
  return `${call} ${alias}${returns === 'row' ? '' : `(${VALUE})`}`
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
  // The function stands in the same FROM: an alias of its name would clash.
  const alias = quoteIdentifier(target.name === 'quoin_arguments' ? 'quoin_argument' : 'quoin_arguments')
  const source = `pg_catalog.json_to_record(${params.add(body)}) ${alias}(${definitions.join(',')})`
  return `${source},${sourceSql(target, passed.map(each => passSql(alias, each, areTexts)).join(','))}`
}

function passSql(alias: string, { name, type, isVariadic }: FunctionArgument, isText: boolean): string {
  const quoted = quoteIdentifier(name)
  const value = `${alias}.${quoted}${isText ? `::${type}` : ''}`
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
  const more = [RESPONSE_SETTINGS, 'null', ...guards(target, request, params)]
  const body = bodyOf(target, request.format)
  if (request.count === undefined)
    return rowsSql(from, params, request, { body, more, conditions: [condition] })
  const once = `with ${alias} as materialized (select ${alias}.* from ${from}${where}) `
  return once + rowsSql(alias, params, { ...request, count: 'exact' }, { body, more })
}

function bodyOf(target: DatabaseFunction, format: OutputFormat): string {
  switch (target.returns) {
    case 'void':
      return "'[]'"
    case 'scalar':
      return valuesSql(target, format)
    case 'row':
      return bodySql(format.kind === 'json' && !target.returnsSet ? { ...format, kind: 'object' } : format)
  }
}

/** Bare values are not wrapped into objects: one alone, or a list of a set's. */
function valuesSql({ returnsSet }: DatabaseFunction, format: OutputFormat): string {
  const { kind, stripsNulls } = format
  const value = `"t".${VALUE}`
  if (kind === 'text') return `coalesce((pg_catalog.array_agg(${value}))[1]::text,'')`
  // In base64, since what comes from the database is text.
  if (kind === 'bytes') return `coalesce(pg_catalog.encode((pg_catalog.array_agg(${value}))[1],'base64'),'')`
  if (kind !== 'json' && (kind !== 'object' || returnsSet)) return bodySql(format)
  const values = `pg_catalog.json_agg(${value})`
  const list = stripsNulls ? `pg_catalog.json_strip_nulls(${values})` : values
  return returnsSet ? `coalesce(${list},'[]')` : `coalesce(${list}->0,'null')`
}

function guards(
  { returnsSet }: DatabaseFunction,
  { maxAffected, format }: CallRequest,
  params: Parameters,
): string[] {
  const list: string[] = []
  if (maxAffected !== undefined) {
    list.push(guardSql('max_affected', `pg_catalog.count(*)>${params.add(String(maxAffected))}::bigint`))
  }
  if (format.kind === 'object' && returnsSet) list.push(guardSql('not_singular', 'pg_catalog.count(*)<>1'))
  return list
}
