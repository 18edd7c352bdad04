// Between the address of a table's page and the query of /api/db/:table. They are the same, so that one can be copied
// from the other; but for what is the page's own.

import type { Column, Row, Table } from './table-types.ts'

/** What the page keeps in its address beside the query. */
const OWN = ['tab', 'row', 'at', 'insert', 'live', 'select']
const PAGING = ['order', 'limit', 'offset']
/** Parameters of the API that are no columns; a column that is called so stands in quotes. */
const API_NAMES = ['columns', 'on_conflict', 'and', 'or']

export const LIMIT_DEFAULT = 100

/** `parameter=value` of a query: of a column, or of a tree as `or=(...)`. */
export interface Filter {
  parameter: string
  value: string
}

/** What of an address the query is made of; all other names are filters. */
export type QuerySearch = Readonly<Record<string, unknown>> & {
  order?: string | undefined
  limit?: number | undefined
  offset?: number | undefined
}

/** A name as the grammar of `select` and `order` takes it. */
function quotedName(name: string): string {
  return /^[a-zA-Z_]\w*$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`
}

/** The same as the name of a parameter. */
export function parameterOf(column: string): string {
  const isTaken = [...OWN, ...PAGING, ...API_NAMES].includes(column)
  return isTaken ? `"${column}"` : quotedName(column)
}

/** The column that a parameter is about, if it is about one. */
export function columnOf(parameter: string): string {
  return parameter.startsWith('"') ? parameter.slice(1, -1).replace(/\\(.)/g, '$1') : parameter
}

/** An address may have one value of a name, or several. What somebody has put there that is no text is no filter. */
export function filtersOf(search: QuerySearch): Filter[] {
  return Object.entries(search)
    .filter(([name]) => !OWN.includes(name) && !PAGING.includes(name))
    .flatMap(([parameter, values]) => [values].flat().map(value => ({ parameter, value })))
    .filter((filter): filter is Filter => typeof filter.value === 'string')
}

/** The address with other filters, at the first page again. */
export function withFilters<Search extends QuerySearch>(search: Search, filters: readonly Filter[]): Search {
  const kept = Object.entries(search).filter(([name]) => OWN.includes(name) || PAGING.includes(name))
  const byName = Map.groupBy(filters, ({ parameter }) => parameter)
  const added = [...byName].map(([name, all]) => {
    const values = all.map(({ value }) => value)
    return [name, values.length === 1 ? values[0] : values]
  })
  return { ...Object.fromEntries([...kept, ...added]), offset: undefined } as Search
}

export interface Order {
  column: string | undefined
  direction: 'asc' | 'desc'
}

/** By which column an address sorts, where it is one; the page says no more of an order of several. */
export function orderOf(order: string | undefined): Order {
  const [, name, direction] = /^("(?:[^"\\]|\\.)*"|[^.,]+)(?:\.(asc|desc))?$/.exec(order ?? '') ?? []
  if (name === undefined) return { column: undefined, direction: 'asc' }
  return { column: columnOf(name), direction: direction === 'desc' ? 'desc' : 'asc' }
}

/** After a click on a head: upwards, downwards, and as it was. */
export function nextOrder(order: string | undefined, column: string): string | undefined {
  const present = orderOf(order)
  if (present.column !== column) return `${quotedName(column)}.asc`
  return present.direction === 'asc' ? `${quotedName(column)}.desc` : undefined
}

/** Each column as text, as Postgres prints it: numbers of JSON would lose digits here, and could not be put back. */
export function selectOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => `${quotedName(name)}::text`).join(',')
}

export function rowsText(table: Table, search: QuerySearch): string {
  const { order, limit = LIMIT_DEFAULT, offset = 0 } = search
  // The key decides among equals: else a row could be on two pages, or on none.
  const terms = [order, ...table.primary_key.map(quotedName)].filter(Boolean)
  return queryText([
    ...filtersOf(search).map(({ parameter, value }) => [parameter, value] as const),
    ['select', selectOf(table.columns)],
    ...(terms.length === 0 ? [] : [['order', terms.join(',')] as const]),
    ['limit', String(limit)],
    ['offset', String(offset)],
  ])
}

export function queryText(pairs: readonly (readonly [name: string, value: string])[]): string {
  return new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()
}

/** The values of the primary key in its order; undefined without a key, and where a part of it is NULL. */
export function keyOf({ primary_key: names }: Table, row: Row): string[] | undefined {
  const values = names.flatMap(name => row[name] ?? [])
  return names.length > 0 && values.length === names.length ? values : undefined
}

/** The filters that exactly the row with this key passes. */
export function keyFilters({ primary_key: names }: Table, key: readonly string[]) {
  return names.map((name, i) => [parameterOf(name), `eq.${key[i] ?? ''}`] as const)
}

/** The filter that the rows with these keys pass. */
export function keysFilter({ primary_key: names }: Table, keys: readonly (readonly string[])[]) {
  const [only = ''] = names
  if (names.length === 1)
    return [parameterOf(only), `in.(${keys.map(([value = '']) => quotedValue(value)).join(',')})`] as const
  const trees = keys.map(key => {
    const parts = names.map((name, i) => `${quotedName(name)}.eq.${quotedValue(key[i] ?? '')}`)
    return `and(${parts.join(',')})`
  })
  return ['or', `(${trees.join(',')})`] as const
}

function quotedValue(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}
