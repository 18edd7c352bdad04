// The rows that a query answered. One opens beside them, with its values whole.

import { useState } from 'react'
import { SidePanel } from '../side-panel.tsx'
import { isNumber, typeWords, valueText } from './sql-values.ts'
import { type GridColumn, ValueGrid } from './value-grid.tsx'
import { WholeValues } from './whole-values.tsx'

/** A column of the answer; `valuesOf` are a row's, by name. */
export function answerColumn<Row>(
  { name, typeName }: { name: string; typeName: string },
  valuesOf: (row: Row) => Readonly<Record<string, unknown>>,
): GridColumn<Row> {
  return {
    name,
    type: typeWords(typeName),
    text: row => valueText(valuesOf(row)[name]),
    isNumber: isNumber(typeName),
  }
}

export function AnswerGrid<Row>({
  label,
  columns,
  rows,
}: {
  label: string
  columns: readonly GridColumn<Row>[]
  rows: readonly Row[]
}) {
  const [openIndex, setOpenIndex] = useState<number>()
  const open = openIndex === undefined ? undefined : rows[openIndex]
  if (columns.length === 0) return null
  return (
    <>
      <ValueGrid
        label={label}
        columns={columns}
        rows={rows}
        openIndex={openIndex}
        opener={(_, index, cell) => (
          <button
            type="button"
            onClick={() => setOpenIndex(index)}
            className="max-w-full cursor-pointer truncate text-left after:absolute after:inset-0 hover:underline"
          >
            {cell}
          </button>
        )}
      />
      {open !== undefined && openIndex !== undefined && (
        <SidePanel title={`Row ${openIndex + 1} of the result`} onClose={() => setOpenIndex(undefined)}>
          <WholeValues values={columns.map(({ name, type, text }) => ({ name, type, text: text(open) }))} />
        </SidePanel>
      )}
    </>
  )
}
