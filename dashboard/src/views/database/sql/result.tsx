// What a statement answered: its rows, or how many it changed.

import { Button } from '@cloudflare/kumo'
import { DownloadSimpleIcon } from '@phosphor-icons/react'
import { useMemo } from 'react'
import { AnswerGrid, answerColumn } from '../../../parts/database/answer-grid.tsx'
import { csvOf, download } from './csv.ts'
import type { SqlAnswer } from './queries.ts'

type Row = SqlAnswer['rows'][number]

/** `number`: of a script's results, which have one time together. */
export function Result({ of: answer, ms, number }: { of: SqlAnswer; ms?: number; number?: number }) {
  const columns = useMemo(() => answer.columns.map(column => answerColumn<Row>(column, row => row)), [answer])
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
      <AnswerGrid
        label={number === undefined ? 'Result' : `Result ${number}`}
        columns={columns}
        rows={answer.rows}
      />
    </>
  )
}

export function msWords(ms: number): string {
  return `${Math.round(ms).toLocaleString('en')} ms`
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
