// What a statement answered: its rows, or how many it changed.

import { Button } from '@cloudflare/kumo'
import { DownloadSimpleIcon } from '@phosphor-icons/react'
import { useMemo, useState } from 'react'
import { type GridColumn, ValueGrid } from '../../../parts/database/value-grid.tsx'
import { WholeValues } from '../../../parts/database/whole-values.tsx'
import { SidePanel } from '../../../parts/side-panel.tsx'
import { csvOf, download } from './csv.ts'
import type { SqlAnswer } from './queries.ts'
import { isNumber, typeWords, valueText } from './values.ts'

type Row = SqlAnswer['rows'][number]

export function Result({ of: answer, ms }: { of: SqlAnswer; ms: number }) {
  const [openIndex, setOpenIndex] = useState<number>()
  const columns = useMemo(() => answer.columns.map(gridColumn), [answer])
  const open = openIndex === undefined ? undefined : answer.rows[openIndex]
  return (
    <>
      <div className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-2">
        <p role="status" className="text-kumo-subtle tabular-nums">
          <span className="font-medium text-kumo-default">{answer.command}</span> · {rowsWords(answer)} ·{' '}
          {Math.round(ms).toLocaleString('en')} ms
        </p>
        {columns.length > 0 && (
          <Button
            size="sm"
            icon={DownloadSimpleIcon}
            className="ml-auto"
            onClick={() => download('result.csv', csvOf(answer))}
          >
            Export CSV
          </Button>
        )}
      </div>
      {columns.length === 0 && !returnsRows(answer) && (
        <p className="text-kumo-subtle">Its notices are not shown: the API does not send them.</p>
      )}
      {columns.length > 0 && (
        <ValueGrid
          label="Result"
          columns={columns}
          rows={answer.rows}
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
      )}
      {open !== undefined && openIndex !== undefined && (
        <SidePanel title={`Row ${openIndex + 1} of the result`} onClose={() => setOpenIndex(undefined)}>
          <WholeValues
            values={answer.columns.map(({ name, typeName }) => ({
              name,
              type: typeWords(typeName),
              text: valueText(open[name]),
            }))}
          />
        </SidePanel>
      )}
    </>
  )
}

function gridColumn({ name, typeName }: SqlAnswer['columns'][number]): GridColumn<Row> {
  return {
    name,
    type: typeWords(typeName),
    text: row => valueText(row[name]),
    isNumber: isNumber(typeName),
  }
}

/** A SELECT may have rows without any column. */
function returnsRows({ command, columns }: SqlAnswer): boolean {
  return columns.length > 0 || command === 'SELECT'
}

function rowsWords(answer: SqlAnswer): string {
  const { rows, rowCount, truncated } = answer
  const words = (n: number) => `${n.toLocaleString('en')} ${n === 1 ? 'row' : 'rows'}`
  if (truncated) return `the first ${words(rows.length)}; there are more`
  return returnsRows(answer) ? words(rows.length) : `${words(rowCount)} affected`
}
