// The `data` of a `postgres_changes` event, in Supabase's form and with our `number`. Pure. Rows stay the text that
// Postgres wrote.

import { memberTexts } from '../json-pieces.ts'
import type { LoggedChange } from '../log/log-contract.ts'
import type { SightTable } from '../sight/sight-contract.ts'

/** The columns of a table that events of one kind have, in one batch. */
export interface ColumnChoice {
  readonly names: readonly string[]
  /** True where it is all columns of the table: then a row goes on as it is. */
  readonly isWhole: boolean
  /** The event's `columns`. */
  readonly json: string
  /** Events that were made with it. */
  readonly texts: Map<number, string>
}

/** The columns `chosen` (null: all) that the role may select; in the table's order. */
export function chooseColumns(
  table: SightTable,
  selectable: readonly string[],
  chosen: readonly string[] | null,
): ColumnChoice {
  const columns = table.columns.filter(
    ({ name }) => selectable.includes(name) && (chosen === null || chosen.includes(name)),
  )
  const json = JSON.stringify(columns.map(({ name, type }) => ({ name, type })))
  const names = columns.map(({ name }) => name)
  return { names, isWhole: columns.length === table.columns.length, json, texts: new Map() }
}

/** A row with the chosen columns alone. */
export function cutRow(row: string, { names, isWhole }: ColumnChoice): string {
  if (isWhole) return row
  const members = memberTexts(row)
  const texts = names.flatMap(name => {
    const value = members.get(name)
    return value === undefined ? [] : [`${JSON.stringify(name)}:${value}`]
  })
  return `{${texts.join(',')}}`
}

/** `record` and `oldRecord` are rows that are cut already; null: the event has none. */
export function eventJson(
  table: SightTable,
  { number, occurred_at }: LoggedChange,
  type: LoggedChange['event'],
  { json }: ColumnChoice,
  record: string | null,
  oldRecord: string | null,
): string {
  const { table_schema: schema, table_name: name } = table
  const head = JSON.stringify({ schema, table: name, commit_timestamp: occurred_at, type }).slice(0, -1)
  const rows =
    (record === null ? '' : `"record":${record},`) + (oldRecord === null ? '' : `"old_record":${oldRecord},`)
  return `${head},"columns":${json},${rows}"errors":null,"number":${number}}`
}
