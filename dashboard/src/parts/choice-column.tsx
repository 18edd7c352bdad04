// A column of checkboxes, for what is done with several rows at once.

import { Checkbox } from '@cloudflare/kumo'
import type { RowData } from '@tanstack/react-table'
import type { Column } from './data-table.tsx'

/** `chosen` holds the keys of rows; `labelOf` names a row for those who do not see it. */
export function choiceColumn<Row extends RowData>({
  rows,
  keyOf,
  labelOf,
  chosen,
  onChoose,
}: {
  rows: readonly Row[]
  keyOf: (row: Row) => string
  labelOf: (row: Row) => string
  chosen: ReadonlySet<string>
  onChoose: (keys: ReadonlySet<string>) => void
}): Column<Row> {
  const keys = rows.map(keyOf)
  const isAll = keys.every(key => chosen.has(key))
  const toggle = (key: string) => {
    const next = new Set(chosen)
    if (!next.delete(key)) next.add(key)
    onChoose(next)
  }
  return {
    id: 'chosen',
    className: 'w-10',
    isControl: true,
    head: (
      <Checkbox
        aria-label="Select all shown"
        checked={isAll}
        indeterminate={!isAll && keys.some(key => chosen.has(key))}
        onCheckedChange={() => onChoose(new Set(isAll ? [] : keys))}
      />
    ),
    cell: row => (
      <Checkbox
        aria-label={`Select ${labelOf(row)}`}
        checked={chosen.has(keyOf(row))}
        onCheckedChange={() => toggle(keyOf(row))}
      />
    ),
  }
}
