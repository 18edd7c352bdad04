// Rows of the database: many, wide, and of types that are known only when they are here. Rows that nobody sees are not
// drawn; widths come from the first rows, so that nothing jumps while it scrolls.

import { Checkbox, cn, LayerCard, Table } from '@cloudflare/kumo'
import { ArrowDownIcon, ArrowUpIcon } from '@phosphor-icons/react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useMemo, useRef } from 'react'
import type { RowMark } from './row-mark.ts'
import { ValueText } from './value-text.tsx'

const ROW_HEIGHT_PX = 36
const SAMPLE_ROWS = 100
const [WIDTH_MIN_CH, WIDTH_MAX_CH] = [8, 42]
const CHECK_WIDTH_PX = 44

export interface GridColumn<Row> {
  name: string
  /** Beneath the name. */
  type: string
  /** Before the name: what kind of column it is. */
  mark?: ReactNode
  text: (row: Row) => string | null
  /** After the value. */
  more?: (row: Row) => ReactNode
  isNumber?: boolean
}

export interface GridSort {
  column: string | undefined
  direction: 'asc' | 'desc'
  onSort: (column: string) => void
}

export interface GridSelection<Row> {
  has: (row: Row) => boolean
  onChange: (rows: readonly Row[], isSelected: boolean) => void
  /** What a row is called, for those who do not see it. */
  nameOf: (row: Row) => string
}

const MARKS: Readonly<Record<RowMark, string>> = {
  changed: '*:bg-kumo-info-tint *:first:shadow-[inset_3px_0_0_var(--color-kumo-info)]',
  inserted: '*:bg-kumo-success-tint *:first:shadow-[inset_3px_0_0_var(--color-kumo-success)]',
  deleted: 'line-through **:text-kumo-subtle *:first:shadow-[inset_3px_0_0_var(--color-kumo-danger)]',
}

interface ValueGridProps<Row> {
  label: string
  columns: readonly GridColumn<Row>[]
  rows: readonly Row[]
  /** The first cell with the way into the row; what it gives must cover the row: `after:absolute after:inset-0`. */
  opener: (row: Row, index: number, cell: ReactNode) => ReactNode
  openIndex?: number | undefined
  sort?: GridSort
  selection?: GridSelection<Row> | undefined
  /** The rows are the last that were known: others are about to stand in their places, so none can be selected. */
  isOld?: boolean
  markOf?: (row: Row) => RowMark | undefined
}

export function ValueGrid<Row>(props: ValueGridProps<Row>) {
  const { label, columns, rows, opener, openIndex, sort, selection, isOld = false, markOf } = props
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: 12,
  })
  const widths = useMemo(() => columns.map(column => widthOf(column, rows)), [columns, rows])
  const seen = virtualizer.getVirtualItems()
  const above = seen[0]?.start ?? 0
  const below = virtualizer.getTotalSize() - (seen.at(-1)?.end ?? 0)
  const span = columns.length + (selection === undefined ? 0 : 1)
  const selected = selection === undefined ? 0 : rows.filter(selection.has).length

  return (
    <LayerCard className="p-0">
      <section
        ref={scroller}
        className={cn('max-h-[70vh] overflow-auto', isOld && 'opacity-60')}
        aria-busy={isOld}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        aria-label={label}
      >
        <Table
          layout="fixed"
          aria-rowcount={rows.length + 1}
          className="w-max min-w-full [&_td]:py-0 [&_th]:py-1.5"
        >
          <colgroup>
            {selection !== undefined && <col style={{ width: CHECK_WIDTH_PX }} />}
            {columns.map(({ name }, i) => (
              <col key={name} style={{ width: widths[i] }} />
            ))}
            <col />
          </colgroup>
          <Table.Header className="sticky top-0 z-10 bg-kumo-base">
            <Table.Row>
              {selection !== undefined && (
                <Table.Head className="px-3">
                  <Checkbox
                    aria-label="Select all rows of this page"
                    disabled={isOld}
                    checked={selected > 0 && selected === rows.length}
                    indeterminate={selected > 0 && selected < rows.length}
                    onCheckedChange={isOn => selection.onChange(rows, isOn)}
                  />
                </Table.Head>
              )}
              {columns.map(column => (
                <ColumnHead key={column.name} column={column} sort={sort} />
              ))}
              <td aria-hidden="true" />
            </Table.Row>
          </Table.Header>
          <Table.Body>
            {above > 0 && <Gap height={above} span={span} />}
            {seen.map(({ index }) => {
              const row = rows[index] as Row
              const mark = markOf?.(row)
              return (
                <Table.Row
                  key={index}
                  aria-rowindex={index + 2}
                  variant={index === openIndex ? 'selected' : 'default'}
                  className={cn(
                    'relative h-9 *:transition-colors *:duration-700 hover:bg-kumo-tint',
                    mark && MARKS[mark],
                  )}
                >
                  {selection !== undefined && (
                    <Table.Cell className="px-3 [&>*]:relative [&>*]:z-1">
                      <Checkbox
                        aria-label={`Select ${selection.nameOf(row)}`}
                        disabled={isOld}
                        checked={selection.has(row)}
                        onCheckedChange={isOn => selection.onChange([row], isOn)}
                      />
                    </Table.Cell>
                  )}
                  {columns.map((column, i) => {
                    const value = <ValueText text={column.text(row)} />
                    const shown = i === 0 ? opener(row, index, value) : value
                    const more = column.more?.(row)
                    return (
                      <Table.Cell
                        key={column.name}
                        className={cn('truncate code-text', column.isNumber && 'text-right tabular-nums')}
                      >
                        {more ? (
                          // Beside a long text there is still room for it.
                          <span className={cn('flex items-center gap-1.5', column.isNumber && 'justify-end')}>
                            <span className="truncate" style={{ maxWidth: `min(${WIDTH_MAX_CH}ch, 40vw)` }}>
                              {shown}
                            </span>
                            {more}
                          </span>
                        ) : (
                          shown
                        )}
                        {i === 0 && mark && <span className="sr-only">, {mark}</span>}
                      </Table.Cell>
                    )
                  })}
                  <td aria-hidden="true" />
                </Table.Row>
              )
            })}
            {below > 0 && <Gap height={below} span={span} />}
          </Table.Body>
        </Table>
      </section>
    </LayerCard>
  )
}

function ColumnHead<Row>({ column, sort }: { column: GridColumn<Row>; sort: GridSort | undefined }) {
  const { name, type, mark, isNumber } = column
  const isSorted = sort?.column === name
  const content = (
    <span className="flex min-w-0 flex-col">
      <span className={cn('flex min-w-0 items-center gap-1', isNumber && 'justify-end')}>
        {mark}
        <span className="truncate">{name}</span>
        {isSorted && sort.direction === 'asc' && <ArrowUpIcon aria-hidden="true" className="shrink-0" />}
        {isSorted && sort.direction === 'desc' && <ArrowDownIcon aria-hidden="true" className="shrink-0" />}
      </span>
      <span className="truncate code-text text-xs font-normal text-kumo-subtle">{type}</span>
    </span>
  )
  return (
    <Table.Head
      className={isNumber ? 'text-right' : ''}
      title={`${name} ${type}`}
      aria-sort={isSorted ? (sort.direction === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      {sort === undefined ? (
        content
      ) : (
        <button
          type="button"
          onClick={() => sort.onSort(name)}
          className={cn('w-full cursor-pointer hover:text-kumo-link', isNumber ? 'text-right' : 'text-left')}
        >
          {content}
        </button>
      )}
    </Table.Head>
  )
}

function Gap({ height, span }: { height: number; span: number }) {
  return (
    <tr>
      <td colSpan={span} style={{ height, padding: 0 }} />
    </tr>
  )
}

/** Of the widest of the first values, within bounds; in a fixed layout nothing else decides it. */
function widthOf<Row>({ name, type, text, mark }: GridColumn<Row>, rows: readonly Row[]): string {
  const lengths = rows.slice(0, SAMPLE_ROWS).map(row => text(row)?.length ?? 0)
  const head = Math.max(name.length + (mark === undefined ? 3 : 6), type.length)
  const wanted = Math.max(WIDTH_MIN_CH, Math.min(head, WIDTH_MAX_CH / 2), ...lengths)
  return `calc(${Math.min(wanted, WIDTH_MAX_CH)}ch + 2.5rem)`
}
