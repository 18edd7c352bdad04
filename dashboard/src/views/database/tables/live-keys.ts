// Which rows of a page changes are about. A change has values as JSON, the page as Postgres prints them: so keys are
// compared in a form that both can be brought into. Pure.

import type { HeardChange, RowValues } from '../../../parts/realtime/channel.ts'
import type { Row, Table } from './table-types.ts'

/** The client has lost digits of those above 2^53: two rows may be taken for one. Whoever looks then sees. */
const NUMBERS = /^(smallint|integer|bigint|numeric|oid)\b(?!.*\[\])/
/** Types that JSON writes as Postgres prints them. */
const TEXTS = /^(text|character varying|uuid|date)\b(?!.*\[\])/

export type ComparableKey = (values: RowValues) => string | undefined

/** Undefined where rows cannot be told apart: the table has no key, or one of a type that JSON writes otherwise. */
export function comparableKey(table: Table): ComparableKey | undefined {
  const readers = table.primary_key.map(name => {
    const column = table.columns.find(each => each.name === name)
    if (column === undefined) return undefined
    if (NUMBERS.test(column.type)) return (values: RowValues) => numberText(values[name])
    const isText = column.enum_values !== null || TEXTS.test(column.type)
    return isText ? (values: RowValues) => plainText(values[name]) : undefined
  })
  if (readers.length === 0 || readers.includes(undefined)) return undefined
  return values => {
    const parts = readers.map(read => read?.(values))
    return parts.includes(undefined) ? undefined : JSON.stringify(parts)
  }
}

function numberText(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(Number(value))
}

function plainText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** What the changes since the last look are about, by comparable keys. */
export interface HeardKeys {
  readonly changed: Set<string>
  /** Keys that there were not before. */
  readonly inserted: Set<string>
  readonly deleted: Set<string>
  /** All of them, also of rows that have no comparable key. */
  changes: number
}

export function nothingHeard(): HeardKeys {
  return { changed: new Set(), inserted: new Set(), deleted: new Set(), changes: 0 }
}

/** Adds a change to what was heard. */
export function hearChange(
  heard: HeardKeys,
  { event, row, oldRow }: HeardChange,
  keyOf?: ComparableKey,
): void {
  heard.changes++
  const [key, oldKey] = [keyOf?.(row), keyOf?.(oldRow)]
  for (const each of [key, oldKey]) if (each !== undefined) heard.changed.add(each)
  // An update may give a row another key.
  if (oldKey !== undefined && oldKey !== key) {
    heard.deleted.add(oldKey)
    heard.inserted.delete(oldKey)
  }
  if (key !== undefined && (event === 'INSERT' || (oldKey !== undefined && oldKey !== key))) {
    heard.inserted.add(key)
    heard.deleted.delete(key)
  }
}

/** The rows that have one of these keys. */
export function rowsWith(rows: readonly Row[], keys: ReadonlySet<string>, keyOf: ComparableKey): Row[] {
  return rows.filter(row => keys.has(keyOf(row) ?? ''))
}

/** The keys that no row has. */
export function keysWithout(keys: Iterable<string>, rows: readonly Row[], keyOf: ComparableKey): string[] {
  const present = new Set(rows.map(keyOf))
  return [...keys].filter(key => !present.has(key))
}
