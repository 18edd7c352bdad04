// Columns, JSON paths, select lists and order terms as SQL. Pure. Keys of JSON paths are parameters like any value.

import { type Parameters, type QualifiedName, quoteIdentifier } from '../../../db/sql.ts'
import type { ColumnTypes } from '../catalog/catalog-types.ts'
import type { Field, OrderTerm, SelectedField, SelectItem } from '../grammar/query-ast.ts'
import { ROW_FUNCTIONS } from '../grammar/row-functions.ts'
import type { Level } from '../plan/level.ts'
import { castSql } from './cast-sql.ts'
import { columnOf, ofType } from './reliance.ts'

/** What the SQL of fields depends on: the name that the relation has in the FROM clause, and where values go. */
export interface FieldScope {
  readonly relation: string
  /** The table or view that it is; undefined for the rows of a function. */
  readonly table?: QualifiedName | undefined
  readonly params: Parameters
  readonly typeOf: ColumnTypes
  /** What every FROM of the relation asks besides the filters. */
  readonly conditions?: readonly string[] | undefined
  /** Reads a value that is compared, where parameters have a type already and Postgres gives them none. */
  readonly valueSql?: (parameter: string) => string
}

/** Of a level under its alias; `conditions` as there. */
export function scopeOf(
  { alias, table, typeOf }: Level,
  params: Parameters,
  conditions?: readonly string[],
): FieldScope {
  return { relation: alias, table, params, typeOf, conditions }
}

/** `"users"."data"->$1::text`. Qualified, so that a column named as its table is a column and not the whole row. */
export function fieldSql({ relation, table, params, typeOf }: FieldScope, { name, path }: Field): string {
  const qualified = `${quoteIdentifier(relation)}.${quoteIdentifier(name)}`
  // What was a column when the catalog was read would be a function over the row once it is dropped.
  const column = table && ROW_FUNCTIONS.has(name) ? columnOf(table, name, qualified) : qualified
  if (path.length === 0) return column
  const type = typeOf(name)
  if (type === undefined || type === 'unknown') return `${column}${stepsSql(params, path)}`
  // Arrays and composites have no arrows of their own; for json and jsonb the column must stand bare, or no index fits.
  const proven = ofType(column, type)
  const base = type === 'json' || type === 'jsonb' ? proven : `pg_catalog.to_jsonb(${proven})`
  return `${base}${stepsSql(params, path)}`
}

function stepsSql(params: Parameters, path: Field['path']): string {
  const steps = path.map(({ arrow, operand }) =>
    typeof operand === 'number'
      ? `${arrow}${params.add(String(operand))}::int`
      : `${arrow}${params.add(operand)}::text`,
  )
  return steps.join('')
}

export function selectListSql(scope: FieldScope, items: readonly SelectItem[]): string {
  return items
    .map(item =>
      item.kind === 'all' ? `${quoteIdentifier(scope.relation)}.*` : selectedFieldSql(scope, item),
    )
    .join(',')
}

function selectedFieldSql(scope: FieldScope, { field, alias, cast }: SelectedField): string {
  const expression = fieldSql(scope, field)
  const value = cast === undefined ? expression : castSql(expression, cast)
  const name = alias ?? outputName(field)
  // A computed field or a cast would otherwise get a name of Postgres' choosing.
  return `${value} as ${quoteIdentifier(name)}`
}

/** The last key of the path, or the column: `data->tags->0` is called `tags`. */
function outputName({ name, path }: Field): string {
  const key = path.findLast(step => typeof step.operand === 'string')?.operand
  return typeof key === 'string' ? key : name
}

/** ` order by ...` or nothing. Nulls sort as Postgres does (last when ascending) unless said. */
export function orderSql(scope: FieldScope, terms: readonly OrderTerm[]): string {
  if (terms.length === 0) return ''
  const list = terms.map(({ field, direction, nulls }) =>
    [fieldSql(scope, field), direction, nulls && `nulls ${nulls}`].filter(Boolean).join(' '),
  )
  return ` order by ${list.join(',')}`
}
