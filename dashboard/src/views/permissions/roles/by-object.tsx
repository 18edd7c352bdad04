// A row for each relation of an object, with its holders.

import { Link } from '@cloudflare/kumo'
import { useMemo } from 'react'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { accessHref, SubjectLink } from '../../../parts/tuples/subject-link.tsx'
import { printSubject, type Tuple } from '../../../parts/tuples/tuple-text.ts'
import { subjectWords } from '../../../parts/tuples/words.ts'
import { NobodyHolds } from './by-subject.tsx'

interface Held {
  key: string
  namespace: string
  object: string
  relation: string
  tuples: Tuple[]
}

/** More are one click away, in who can access. */
const HOLDERS_SHOWN_MAX = 5

const COLUMNS: Column<Held>[] = [
  {
    id: 'object',
    head: 'Object',
    className: 'max-w-60',
    cell: held => (
      <Link
        variant="plain"
        href={accessHref(held)}
        className="flex min-w-0 items-baseline gap-1.5 hover:underline"
        title={`Who can access ${held.namespace}:${held.object}`}
      >
        <span className="text-xs text-kumo-subtle">{held.namespace}</span>
        <span className="truncate font-medium">{held.object}</span>
      </Link>
    ),
    sortBy: ({ namespace, object }) => `${namespace}:${object}`.toLowerCase(),
  },
  { id: 'role', head: 'Role', cell: ({ relation }) => relation, sortBy: ({ relation }) => relation },
  {
    id: 'holders',
    head: 'Holders',
    cell: held => {
      const rest = held.tuples.length - HOLDERS_SHOWN_MAX
      return (
        <span className="flex flex-wrap gap-x-4 gap-y-1">
          {held.tuples.slice(0, HOLDERS_SHOWN_MAX).map(tuple => (
            <SubjectLink key={printSubject(tuple)} text={printSubject(tuple)} />
          ))}
          {rest > 0 && <Link href={accessHref(held)}>and {rest.toLocaleString('en')} more</Link>}
        </span>
      )
    },
  },
  {
    id: 'count',
    head: 'Count',
    align: 'right',
    isSecondary: true,
    cell: ({ tuples }) => tuples.length.toLocaleString('en'),
    sortBy: ({ tuples }) => tuples.length,
  },
]

export function ByObject({
  tuples,
  find,
  sort,
  onSort,
  onGive,
}: {
  tuples: readonly Tuple[]
  find: string
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  onGive: () => void
}) {
  const rows = useMemo(
    () =>
      [...Map.groupBy(tuples, keyOf)]
        .flatMap(([key, [first, ...rest]]): Held[] => {
          if (first === undefined) return []
          const { namespace, object, relation } = first
          return [{ key, namespace, object, relation, tuples: [first, ...rest] }]
        })
        .sort((a, b) => (a.key.toLowerCase() < b.key.toLowerCase() ? -1 : 1)),
    [tuples],
  )
  const words = find.toLowerCase()
  const shown = rows.filter(held =>
    [held.key, ...held.tuples.map(subjectWords)].some(text => text.toLowerCase().includes(words)),
  )
  if (shown.length === 0) return <NobodyHolds isFiltered={tuples.length > 0} onGive={onGive} />
  return (
    <DataTable
      label="Roles by object"
      columns={COLUMNS}
      rows={shown}
      rowKey={({ key }) => key}
      sort={sort}
      onSort={onSort}
    />
  )
}

function keyOf({ namespace, object, relation }: Tuple): string {
  return `${namespace}:${object}#${relation}`
}
