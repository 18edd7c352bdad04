import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'
import { bodyText, type Drafts } from './drafts.ts'
import {
  type Filter,
  keyFilters,
  keysFilter,
  type QuerySearch,
  queryText,
  rowsText,
  selectOf,
} from './row-query.ts'
import { RowChangedError, type Seen, seenFilters } from './seen-values.ts'
import type { Row, Table } from './table-types.ts'

export type { Column, Row, Table } from './table-types.ts'

const readAgain = () => queryClient.invalidateQueries({ queryKey: ['database', 'rows'] })

// Without structural sharing: it fails on a column that is called `__proto__`.
export function rowsQuery(table: Table, search: QuerySearch) {
  const text = rowsText(table, search)
  return queryOptions({
    queryKey: ['database', 'rows', table.schema, table.name, text],
    queryFn: ({ signal }) => readRows(table, text, signal),
    placeholderData: keepPreviousData,
    structuralSharing: false,
    enabled: table.readable,
  })
}

/** One row by its key; null where there is none. */
export function rowQuery(table: Table, key: readonly string[]) {
  return queryOptions({
    queryKey: ['database', 'rows', table.schema, table.name, rowText(table, key)],
    queryFn: ({ signal }) => readRow(table, key, signal),
    structuralSharing: false,
  })
}

function rowText(table: Table, key: readonly string[]): string {
  return queryText([...keyFilters(table, key), ['select', selectOf(table.columns)]])
}

async function readRow(table: Table, key: readonly string[], signal?: AbortSignal): Promise<Row | null> {
  return (await readRows(table, rowText(table, key), signal))[0] ?? null
}

/** The server counts up to here; what is more is the planner's estimate. */
export const COUNTED_MAX = 10_000

/**
 * How many rows pass the filters; null where it is not known. `estimated`: up to 10 000 are counted, which may read the
 * whole table; beyond, the planner estimates. `planned`: it always does, and reads nothing.
 */
export function countQuery(
  table: Table,
  filters: readonly Filter[],
  counting: 'exact' | 'estimated' | 'planned',
) {
  const text = queryText([
    ...filters.map(({ parameter, value }) => [parameter, value] as const),
    ['limit', '0'],
  ])
  const prefer = `count=${counting}`
  return queryOptions({
    queryKey: ['database', 'rows', table.schema, table.name, text, prefer],
    queryFn: async ({ signal }) => {
      const call = api.GET('/api/db/{table}', {
        params: { path: { table: table.name }, header: { 'Accept-Profile': table.schema, Prefer: prefer } },
        querySerializer: () => text,
        signal,
      })
      await answerOf(call)
      const { response } = await call
      const total = Number(response.headers.get('content-range')?.split('/')[1])
      return Number.isFinite(total) ? total : null
    },
    placeholderData: keepPreviousData,
    enabled: table.readable,
  })
}

async function readRows({ schema, name }: Table, text: string, signal?: AbortSignal): Promise<Row[]> {
  const rows = await answerOf(
    api.GET('/api/db/{table}', {
      params: { path: { table: name }, header: { 'Accept-Profile': schema } },
      querySerializer: () => text,
      ...(signal && { signal }),
    }),
  )
  return rows as Row[]
}

/** One row by its key, read anew for all who show it; null where there is none. */
export async function readRowAgain(table: Table, key: readonly string[]): Promise<Row | null> {
  const row = await readRow(table, key)
  queryClient.setQueryData(rowQuery(table, key).queryKey, row)
  return row
}

/**
 * Changes the row if its changed columns still have the values that were `seen`. Throws `RowChangedError` where they
 * have not, and where there is no row with this key.
 */
export async function changeRow(
  table: Table,
  key: readonly string[],
  drafts: Drafts,
  seen: Seen,
): Promise<void> {
  const { filters, unfiltered } = seenFilters(table, drafts, seen)
  if (unfiltered.length > 0) {
    const present = await readRow(table, key)
    const isSame = unfiltered.every(name => present?.[name] === seen.get(name))
    if (!isSame) throw new RowChangedError()
  }
  const text = queryText([
    ...keyFilters(table, key),
    ...filters,
    ['select', selectOf(table.columns)],
    ['columns', columnsOf(drafts)],
  ])
  const rows = await answerOf(
    api.PATCH('/api/db/{table}', {
      params: {
        path: { table: table.name },
        query: { filters: {} },
        header: {
          'Content-Profile': table.schema,
          Prefer: 'return=representation, max-affected=1, missing=default',
        },
      },
      querySerializer: () => text,
      body: {},
      bodySerializer: () => bodyText(table, drafts),
    }),
  )
  const [row] = rows as Row[]
  // What was typed stands in a row that is shown: it is read again when somebody asks for it.
  if (row === undefined) throw new RowChangedError()
  queryClient.setQueryData(rowQuery(table, key).queryKey, row)
  void readAgain()
}

/** Columns without a draft get their defaults. */
export async function insertRow(table: Table, drafts: Drafts): Promise<Row | undefined> {
  const text = queryText([['select', selectOf(table.columns)]])
  const rows = await answerOf(
    api.POST('/api/db/{table}', {
      params: {
        path: { table: table.name },
        header: { 'Content-Profile': table.schema, Prefer: 'return=representation' },
      },
      querySerializer: () => text,
      body: {},
      bodySerializer: () => bodyText(table, drafts),
    }),
  )
  void readAgain()
  return (rows as Row[])[0]
}

/** More of them than this are not read one by one. */
const KEYS_READ_MAX = 100
/** Keys stand in an address. */
const KEYS_LENGTH_MAX = 6_000

/** The rows with these keys that are still there; undefined where they are too many. */
export async function readRowsByKeys(
  table: Table,
  keys: readonly (readonly string[])[],
): Promise<Row[] | undefined> {
  if (keys.length === 0) return []
  const text = queryText([
    keysFilter(table, keys),
    ['select', selectOf(table.columns)],
    ['limit', String(keys.length)],
  ])
  if (keys.length > KEYS_READ_MAX || text.length > KEYS_LENGTH_MAX) return undefined
  return readRows(table, text)
}

/** Everything of this table that is shown is read again. */
export function readTableAgain({ schema, name }: Table): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['database', 'rows', schema, name] })
}

/** The same of one row. */
export function rowReadAgain(table: Table, key: readonly string[]): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: rowQuery(table, key).queryKey })
}

/** Answers how many were still there. */
export async function deleteRows(table: Table, keys: readonly (readonly string[])[]): Promise<number> {
  const text = queryText([
    keysFilter(table, keys),
    ['select', selectOf(table.columns.filter(({ name }) => table.primary_key.includes(name)))],
  ])
  const rows = await answerOf(
    api.DELETE('/api/db/{table}', {
      params: {
        path: { table: table.name },
        query: { filters: {} },
        header: {
          'Content-Profile': table.schema,
          Prefer: `return=representation, max-affected=${keys.length}`,
        },
      },
      querySerializer: () => text,
    }),
  )
  void readAgain()
  return (rows as Row[]).length
}

function columnsOf(drafts: Drafts): string {
  return [...drafts.keys()].map(name => `"${name.replace(/["\\]/g, '\\$&')}"`).join(',')
}
