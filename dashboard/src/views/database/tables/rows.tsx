// The rows of a table: filtered, sorted and paged by the address.

import { Empty, Link } from '@cloudflare/kumo'
import { ArrowRightIcon, KeyIcon, RowsIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link as RouterLink } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { type GridColumn, ValueGrid } from '../../../parts/database/value-grid.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { DeleteRows } from './delete-rows.tsx'
import { isNumeric, keyText, nameBeside, referredHref, shortType } from './facts-of-tables.ts'
import { FilterBar } from './filter-bar.tsx'
import { LiveBar, LiveMessages } from './live-bar.tsx'
import { Paging } from './paging.tsx'
import { type Row, rowsQuery, type Table } from './queries.ts'
import { RowPanel } from './row-panel.tsx'
import { filtersOf, keyOf, nextOrder, orderOf, rowsText, withFilters } from './row-query.ts'
import { isWatchable, useLiveRows } from './use-live-rows.ts'
import { WhyReadOnly } from './why-read-only.tsx'

const view = getRouteApi('/database/tables/$schema/$table')

const NO_ROWS: readonly Row[] = []

export function Rows({ of: table, tables }: { of: Table; tables: readonly Table[] }) {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const query = useQuery(rowsQuery(table, search))
  const columns = useMemo(() => gridColumns(table, tables), [table, tables])
  const filters = filtersOf(search)
  const change = (changed: Partial<typeof search>) => navigate({ search: { ...search, ...changed } })
  const mayDelete = table.primary_key.length > 0 && table.writable.includes('DELETE')
  const idOf = (row: Row) => JSON.stringify(keyOf(table, row))
  const openIndex =
    search.row === undefined
      ? (search.at ?? -1)
      : (query.data ?? []).findIndex(row => idOf(row) === JSON.stringify(search.row))
  const live = useLiveRows({
    table,
    isOn: search.live === true && isWatchable(table),
    read: query.data ?? NO_ROWS,
    readAt: query.dataUpdatedAt,
    openKey: search.row,
  })
  // It belongs to the rows that are shown: another filter, order or page begins with none.
  const list = rowsText(table, search)
  const [selection, setSelection] = useState({ list, ids: new Set<string>() })
  const isSelected = (row: Row) => selection.list === list && selection.ids.has(idOf(row))

  if (!table.readable)
    return (
      <Empty
        icon={<RowsIcon size={40} />}
        title="Its rows cannot be read here"
        description="service_role has no SELECT on it. Grant it in a migration."
      />
    )
  return (
    <>
      <WhyReadOnly table={table} />
      <div className="flex flex-col gap-3">
        <FilterBar
          columns={table.columns}
          filters={filters}
          onChange={changed => navigate({ search: withFilters(search, changed) })}
        />
        <LiveBar
          of={live}
          table={table}
          isOn={search.live === true}
          onSwitch={isOn => change({ live: isOn || undefined })}
        />
      </div>
      <LiveMessages of={live} />
      <Loaded query={query}>
        {() => {
          const { rows } = live
          const chosen = rows.filter(isSelected)
          return (
            <>
              {rows.length === 0 ? (
                <Empty
                  icon={<RowsIcon size={40} />}
                  title={filters.length === 0 ? 'No rows' : 'No rows match the filters'}
                  description={filters.length === 0 ? 'Inserted rows appear here.' : 'Remove or change one.'}
                />
              ) : (
                <ValueGrid
                  label={`Rows of ${table.name}`}
                  columns={columns}
                  rows={rows}
                  isOld={query.isPlaceholderData}
                  markOf={live.markOf}
                  openIndex={openIndex}
                  sort={{
                    ...orderOf(search.order),
                    onSort: column => change({ order: nextOrder(search.order, column), offset: undefined }),
                  }}
                  selection={
                    mayDelete
                      ? {
                          has: isSelected,
                          onChange: (changed, isOn) => {
                            const ids = new Set(chosen.map(idOf))
                            for (const row of changed) {
                              if (isOn) ids.add(idOf(row))
                              else ids.delete(idOf(row))
                            }
                            setSelection({ list, ids })
                          },
                          nameOf: row => `row ${keyOf(table, row)?.join(', ') ?? 'without a key'}`,
                        }
                      : undefined
                  }
                  opener={(row, index, cell) => (
                    <RouterLink
                      from={view.id}
                      to="."
                      search={{ ...search, ...openedBy(keyOf(table, row), index) }}
                      preload={false}
                      className="text-kumo-default after:absolute after:inset-0 hover:underline"
                    >
                      {cell}
                    </RouterLink>
                  )}
                />
              )}
              <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
                {chosen.length > 0 && (
                  <DeleteRows
                    table={table}
                    keys={chosen.map(row => keyOf(table, row) ?? [])}
                    onDone={() => setSelection({ list, ids: new Set() })}
                  />
                )}
                <Paging
                  table={table}
                  filters={filters}
                  search={search}
                  shown={rows.length}
                  onChange={change}
                />
              </div>
            </>
          )
        }}
      </Loaded>
      {(search.row !== undefined || (query.data !== undefined && openIndex >= 0)) && (
        <RowPanel
          key={JSON.stringify(search.row ?? openIndex)}
          table={table}
          tables={tables}
          rowKey={search.row}
          listed={query.data?.[openIndex]}
          onClose={() => change({ row: undefined, at: undefined })}
        />
      )}
    </>
  )
}

function openedBy(key: string[] | undefined, index: number) {
  return key === undefined ? { at: index, row: undefined } : { row: key, at: undefined }
}

function gridColumns(table: Table, tables: readonly Table[]): GridColumn<Row>[] {
  return table.columns.map(({ name, type }) => {
    const foreignKeys = table.foreign_keys.filter(({ columns }) => columns.includes(name))
    const isKey = table.primary_key.includes(name)
    return {
      name,
      type: shortType(type),
      mark: isKey ? <KeyIcon aria-label="Primary key" className="shrink-0" /> : undefined,
      text: row => row[name] ?? null,
      isNumber: isNumeric(type),
      ...(foreignKeys.length > 0 && {
        more: row =>
          foreignKeys.map(key => {
            const href = referredHref(key, row, tables)
            const { references } = key
            const label = `${keyText(key, row)}: open the row in ${nameBeside(table.schema, references)}`
            return (
              href !== undefined && (
                <Link key={href} href={href} aria-label={label} title={label} className="relative z-1">
                  <ArrowRightIcon />
                </Link>
              )
            )
          }),
      }),
    }
  })
}
