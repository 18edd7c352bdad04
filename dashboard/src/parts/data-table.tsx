// Every list: sorted by its heads, virtual when it is long, a row that opens its record, columns that a phone leaves
// out. The order is kept by whoever shows it, in the address.

import { cn, LayerCard, Table } from '@cloudflare/kumo'
import { ArrowDownIcon, ArrowUpIcon } from '@phosphor-icons/react'
import { Link } from '@tanstack/react-router'
import {
  createColumnHelper,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  type SortingState,
  sortFn_alphanumeric,
  sortFn_basic,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react'

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, basic: sortFn_basic },
})

/** Longer ones are drawn only where they are seen. */
const VIRTUAL_FROM = 100
/** Of one line. Each row is measured when it is drawn. */
const ROW_HEIGHT_PX = 40

export interface Column<Row extends RowData> {
  id: string
  head: ReactNode
  cell: (row: Row) => ReactNode
  /** What the column is sorted by; left out: it is not sorted. */
  sortBy?: (row: Row) => string | number | null | undefined
  align?: 'left' | 'right'
  /** Left out on a phone. */
  isSecondary?: boolean
  /** Its cells are clicked for themselves: they are never the row's link. */
  isControl?: boolean
  className?: string
}

interface DataTableProps<Row extends RowData> {
  /** What the rows are, for those who do not see the page's title. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  /** The record's address: its first cell that is no control is a link, and a click anywhere in the row follows it. */
  href?: (row: Row) => string
  /** The row whose record is open beside the list. */
  selectedKey?: string | undefined
  /** `name.asc` or `name.desc`, as it stands in the address. Without `onSort` the table keeps it itself. */
  sort?: string | undefined
  onSort?: (sort: string | undefined) => void
}

export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, href, selectedKey } = props
  const [ownSort, setOwnSort] = useState<string>()
  const { sort = ownSort, onSort = setOwnSort } = props

  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>()
    return columns.map(column =>
      helper.accessor((row): unknown => column.sortBy?.(row) ?? '', {
        id: column.id,
        enableSorting: column.sortBy !== undefined,
        sortFn: 'basic',
      }),
    )
  }, [columns])
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    getRowId: rowKey,
    state: { sorting: sortingOf(sort) },
    onSortingChange: change => {
      const next = typeof change === 'function' ? change(sortingOf(sort)) : change
      const [first] = next
      onSort(first === undefined ? undefined : `${first.id}.${first.desc ? 'desc' : 'asc'}`)
    },
  })
  const sorted = table.getRowModel().rows
  const heads = table.getHeaderGroups()[0]?.headers ?? []
  const linked = columns.findIndex(({ isControl = false }) => !isControl)

  const scroller = useRef<HTMLDivElement>(null)
  const isVirtual = sorted.length > VIRTUAL_FROM
  // The virtualizer forgets what it has measured when this is another function.
  const getItemKey = useCallback((index: number) => sorted[index]?.id ?? index, [sorted])
  const virtualizer = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    getItemKey,
    overscan: 12,
    enabled: isVirtual,
  })
  const seen = isVirtual ? virtualizer.getVirtualItems() : []
  const above = seen[0]?.start ?? 0
  const below = isVirtual ? virtualizer.getTotalSize() - (seen.at(-1)?.end ?? 0) : 0
  const shown = isVirtual ? seen.map(({ index }) => index) : [...sorted.keys()]

  return (
    <LayerCard className="p-0">
      <section
        ref={scroller}
        className={cn('overflow-x-auto', isVirtual && 'max-h-[70vh] overflow-y-auto')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        aria-label={label}
      >
        <Table aria-rowcount={sorted.length + 1} className="[&_td]:py-2 [&_th]:py-2">
          <Table.Header className={isVirtual ? 'sticky top-0 z-10 bg-kumo-base' : ''}>
            <Table.Row>
              {heads.map((head, i) => {
                const column = columns[i] as Column<Row>
                const direction = head.column.getIsSorted()
                return (
                  <Table.Head
                    key={head.id}
                    className={cellClass(column)}
                    aria-sort={
                      direction === false ? undefined : direction === 'asc' ? 'ascending' : 'descending'
                    }
                  >
                    {column.sortBy === undefined ? (
                      column.head
                    ) : (
                      <button
                        type="button"
                        className="inline-flex cursor-pointer items-center gap-1 text-left hover:text-kumo-link"
                        onClick={head.column.getToggleSortingHandler()}
                      >
                        {column.head}
                        {direction === 'asc' && <ArrowUpIcon aria-hidden="true" />}
                        {direction === 'desc' && <ArrowDownIcon aria-hidden="true" />}
                      </button>
                    )}
                  </Table.Head>
                )
              })}
            </Table.Row>
          </Table.Header>
          <Table.Body>
            {above > 0 && <Gap height={above} />}
            {shown.map(index => {
              const row = sorted[index] as (typeof sorted)[number]
              return (
                <Table.Row
                  key={row.id}
                  ref={isVirtual ? virtualizer.measureElement : undefined}
                  data-index={index}
                  aria-rowindex={index + 2}
                  variant={row.id === selectedKey ? 'selected' : 'default'}
                  className={cn('h-10', href !== undefined && 'relative hover:bg-kumo-tint')}
                >
                  {columns.map((column, i) => (
                    <Table.Cell key={column.id} className={cellClass(column)}>
                      {i === linked && href !== undefined ? (
                        // The link covers its row; what else can be clicked there lies above it.
                        <Link
                          to={href(row.original)}
                          className="font-medium text-kumo-default after:absolute after:inset-0 hover:underline"
                        >
                          {column.cell(row.original)}
                        </Link>
                      ) : (
                        column.cell(row.original)
                      )}
                    </Table.Cell>
                  ))}
                </Table.Row>
              )
            })}
            {below > 0 && <Gap height={below} />}
          </Table.Body>
        </Table>
      </section>
    </LayerCard>
  )
}

function Gap({ height }: { height: number }) {
  return (
    <tr>
      <td style={{ height, padding: 0 }} />
    </tr>
  )
}

function cellClass<Row extends RowData>(column: Column<Row>): string {
  return cn(
    column.align === 'right' && 'text-right tabular-nums',
    column.isSecondary && 'max-md:hidden',
    column.isControl && '[&>*]:relative [&>*]:z-1',
    // Above the link that covers the row.
    '[&_button]:relative [&_button]:z-1 [&_time]:relative [&_time]:z-1',
    column.className,
  )
}

function sortingOf(sort: string | undefined): SortingState {
  if (sort === undefined) return []
  const dot = sort.lastIndexOf('.')
  return [{ id: sort.slice(0, dot), desc: sort.slice(dot + 1) === 'desc' }]
}
