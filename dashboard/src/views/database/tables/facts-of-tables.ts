// What is said of a table in more than one place.

import { COMMANDS } from '../../../parts/database/access-words.ts'
import { tableHref } from '../../../parts/database/table-facts.ts'
import type { Table } from './queries.ts'
import { type Filter, parameterOf } from './row-query.ts'

/** Grants let anon in, and no policy decides about rows. */
export function isOpenToAnon({ kind, access: { anon } }: Table): boolean {
  const isStored = kind === 'table' || kind === 'partitioned_table'
  return isStored && COMMANDS.some(({ command }) => anon[command].because === 'no_row_level_security')
}

export type ForeignKey = Table['foreign_keys'][number]

/** The address of the row that a foreign key refers to; it is open there where the key is that table's primary key. */
export function referredHref(
  { references, columns }: ForeignKey,
  row: Readonly<Record<string, string | null>>,
  tables: readonly Table[],
): string | undefined {
  const values = columns.flatMap(name => row[name] ?? [])
  if (values.length < columns.length) return undefined
  const search = Object.fromEntries(
    references.columns.map((name, i) => [parameterOf(name), `eq.${values[i] ?? ''}`]),
  )
  const target = tables.find(({ schema, name }) => schema === references.schema && name === references.table)
  // A table of a schema that is not served has no page.
  if (target === undefined) return undefined
  const isKey = target.primary_key.join() === references.columns.join()
  return tableHref(target.schema, target.name, isKey ? { ...search, row: JSON.stringify(values) } : search)
}

/** A foreign key of another table, or of the same, that refers to a table. */
export interface Referring {
  from: Table
  key: ForeignKey
}

export function referringTo({ schema, name }: Table, tables: readonly Table[]): Referring[] {
  return tables.flatMap(from =>
    from.foreign_keys
      .filter(({ references }) => references.schema === schema && references.table === name)
      .map(key => ({ from, key })),
  )
}

/** The filters that rows pass whose key refers to this row; undefined where a value of it is NULL. */
export function referringFilters(
  { columns, references }: ForeignKey,
  row: Readonly<Record<string, string | null>>,
): Filter[] | undefined {
  const values = references.columns.flatMap(name => row[name] ?? [])
  if (values.length < columns.length) return undefined
  return columns.map((name, i) => ({ parameter: parameterOf(name), value: `eq.${values[i]}` }))
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
