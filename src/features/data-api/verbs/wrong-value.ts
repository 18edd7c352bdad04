// Where in a request the value stands that Postgres could not read: in which filter, or in which column and row of the
// body. Pure. Postgres says the value and the type, and neither column nor row.

import type { PostgresError } from '../../../db/postgres-error.ts'
import type { ColumnTypes } from '../catalog/catalog-types.ts'
import type { Filter, Test } from '../grammar/query-ast.ts'
import { findValue } from '../payload/find-value.ts'
import type { Rows } from '../payload/payload.ts'

/** The values of a request that Postgres reads as the types of its columns or arguments. */
export interface SentValues {
  readonly filters: readonly Filter[]
  readonly rows?: Rows | undefined
  /** What the keys of `rows` name; columns unless said. */
  readonly keys?: 'columns' | 'arguments'
}

export interface ValuePlace {
  readonly column: string
  readonly isFilter: boolean
  /** As in `the filter on "id"`. */
  readonly words: string
}

interface WrongValue {
  readonly value: string
  readonly type: string | undefined
  /** True: Postgres named but a piece of it. */
  readonly isPiece: boolean
}

/** Of the wrong syntax and of a number or time out of range. */
const CODES: ReadonlySet<string> = new Set(['22003', '22007', '22008', '22P02'])

/** Undefined for another error, and where the message does not have the value. */
export function wrongValueOf({ code, message, detail = '' }: PostgresError): WrongValue | undefined {
  if (!CODES.has(code)) return undefined
  const [, token] = /^Token "([\s\S]*)" is invalid/.exec(detail) ?? []
  if (token !== undefined) return { value: token, type: 'json', isPiece: true }
  const [, value] = /(?:: |^value |^)"([\s\S]*)"(?:$| is out of range)/.exec(message) ?? []
  const [, type] = /(?:for type|for enum|malformed) "?(.+?)"?(?: literal)?(?:: "|$)/.exec(message) ?? []
  return value === undefined ? undefined : { value, type, isPiece: false }
}

/** Every place of the value, those in filters first, then by rows. */
export function placesOf(wrong: WrongValue, { filters, rows, keys = 'columns' }: SentValues): ValuePlace[] {
  const inFilters = conditionsOf(filters)
    .filter(({ test }) => testHolds(test, wrong))
    .map(({ field }) => ({ column: field.name, isFilter: true, words: `the filter on "${field.name}"` }))
  // JSON of a body was read before it was sent on.
  if (rows === undefined || wrong.isPiece) return inFilters
  const inRows = [...findValue(rows, wrong.value)].sort(([, a], [, b]) => a - b)
  const wordsOf = (column: string, row: number) => {
    if (keys === 'arguments') return `the argument "${column}"`
    // No line: a quoted value of CSV may hold line ends.
    const header = 'columns' in rows ? ', the header not counted' : ''
    return `column "${column}" of row ${row + 1}${header}`
  }
  return [
    ...inFilters,
    ...inRows.map(([column, row]) => ({ column, isFilter: false, words: wordsOf(column, row) })),
  ]
}

/**
 * The one that Postgres means: the first in a column of the type that it names. Undefined when no column has it, as
 * under a domain, and there are several.
 */
export function choosePlace(
  places: readonly ValuePlace[],
  { type }: WrongValue,
  typeOf: ColumnTypes,
): ValuePlace | undefined {
  const fitting = places.find(
    ({ column }) => type !== undefined && baseOf(typeOf(column) ?? '') === baseOf(type),
  )
  return fitting ?? (places.length === 1 ? places[0] : undefined)
}

/** `numeric(6,2)[]`, `public.mood` and `jsonb` as messages call them. */
function baseOf(type: string): string {
  return type
    .replace(/\(.*?\)|\[\]/g, '')
    .replace(/^.*\./, '')
    .replaceAll('"', '')
    .replace(/^jsonb$/, 'json')
}

function conditionsOf(filters: readonly Filter[]): Extract<Filter, { kind: 'condition' }>[] {
  return filters.flatMap(filter => (filter.kind === 'tree' ? conditionsOf(filter.filters) : [filter]))
}

/** Whether the value is that of the test, or an element of it. */
function testHolds(test: Test, { value, isPiece }: WrongValue): boolean {
  switch (test.kind) {
    case 'compare':
      return test.value === value || ((isPiece || /^[{[(]/.test(test.value)) && test.value.includes(value))
    case 'quantified':
      return test.values.includes(value)
    case 'in':
      return test.values.includes(value)
    case 'is':
    case 'text_search':
      return false
  }
}
