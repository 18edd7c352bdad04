// Subjects by relations and permits. Each mark is a button that shows its chain.

import { cn, Input } from '@cloudflare/kumo'
import { CheckIcon } from '@phosphor-icons/react'
import { useMemo } from 'react'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { SubjectName } from '../../../parts/tuples/subject-link.tsx'
import { parseSubject } from '../../../parts/tuples/tuple-text.ts'
import { subjectTextWords } from '../../../parts/tuples/words.ts'
import type { AccessReport } from './queries.ts'
import { columnsOf, isComplete, type Mark, viaOf } from './report.ts'

type Row = AccessReport['subjects'][number]

/** From so many on, one looks for a name. */
const FIND_FROM = 8

export function AccessMatrix({
  report,
  mark,
  onChoose,
  find,
  onFind,
  sort,
  onSort,
}: {
  report: AccessReport
  mark: Mark | undefined
  onChoose: (mark: Mark | undefined) => void
  find: string
  onFind: (text: string) => void
  sort: string | undefined
  onSort: (sort: string | undefined) => void
}) {
  const columns = useMemo((): Column<Row>[] => {
    const subject: Column<Row> = {
      id: 'subject',
      head: 'Who',
      className: 'max-w-48',
      cell: row => <SubjectName of={parseSubject(row.subject)} />,
      sortBy: row => row.subject.toLowerCase(),
    }
    const marks = columnsOf(report).map(
      (name): Column<Row> => ({
        id: `has ${name}`,
        head: name,
        className: 'w-px px-1.5! text-center!',
        cell: row => (
          <MarkCell
            report={report}
            of={{ subject: row.subject, by: name }}
            chosen={mark}
            onChoose={onChoose}
          />
        ),
        sortBy: row => viaOf(report, { subject: row.subject, by: name })?.length ?? Number.MAX_SAFE_INTEGER,
      }),
    )
    return [subject, ...marks]
  }, [report, mark, onChoose])
  const words = find.toLowerCase()
  const rows = report.subjects.filter(({ subject }) =>
    `${subject} ${subjectTextWords(subject)}`.toLowerCase().includes(words),
  )
  return (
    <div className="flex flex-col gap-3">
      {(report.subjects.length >= FIND_FROM || find !== '') && (
        <Input
          aria-label="Find somebody"
          placeholder="Find somebody"
          value={find}
          onChange={event => onFind(event.target.value)}
          className="w-64 max-w-full"
        />
      )}
      <DataTable
        label="Who has which relation and permit"
        columns={columns}
        rows={rows}
        rowKey={({ subject }) => subject}
        selectedKey={mark?.subject}
        sort={sort}
        onSort={onSort}
      />
    </div>
  )
}

function MarkCell({
  report,
  of: { subject, by },
  chosen,
  onChoose,
}: {
  report: AccessReport
  of: Mark
  chosen: Mark | undefined
  onChoose: (mark: Mark | undefined) => void
}) {
  const via = viaOf(report, { subject, by })
  if (via === undefined) {
    const isKnown = isComplete(report, by)
    return (
      <span
        // What is only heard is placed in here: beside the table it would widen the page of a phone.
        className="relative text-kumo-subtle"
        title={isKnown ? undefined : 'Nothing was found; something may be hidden'}
      >
        <span aria-hidden="true">{isKnown ? '–' : '?'}</span>
        <span className="sr-only">{isKnown ? 'no' : 'not known'}</span>
      </span>
    )
  }
  const isChosen = chosen?.subject === subject && chosen.by === by
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      aria-label={`Why ${subjectTextWords(subject)} has ${by}${via.length > 1 ? `: ${via.length} tuples` : ''}`}
      title={via.length === 1 ? 'By a tuple of its own' : `By a chain of ${via.length} tuples`}
      onClick={() => onChoose(isChosen ? undefined : { subject, by })}
      className={cn(
        'inline-flex h-7 min-w-7 cursor-pointer items-center justify-center gap-0.5 rounded-md px-1.5',
        'text-kumo-success hover:bg-kumo-fill aria-pressed:bg-kumo-brand aria-pressed:text-white',
      )}
    >
      <CheckIcon weight="bold" aria-hidden="true" />
      {via.length > 1 && <span className="text-xs tabular-nums">{via.length}</span>}
    </button>
  )
}
