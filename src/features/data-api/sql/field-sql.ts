// Columns and JSON paths as SQL. Pure. Keys of JSON paths are parameters like any value.

import { type Parameters, type QualifiedName, quoteIdentifier } from '../../../db/sql.ts'
import type { ColumnTypes } from '../catalog/catalog-types.ts'
import type { Field } from '../grammar/query-ast.ts'
import { ROW_FUNCTIONS } from '../grammar/row-functions.ts'
import type { Level } from '../plan/level.ts'
import { columnOf, ofType } from './reliance.ts'

/** What the SQL of fields depends on: the name that the relation has in the FROM clause, and where values go. */
export interface FieldScope {
  readonly relation: string
  /** The table or view that it is; undefined for the rows of a function. */
  readonly table?: QualifiedName | undefined
  readonly params: Parameters
  readonly typeOf: ColumnTypes
  /** Reads a value that is compared, where parameters have a type already and Postgres gives them none. */
  readonly valueSql?: (parameter: string) => string
}

/** The scope of a level's fields. */
export function scopeOf({ alias, table, typeOf }: Level, params: Parameters): FieldScope {
  return { relation: alias, table, params, typeOf }
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
