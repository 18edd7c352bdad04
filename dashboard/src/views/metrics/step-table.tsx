// What the charts show, as text: newest first.

import { useState } from 'react'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import type { Metrics } from './queries.ts'
import { answersOf, STATUS_CLASSES } from './status-classes.ts'
import { count, milliseconds } from './words.ts'

type Step = Metrics['responses']['series'][number] & { withKeys: number }

const begin = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

const COLUMNS: Column<Step>[] = [
  {
    id: 'time',
    head: 'Since',
    cell: ({ time }) => <time dateTime={time}>{begin.format(new Date(time))}</time>,
    className: 'whitespace-nowrap',
  },
  { id: 'keys', head: 'With keys', align: 'right', cell: ({ withKeys }) => count(withKeys) },
  ...STATUS_CLASSES.map(
    ({ id }): Column<Step> => ({
      id,
      head: id,
      align: 'right',
      cell: step => count(answersOf(step, id)),
    }),
  ),
  ...(['p50', 'p95', 'p99'] as const).map(
    (name): Column<Step> => ({
      id: name,
      head: name,
      align: 'right',
      cell: step => milliseconds(step[`${name}_ms`]),
      className: 'whitespace-nowrap',
    }),
  ),
]

/** Steps of which nothing is known are left out. */
export function StepTable({ of: { requests, responses } }: { of: Metrics }) {
  const [isOpen, setOpen] = useState(false)
  const steps = responses.series
    .map((step, i): Step => ({ ...step, withKeys: requests.series[i]?.requests ?? 0 }))
    .filter(step => step.withKeys + step.requests > 0)
    .reverse()
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary className="w-fit cursor-pointer text-kumo-subtle">Figures of each step</summary>
      <div className="mt-2">
        {isOpen && (
          <DataTable
            label="Figures of each step"
            columns={COLUMNS}
            rows={steps}
            rowKey={({ time }) => time}
          />
        )}
      </div>
    </details>
  )
}
