// A level of the tree as SQL, and the levels below as values within it. Pure.
//
// A relation below is a sub-select for each row, in the list of what is shown: Postgres makes it for the rows of the
// page alone. Whether there are rows below is asked with EXISTS, which leaves the number of rows as it is.

import { type Parameters, quoteIdentifier, quoteQualified } from '../../../db/sql.ts'
import type { ColumnPair } from '../catalog/relationship.ts'
import type { Aggregate, Field, SelectedField } from '../grammar/query-ast.ts'
import { isGrouped } from '../plan/grouping.ts'
import {
  type Embed,
  type EmbedItem,
  type Item,
  type Level,
  type LevelOrder,
  type Link,
  type SpreadItem,
  UNKNOWN_TYPES,
} from '../plan/level.ts'
import { outputName } from '../plan/output-name.ts'
import { castSql } from './cast-sql.ts'
import { type FieldScope, fieldSql, scopeOf } from './field-sql.ts'
import { comparedFields, filterSql } from './filter-sql.ts'
import { sameTypeAsParsed } from './reliance.ts'

/** The parts of a SELECT of a level, each with a space in front or empty. */
export interface LevelParts {
  /** What is shown. */
  readonly list: string
  /** ` from <source>`, and the relations whose columns are shown beside. */
  readonly from: string
  /** ` from <source>` with the same number of rows, for counting. */
  readonly bareFrom: string
  readonly where: string
  readonly group: string
  readonly order: string
  readonly slice: string
  /** The parameters of the slice, where it has them. */
  readonly limit: string | undefined
  readonly offset: string | undefined
}

/** `source` is what stands in FROM under the level's alias; `conditions` hold besides its filters. */
export function levelParts(
  level: Level,
  source: string,
  params: Parameters,
  conditions: readonly string[] = [],
): LevelParts {
  const scope = scopeOf(level, params)
  const { items, page } = level
  const spreads = items.filter(item => item.kind === 'spread')
  const joins = spreads.map(spread => spreadJoin(spread, scope))
  const columns = columnsSql(level, scope)
  const where = rowsWhereSql(level, params, conditions)
  const limit = page && params.add(String(page.limit))
  const offset = page && page.offset > 0 ? params.add(String(page.offset)) : undefined
  return {
    list: columns.map(({ sql }) => sql).join(','),
    from: ` from ${source}${joins.join('')}`,
    bareFrom: ` from ${source}`,
    where,
    group: groupSql(items, columns),
    order: orderSql(scope, level.order),
    slice: `${clauseSql('limit', limit)}${clauseSql('offset', offset)}`,
    limit,
    offset,
  }
}

/** What is shown of the rows of a level. */
export function listSql(level: Level, params: Parameters): string {
  return columnsSql(level, scopeOf(level, params))
    .map(({ sql }) => sql)
    .join(',')
}

function columnsSql({ items }: Level, scope: FieldScope): ColumnSql[] {
  const areGrouped = isGrouped(items)
  return items.flatMap(item => itemSql(scope, item, areGrouped))
}

function clauseSql(keyword: string, parameter: string | undefined): string {
  return parameter === undefined ? '' : ` ${keyword} ${parameter}`
}

function selectSql({ list, from, where, group, order, slice }: LevelParts): string {
  return `select ${list}${from}${where}${group}${order}${slice}`
}

/** ` where ...` as below, with what the level's inner embeds ask: which rows are shown. */
export function rowsWhereSql(level: Level, params: Parameters, conditions: readonly string[] = []): string {
  return whereSql(level, params, [...conditions, ...innerConditions(level, params)])
}

/** ` where ...` over the level's filters and further conditions, or nothing. */
export function whereSql(level: Level, params: Parameters, conditions: readonly string[] = []): string {
  const scope = scopeOf(level, params)
  const filters = level.filters.map(filter => filterSql(scope, filter, embed => existsSql(embed, scope)))
  const fields = new Map(
    level.filters.flatMap(comparedFields).map(field => [JSON.stringify(field), field] as const),
  )
  const proofs = [...fields.values()].map(field => sameTypeAsParsed(fieldSql(scope, field), params))
  const all = [...conditions, ...filters, ...proofs]
  return all.length === 0 ? '' : ` where ${all.join(' and ')}`
}

/** What the level's inner embeds ask of its rows. */
function innerConditions(level: Level, params: Parameters): string[] {
  return level.items.flatMap(item => {
    const isAsked = (item.kind === 'embed' || item.kind === 'spread') && item.embed.isInner
    return isAsked ? [existsSql(item.embed, scopeOf(level, params))] : []
  })
}

function existsSql({ level, link }: Embed, { relation, params }: FieldScope): string {
  const { source, conditions } = sourceOf(link, level.alias, relation)
  const where = rowsWhereSql(level, params, conditions)
  // Rows that a page passes over are none of those below.
  const { page } = level
  const isCut = page !== undefined && (page.limit === 0 || page.offset > 0)
  const slice = isCut
    ? ` limit ${params.add(String(page.limit))} offset ${params.add(String(page.offset))}`
    : ''
  return `exists (select 1 from ${source}${where}${slice})`
}

/** The FROM of a level below `above`, and what makes its rows those of a row there. */
function sourceOf(link: Link, alias: string, above: string): { source: string; conditions: string[] } {
  const name = quoteIdentifier(alias)
  const parent = quoteIdentifier(above)
  if (link.kind === 'function') {
    // Cast, because the rows of a write are of no type, and a function may have overloads.
    const row = `${parent}.*::${quoteQualified(link.argument)}`
    return { source: `${quoteQualified(link.function)}(${row}) ${name}`, conditions: [] }
  }
  const source = `${quoteQualified(link.table)} ${name}`
  if (link.kind === 'key') return { source, conditions: equalPairs(parent, name, link.pairs) }
  const junction = quoteIdentifier(link.junctionAlias)
  return {
    source: `${source},${quoteQualified(link.junction)} ${junction}`,
    conditions: [
      ...equalPairs(parent, junction, link.originPairs),
      ...equalPairs(name, junction, link.targetPairs),
    ],
  }
}

function equalPairs(here: string, there: string, pairs: readonly ColumnPair[]): string[] {
  return pairs.map(([a, b]) => `${there}.${quoteIdentifier(b)}=${here}.${quoteIdentifier(a)}`)
}

function belowSql({ level, link }: Embed, { relation, params }: FieldScope): string {
  const { source, conditions } = sourceOf(link, level.alias, relation)
  return selectSql(levelParts(level, source, params, conditions))
}

/** The rows below as one value of JSON. */
function valueSql(embed: Embed, scope: FieldScope): string {
  const rows = belowSql(embed, scope)
  if (!embed.isOne) return `(select coalesce(pg_catalog.json_agg("t".*),'[]') from (${rows}) "t")`
  // Views and inherited tables may have several rows where a key promises one.
  return `(select pg_catalog.row_to_json("t".*) from (${rows}) "t" limit 1)`
}

function spreadJoin({ alias, columns, embed }: SpreadItem, scope: FieldScope): string {
  if (columns.length === 0) return ''
  const rows = belowSql(embed, scope)
  const lateral = (select: string) => ` left join lateral (${select}) ${quoteIdentifier(alias)} on true`
  if (embed.isOne) return lateral(rows)
  const arrays = columns.map(({ name }) => {
    const column = quoteIdentifier(name)
    return `coalesce(pg_catalog.json_agg("t".${column}),'[]') as ${column}`
  })
  return lateral(`select ${arrays.join(',')} from (${rows}) "t"`)
}

/** A column of the answer; `isAggregate`: it is over the rows of a group, and makes none. */
interface ColumnSql {
  readonly sql: string
  readonly isAggregate: boolean
}

function itemSql(scope: FieldScope, item: Item, isGrouped: boolean): ColumnSql[] {
  switch (item.kind) {
    case 'all':
      return [plain(`${quoteIdentifier(scope.relation)}.*`)]
    case 'present':
      return [plain(`1 as ${quoteIdentifier(item.name)}`)]
    case 'count': {
      // To Postgres it is the column, or else the function over the row: right also where one has come since.
      const count = item.isBare ? `${quoteIdentifier(scope.relation)}."count"` : 'pg_catalog.count(*)'
      const sql = item.cast === undefined ? count : castSql(count, item.cast)
      return [{ sql: `${sql} as ${quoteIdentifier(outputName(item))}`, isAggregate: true }]
    }
    case 'field':
      return [selectedFieldSql(scope, item)]
    case 'embed': {
      if (item.name === undefined) return []
      // JSON has no equality, and could not be grouped by.
      const value = `${valueSql(item.embed, scope)}${isGrouped ? '::pg_catalog.jsonb' : ''}`
      return [plain(`${value} as ${quoteIdentifier(item.name)}`)]
    }
    case 'spread':
      return spreadColumnsSql(item, isGrouped)
  }
}

const plain = (sql: string): ColumnSql => ({ sql, isAggregate: false })

function spreadColumnsSql({ alias, columns }: SpreadItem, isGrouped: boolean): ColumnSql[] {
  return columns.map(({ name, aggregate, isJson }) => {
    const column = `${quoteIdentifier(alias)}.${quoteIdentifier(name)}`
    const value = isGrouped && isJson ? `${column}::pg_catalog.jsonb` : column
    const sql = aggregate ? aggregateSql(value, aggregate) : value
    return { sql: `${sql} as ${quoteIdentifier(name)}`, isAggregate: aggregate !== undefined }
  })
}

function selectedFieldSql(scope: FieldScope, item: SelectedField): ColumnSql {
  const { field, cast, aggregate } = item
  const expression = fieldSql(scope, field)
  const value = cast === undefined ? expression : castSql(expression, cast)
  const sql = aggregate ? aggregateSql(value, aggregate) : value
  // A computed field or a cast would otherwise get a name of Postgres' choosing.
  return { sql: `${sql} as ${quoteIdentifier(outputName(item))}`, isAggregate: aggregate !== undefined }
}

function aggregateSql(value: string, { name, cast }: Aggregate): string {
  const call = `pg_catalog.${name}(${value})`
  return cast === undefined ? call : castSql(call, cast)
}

function groupSql(items: readonly Item[], columns: readonly ColumnSql[]): string {
  if (!isGrouped(items)) return ''
  const places = columns.flatMap(({ isAggregate }, i) => (isAggregate ? [] : [i + 1]))
  return places.length === 0 ? '' : ` group by ${places.join(',')}`
}

/** ` order by ...` or nothing. Nulls sort as Postgres does (last when ascending) unless said. */
function orderSql(scope: FieldScope, terms: readonly LevelOrder[]): string {
  if (terms.length === 0) return ''
  const list = terms.map(({ field, below, direction, nulls }) => {
    const value = below === undefined ? fieldSql(scope, field) : relatedFieldSql(below, field, scope)
    return [value, direction, nulls && `nulls ${nulls}`].filter(Boolean).join(' ')
  })
  return ` order by ${list.join(',')}`
}

/** A field of the one row below: a column that is shown beside, by its name there, or one of the row itself. */
function relatedFieldSql(below: EmbedItem | SpreadItem, field: Field, above: FieldScope): string {
  const isShown = below.kind === 'spread' && below.columns.some(({ name }) => name === field.name)
  if (isShown)
    return fieldSql({ ...above, relation: below.alias, table: undefined, typeOf: UNKNOWN_TYPES }, field)
  const { level, link } = below.embed
  const { source, conditions } = sourceOf(link, level.alias, above.relation)
  const where = rowsWhereSql(level, above.params, conditions)
  return `(select ${fieldSql(scopeOf(level, above.params), field)} from ${source}${where} limit 1)`
}
