// What is said of a table in more than one place.

import { COMMANDS, type Structure } from '../../../parts/database/access-words.ts'
import { tableHref } from '../../../parts/database/table-facts.ts'
import { type Filter, parameterOf } from './row-query.ts'
import type { Table } from './table-types.ts'

/** Grants let anon in, and no policy decides about rows. */
export function isOpenToAnon({ kind, access: { anon } }: Table): boolean {
  const isStored = kind === 'table' || kind === 'partitioned_table'
  return isStored && COMMANDS.some(({ command }) => anon[command].because === 'no_row_level_security')
}

export type ForeignKey = Table['foreign_keys'][number]
/** A foreign key of a table of any schema that refers to this one. */
export type IncomingKey = Structure['referenced_by'][number]

type Values = Readonly<Record<string, string | null>>

/** The table with a page of its own; none for one of a schema that is not served. */
export function servedTable(
  tables: readonly Table[],
  { schema, table }: { schema: string; table: string },
): Table | undefined {
  return tables.find(each => each.schema === schema && each.name === table)
}

/**
 * The address of the row that a foreign key refers to; it is open there where the key is that table's primary key.
 * Undefined where a value is NULL, and for a table that is not served.
 */
export function referredHref(
  { references, columns }: ForeignKey,
  row: Values,
  tables: readonly Table[],
): string | undefined {
  const target = servedTable(tables, references)
  const values = valuesOf(columns, row)
  if (target === undefined || values === undefined) return undefined
  const byName = new Map(references.columns.map((name, i) => [name, values[i] ?? '']))
  const search = Object.fromEntries(Array.from(byName, ([name, value]) => [parameterOf(name), `eq.${value}`]))
  const { primary_key: key } = target
  const isKey = key.length === byName.size && key.every(name => byName.has(name))
  const open = isKey && { row: JSON.stringify(key.map(name => byName.get(name))) }
  return tableHref(target.schema, target.name, { ...search, ...open })
}

/** `person_id 7`, as a person reads the values of a key. */
export function keyText({ columns }: Pick<ForeignKey, 'columns'>, row: Values): string {
  return columns.map(name => `${name} ${row[name] ?? 'NULL'}`).join(', ')
}

/** The name of a table beside one of a schema: with its own where that is another. */
export function nameBeside(schema: string, other: { schema: string; table: string }): string {
  return other.schema === schema ? other.table : `${other.schema}.${other.table}`
}

/** The filters that rows pass whose key refers to this row; undefined where a value of it is NULL. */
export function referringFilters({ columns, references }: IncomingKey, row: Values): Filter[] | undefined {
  const values = valuesOf(references, row)
  return (
    values && columns.map((name, i) => ({ parameter: parameterOf(name), value: `eq.${values[i] ?? ''}` }))
  )
}

/** Undefined where one is NULL. */
function valuesOf(columns: readonly string[], row: Values): string[] | undefined {
  const values = columns.flatMap(name => row[name] ?? [])
  return values.length < columns.length ? undefined : values
}

/** Tables of more rows are not counted through: an index on the key is not certain. */
const COUNTED_THROUGH_MAX = 100_000

/** How the rows of a key are counted; of parts nobody knows how large they are together. */
export function countingOf({ kind, rows_estimated: rows }: Table): 'estimated' | 'planned' {
  const isLarge = rows === null ? kind === 'partitioned_table' : rows > COUNTED_THROUGH_MAX
  return isLarge ? 'planned' : 'estimated'
}

/** Types whose values stand at the right. */
export function isNumeric(type: string): boolean {
  return /^(smallint|integer|bigint|numeric|real|double precision|money|oid)\b(?!.*\[\])/.test(type)
}

/** Postgres also takes the short names of its long ones. */
export function shortType(type: string): string {
  return type
    .replace(/^character varying/, 'varchar')
    .replace(/^(time(?:stamp)?)(\(\d\))? with time zone/, '$1tz$2')
    .replace(/^(time(?:stamp)?)(\(\d\))? without time zone/, '$1$2')
}
