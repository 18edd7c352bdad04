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
import type { SelectItem } from '../grammar/query-ast.ts'
import type { Payload } from '../payload/payload.ts'
import type { Level } from '../plan/level.ts'
import { type FieldScope, orderSql, scopeOf, selectListSql } from './field-sql.ts'
import { whereSql } from './filter-sql.ts'
import { bodySql, guardSql, RESPONSE_SETTINGS } from './result-sql.ts'
import { rowSourceSql, type WriteCatalog } from './row-source-sql.ts'

/** What is common to all writes. */
export interface WriteRequest {
  /** The rows that are changed, and what of them comes back. */
  readonly level: Level
  readonly format: OutputFormat
  /** `minimal`: no row is read back, so that no right to read is needed. An array: these columns alone, as texts. */
  readonly returning: 'representation' | 'minimal' | readonly string[]
  readonly maxAffected: number | undefined
}

/** How an insert treats rows whose key exists. */
export interface ConflictRule {
  readonly resolution: 'merge-duplicates' | 'ignore-duplicates'
  readonly target: readonly string[]
}

export function buildInsert(
  table: QualifiedName,
  payload: Payload,
  conflict: ConflictRule | undefined,
  request: WriteRequest,
  catalog: WriteCatalog,
): Statement {
  const params = new Parameters()
  const scope = scopeOf(request.level, params)
  const columns = payload.keys.map(quoteIdentifier)
  const source = rowSourceSql(table, payload, catalog, params)
  const target = columns.length > 0 ? `(${columns.join(',')})` : ''
  const conflictClause = conflict ? conflictSql(conflict, payload.keys) : ''
  return wrapWrite(
    `insert into ${quoteQualified(table)}${target} ${source}${conflictClause}`,
    request,
    scope,
    conflict?.resolution === 'merge-duplicates' ? UPDATED_COUNT : 'null',
  )
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
  const scope = scopeOf(request.level, params)
  if (payload.keys.length === 0) return wrapNothing(table, request, scope)
  const source = rowSourceSql(table, payload, catalog, params)
  // The table stands in the same FROM: an alias of its name would clash.
  const row = quoteIdentifier(table.name === 'quoin_row' ? 'quoin_rows' : 'quoin_row')
  const set = payload.keys.map(quoteIdentifier).map(name => `${name}=${row}.${name}`)
  const where = whereSql(scope, request.level.filters)
  return wrapWrite(
    `update ${quoteQualified(table)} set ${set.join(',')} from (${source}) ${row}${where}`,
    request,
    scope,
  )
}

export function buildDelete(table: QualifiedName, request: WriteRequest): Statement {
  const params = new Parameters()
  const scope = scopeOf(request.level, params)
  const where = whereSql(scope, request.level.filters)
  return wrapWrite(`delete from ${quoteQualified(table)}${where}`, request, scope)
}

function wrapWrite(
  write: string,
  request: WriteRequest,
  scope: FieldScope,
  updatedCount = 'null',
): Statement {
  const { order } = request.level
  const items = returnedItems(request)
  if (items === undefined) return wrap(`${write} returning 1`, '"q"', request, scope, updatedCount)
  // Ordering needs columns that may not be selected, so the rows come back whole then.
  if (order.length === 0) {
    return wrap(`${write} returning ${selectListSql(scope, items)}`, '"q"', request, scope, updatedCount)
  }
  const name = quoteIdentifier(scope.relation)
  const ordered = `(select ${selectListSql(scope, items)} from "q" ${name}${orderSql(scope, order)})`
  return wrap(`${write} returning ${name}.*`, ordered, request, scope, updatedCount)
}

/** An update without columns changes nothing, but the table and the right to read it are still checked. */
function wrapNothing(table: QualifiedName, request: WriteRequest, scope: FieldScope): Statement {
  const list = selectListSql(scope, returnedItems(request) ?? [{ kind: 'all' }])
  return wrap(`select ${list} from ${quoteQualified(table)} where false`, '"q"', request, scope, 'null')
}

function returnedItems({ returning, level }: WriteRequest): readonly SelectItem[] | undefined {
  if (returning === 'minimal') return undefined
  if (returning === 'representation') return level.items
  return returning.map(name => ({
    kind: 'field',
    field: { name, path: [] },
    alias: undefined,
    // Of a number that JSON's readers round, the text is another row's no more.
    cast: 'text',
  }))
}

function wrap(
  inner: string,
  rows: string,
  request: WriteRequest,
  { params }: FieldScope,
  updatedCount: string,
): Statement {
  const body = request.returning === 'minimal' ? "''" : bodySql(request.format)
  const guards: string[] = []
  if (request.maxAffected !== undefined) {
    guards.push(
      guardSql('max_affected', `pg_catalog.count(*)>${params.add(String(request.maxAffected))}::bigint`),
    )
  }
  if (request.format.kind === 'object') guards.push(guardSql('not_singular', 'pg_catalog.count(*)<>1'))
  const columns = [body, 'pg_catalog.count(*)', 'null', RESPONSE_SETTINGS, updatedCount, ...guards]
  return { sql: `with "q" as (${inner}) select ${columns.join(',')} from ${rows} "t"`, params: params.values }
}
