// Builds INSERT, UPDATE and DELETE. Pure. Rows come as one JSON parameter that Postgres itself takes apart, and go
// back as one body; whatever must not be (too many rows, not exactly one) fails inside the statement, so that nothing
// is written.

import {
  Parameters,
  type QualifiedName,
  quoteIdentifier,
  quoteQualified,
  type Statement,
} from '../../../db/sql.ts'
import type { OutputFormat } from '../grammar/media-type.ts'
import type { Payload } from '../payload/payload.ts'
import type { Item, RootLevel } from '../plan/level.ts'
import { isPlain, neededColumns } from '../plan/returning.ts'
import { levelParts, listSql, whereSql } from './level-sql.ts'
import { relianceSql } from './reliance.ts'
import { bodySql, guardSql, RESPONSE_SETTINGS } from './result-sql.ts'
import { rowSourceSql, type WriteCatalog } from './row-source-sql.ts'

/** What is common to all writes. */
export interface WriteRequest {
  /** The rows that are changed, and what of them comes back. */
  readonly level: RootLevel
  readonly format: OutputFormat
  /** `minimal`: no row is read back, so that no right to read is needed. An array: these columns alone, as texts. */
  readonly returning: 'representation' | 'minimal' | readonly string[]
  readonly maxAffected: number | undefined
}

/** How an insert treats rows whose key exists. */
export interface ConflictRule {
  readonly resolution: 'merge-duplicates' | 'ignore-duplicates'
  readonly target: readonly string[]
  /** True: of the rows of the body only those are taken that the filters match. */
  readonly takesMatching?: boolean
}

export function buildInsert(
  table: QualifiedName,
  payload: Payload,
  conflict: ConflictRule | undefined,
  request: WriteRequest,
  catalog: WriteCatalog,
): Statement {
  const params = new Parameters()
  const columns = payload.keys.map(quoteIdentifier)
  const rows = rowSourceSql(table, payload, catalog, params)
  const source = conflict?.takesMatching === true ? matchingSql(rows, request.level, params) : rows
  const target = columns.length > 0 ? `(${columns.join(',')})` : ''
  const conflictClause = conflict ? conflictSql(conflict, payload.keys) : ''
  return wrapWrite(
    `insert into ${quoteQualified(table)}${target} ${source}${conflictClause}`,
    table,
    request,
    params,
    conflict?.resolution === 'merge-duplicates' ? UPDATED_COUNT : 'null',
  )
}

function matchingSql(rows: string, level: RootLevel, params: Parameters): string {
  return `select * from (${rows}) ${quoteIdentifier(level.alias)}${chosenSql(level, params)}`
}

/** ` where ...` of the rows that are changed: fails, whatever is returned, where what it relies on is not so. */
function chosenSql(level: RootLevel, params: Parameters): string {
  return whereSql(level, params, relianceSql(level, params))
}

/** Rows that an upsert changed instead of inserting are counted in a setting of the transaction: views have no xmax. */
const UPDATED_COUNT = `coalesce(nullif(pg_catalog.current_setting('quoin.updated',true),''),'0')`
const COUNT_UPDATE = `pg_catalog.set_config('quoin.updated',(${UPDATED_COUNT}::int+1)::text,true) is not null`

function conflictSql({ resolution, target }: ConflictRule, keys: readonly string[]): string {
  const on = ` on conflict(${target.map(quoteIdentifier).join(',')})`
  if (resolution === 'ignore-duplicates' || keys.length === 0) return `${on} do nothing`
  // A row of nothing but its key is set to itself: unlike DO NOTHING that returns it.
  const others = keys.filter(key => !target.includes(key))
  const set = (others.length > 0 ? others : keys).map(quoteIdentifier).map(name => `${name}=excluded.${name}`)
  return `${on} do update set ${set.join(',')} where ${COUNT_UPDATE}`
}

export function buildUpdate(
  table: QualifiedName,
  payload: Payload,
  request: WriteRequest,
  catalog: WriteCatalog,
): Statement {
  const params = new Parameters()
  if (payload.keys.length === 0) return wrapNothing(table, request, params)
  const source = rowSourceSql(table, payload, catalog, params)
  // The table stands in the same FROM: an alias of its name would clash.
  const row = quoteIdentifier(table.name === 'quoin_row' ? 'quoin_rows' : 'quoin_row')
  const set = payload.keys.map(quoteIdentifier).map(name => `${name}=${row}.${name}`)
  const where = chosenSql(request.level, params)
  return wrapWrite(
    `update ${quoteQualified(table)} set ${set.join(',')} from (${source}) ${row}${where}`,
    table,
    request,
    params,
  )
}

export function buildDelete(table: QualifiedName, request: WriteRequest): Statement {
  const params = new Parameters()
  const where = chosenSql(request.level, params)
  return wrapWrite(`delete from ${quoteQualified(table)}${where}`, table, request, params)
}

/** `with "q" as (<write> returning ...) select <body> from ...`. */
function wrapWrite(
  write: string,
  table: QualifiedName,
  request: WriteRequest,
  params: Parameters,
  updatedCount = 'null',
): Statement {
  const level = returnedLevel(request)
  if (level === undefined) return wrap(`${write} returning 1`, '"q"', request, params, updatedCount)
  if (isPlain(level)) {
    return wrap(`${write} returning ${listSql(level, params)}`, '"q"', request, params, updatedCount)
  }
  const returning = returnedSql(table, level)
  return wrap(`${write} returning ${returning}`, shownSql(level, params), request, params, updatedCount)
}

/** An update without columns changes nothing, but the table and the right to read it are still checked. */
function wrapNothing(table: QualifiedName, request: WriteRequest, params: Parameters): Statement {
  const level = returnedLevel(request) ?? { ...request.level, items: [{ kind: 'all' as const }] }
  const none = (list: string) => `select ${list} from ${quoteQualified(table)} where false`
  if (isPlain(level)) return wrap(none(listSql(level, params)), '"q"', request, params, 'null')
  return wrap(none(returnedSql(table, level)), shownSql(level, params), request, params, 'null')
}

/** What comes back of the rows of the write; undefined for nothing. */
function returnedLevel({ returning, level }: WriteRequest): RootLevel | undefined {
  if (returning === 'minimal') return undefined
  const all = { ...level, filters: [], page: undefined }
  if (returning === 'representation') return all
  const items = returning.map(
    (name): Item => ({
      kind: 'field',
      field: { name, path: [] },
      alias: undefined,
      // Of a number that JSON's readers round, the text is another row's no more.
      cast: 'text',
      aggregate: undefined,
    }),
  )
  return { ...all, items, order: [] }
}

/** The columns that the level is made of, so that no right to others is needed. */
function returnedSql({ name }: QualifiedName, level: RootLevel): string {
  const columns = neededColumns(level)
  const relation = quoteIdentifier(name)
  if (columns === undefined) return `${relation}.*`
  return columns.length === 0
    ? '1'
    : columns.map(column => `${relation}.${quoteIdentifier(column)}`).join(',')
}

/** The level over the rows that the write returned. */
function shownSql(level: RootLevel, params: Parameters): string {
  const source = `"q" ${quoteIdentifier(level.alias)}`
  const { list, from, where, group, order } = levelParts(level, source, params, relianceSql(level, params))
  return `(select ${list}${from}${where}${group}${order})`
}

function wrap(
  inner: string,
  rows: string,
  request: WriteRequest,
  params: Parameters,
  updatedCount: string,
): Statement {
  const body = request.returning === 'minimal' ? "''" : bodySql(request.format)
  const guards: string[] = []
  if (request.maxAffected !== undefined) {
    // Of the rows that the write returned, some may not be shown.
    const affected = '(select pg_catalog.count(*) from "q")'
    const bound = `${params.add(String(request.maxAffected))}::bigint`
    guards.push(guardSql('max_affected', `${affected}>${bound}`, affected))
  }
  if (request.format.kind === 'object') guards.push(guardSql('not_singular', 'pg_catalog.count(*)<>1'))
  const columns = [body, 'pg_catalog.count(*)', 'null', RESPONSE_SETTINGS, updatedCount, ...guards]
  return { sql: `with "q" as (${inner}) select ${columns.join(',')} from ${rows} "t"`, params: params.values }
}
