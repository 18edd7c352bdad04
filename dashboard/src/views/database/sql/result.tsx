// What a statement answered: its rows, or how many it changed.

import { Button } from '@cloudflare/kumo'
import { DownloadSimpleIcon } from '@phosphor-icons/react'
import { useMemo, useState } from 'react'
import { isNumber, typeWords, valueText } from '../../../parts/database/sql-values.ts'
import { type GridColumn, ValueGrid } from '../../../parts/database/value-grid.tsx'
import { WholeValues } from '../../../parts/database/whole-values.tsx'
import { SidePanel } from '../../../parts/side-panel.tsx'
import { csvOf, download } from './csv.ts'
import type { SqlAnswer } from './queries.ts'

type Row = SqlAnswer['rows'][number]

/** `number`: of a script's results, which have one time together. */
export function Result({ of: answer, ms, number }: { of: SqlAnswer; ms?: number; number?: number }) {
  const [openIndex, setOpenIndex] = useState<number>()
  const columns = useMemo(() => answer.columns.map(gridColumn), [answer])
  const open = openIndex === undefined ? undefined : answer.rows[openIndex]
  return (
    <>
      <div className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-2">
        <p role={ms === undefined ? undefined : 'status'} className="text-kumo-subtle tabular-nums">
          <span className="font-medium text-kumo-default">{answer.command}</span> · {rowsWords(answer)}
          {ms !== undefined && ` · ${msWords(ms)}`}
        </p>
        {columns.length > 0 && (
          <Button
            size="sm"
            icon={DownloadSimpleIcon}
            className="ml-auto"
            aria-label={number === undefined ? undefined : `Export CSV of result ${number}`}
            onClick={() => download(`result${number === undefined ? '' : `-${number}`}.csv`, csvOf(answer))}
          >
            Export CSV
          </Button>
        )}
      </div>
      {number === undefined && !returnsRows(answer) && (
        <p className="text-kumo-subtle">Notices are not shown: the API does not return them.</p>
      )}
      {columns.length > 0 && (
        <ValueGrid
          label={number === undefined ? 'Result' : `Result ${number}`}
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

export function msWords(ms: number): string {
  return `${Math.round(ms).toLocaleString('en')} ms`
}

function gridColumn({ name, typeName }: SqlAnswer['columns'][number]): GridColumn<Row> {
  return {
    name,
    type: typeWords(typeName),
    text: row => valueText(row[name]),
    isNumber: isNumber(typeName),
  }
}

/** A SELECT may have rows without any column; CREATE TABLE AS calls itself one, and keeps its rows. */
function returnsRows({ command, columns, rows, rowCount }: SqlAnswer): boolean {
  return columns.length > 0 || (command === 'SELECT' && rows.length === rowCount)
}

function rowsWords(answer: SqlAnswer): string {
  const { rows, rowCount, truncated } = answer
  const words = (n: number) => `${n.toLocaleString('en')} ${n === 1 ? 'row' : 'rows'}`
  if (truncated) return `the first ${words(rows.length)}; there are more`
  return returnsRows(answer) ? words(rows.length) : `${words(rowCount)} affected`
}
