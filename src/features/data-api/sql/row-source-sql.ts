// The SELECT that takes the rows of a write out of their parameters, one output column per key. Pure.

import { type Parameters, type QualifiedName, quoteIdentifier, quoteQualified } from '../../../db/sql.ts'
import type { Column } from '../catalog/catalog-types.ts'
import type { Payload, Rows } from '../payload/payload.ts'
import { hasPrimaryKey, haveTypes } from './reliance.ts'

/** What only the catalog knows; each is undefined where the statement does without. */
export interface WriteCatalog {
  /** Columns to read the rows with, instead of the table's row type. */
  readonly typedColumns: readonly Column[] | undefined
  /** True: keys that a row lacks take the column's default. */
  readonly fillsDefaults: boolean
  /** The primary key that the statement is made for; undefined without one, and of a view. */
  readonly reliesOnKey?: readonly string[] | undefined
}

/**
 * `select "r"."a" from ...`. Without a catalog the table's own row type reads the JSON. That fails for tables with a
 * domain that refuses null in a column that is not sent; those are read with the types of the sent columns alone.
 */
export function rowSourceSql(
  table: QualifiedName,
  { rows, keys }: Payload,
  { typedColumns, fillsDefaults, reliesOnKey }: WriteCatalog,
  params: Parameters,
): string {
  const conditions = reliesOnKey === undefined ? [] : [hasPrimaryKey(table, reliesOnKey, params)]
  if (typedColumns === undefined || keys.length === 0) {
    const list = keys.map(key => `"r".${quoteIdentifier(key)}`).join(',')
    const records = recordsSql(`null::${quoteQualified(table)}`, rows, params)
    return `select ${list} from ${records} "r"${whereAll(conditions)}`
  }
  const columns: SentColumn[] = keys.map(key => typedColumns.find(({ name }) => name === key) ?? untyped(key))
  const known = columns.filter(({ name }) => typedColumns.some(column => column.name === name))
  conditions.push(...haveTypes(table, known))
  const definitions = columns.map(({ name, baseType }) => `${quoteIdentifier(name)} ${baseType}`).join(',')
  const list = columns
    .map(column => (fillsDefaults ? withDefault(column, params) : sentValue(column)))
    .join(',')
  const records = `${elementsSql(rows, params)},pg_catalog.json_to_record("e"."v") "r"(${definitions})`
  return `select ${list} from ${records}${whereAll(conditions)}`
}

function whereAll(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
}

function recordsSql(base: string, rows: Rows, params: Parameters): string {
  if ('json' in rows) return `pg_catalog.json_populate_recordset(${base},${params.add(rows.json)})`
  return `${elementsSql(rows, params)},pg_catalog.json_populate_record(${base},"e"."v")`
}

/**
 * The rows as JSON objects, `"e"."v"`. Those of columns are made here, so that JSON's rules of types hold for them
 * too.
 */
function elementsSql(rows: Rows, params: Parameters): string {
  if ('json' in rows) return `pg_catalog.json_array_elements(${params.add(rows.json)}) "e"("v")`
  const arrays = rows.columns.map(
    ({ values }) => `pg_catalog.unnest(${params.add(values)}::pg_catalog.text[])`,
  )
  const names = rows.columns.map(({ name }) => quoteIdentifier(name))
  // The inner SELECT makes a row also of a single column, which by itself would be its value.
  const table = `select * from rows from(${arrays.join(',')}) "c"(${names.join(',')})`
  return `(select pg_catalog.row_to_json("u".*) from (${table}) "u") "e"("v")`
}

type SentColumn = Pick<Column, 'name' | 'type' | 'baseType' | 'defaultSql'>

/** A column that the catalog does not have: Postgres will say so, about the table and not about our alias. */
function untyped(name: string): SentColumn {
  return { name, type: 'text', baseType: 'text', defaultSql: undefined }
}

function sentValue({ name }: SentColumn): string {
  return `"r".${quoteIdentifier(name)}`
}

/** An absent key reads as SQL NULL, a key with null as JSON null: only the first takes the default. */
function withDefault(column: SentColumn, params: Parameters): string {
  const name = quoteIdentifier(column.name)
  if (column.defaultSql === undefined) return `${sentValue(column)} ${name}`
  return (
    `case when "e"."v"->${params.add(column.name)}::text is null then ${column.defaultSql} else ` +
    `${sentValue(column)} end ${name}`
  )
}
