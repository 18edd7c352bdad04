// A row for each subject: "admin of acme, owner of apollo".

import { Button, Empty } from '@cloudflare/kumo'
import { PlusIcon, UserListIcon } from '@phosphor-icons/react'
import { useMemo } from 'react'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { rolesHref, SubjectName } from '../../../parts/tuples/subject-link.tsx'
import { printSubject, type Tuple } from '../../../parts/tuples/tuple-text.ts'
import { subjectWords } from '../../../parts/tuples/words.ts'

interface Holder {
  subject: string
  tuples: Tuple[]
}

/** More are counted. */
const ROLES_SHOWN_MAX = 4

const COLUMNS: Column<Holder>[] = [
  {
    id: 'subject',
    head: 'Who',
    className: 'max-w-60',
    cell: ({ tuples: [tuple] }) => tuple && <SubjectName of={tuple} />,
    sortBy: ({ subject }) => subject.toLowerCase(),
  },
  {
    id: 'roles',
    head: 'Roles of their own',
    cell: ({ tuples }) => {
      const rest = tuples.length - ROLES_SHOWN_MAX
      return (
        <span className="[overflow-wrap:anywhere]">
          {tuples
            .slice(0, ROLES_SHOWN_MAX)
            .map(({ relation, object }) => `${relation} of ${object}`)
            .join(', ')}
          {rest > 0 && <span className="text-kumo-subtle"> and {rest.toLocaleString('en')} more</span>}
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

export function BySubject({
  tuples,
  find,
  selected,
  sort,
  onSort,
  onGive,
}: {
  tuples: readonly Tuple[]
  find: string
  selected: string | undefined
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  onGive: () => void
}) {
  const holders = useMemo(
    () =>
      [...Map.groupBy(tuples, printSubject)]
        .map(([subject, held]): Holder => ({ subject, tuples: held }))
        .sort((a, b) => (a.subject.toLowerCase() < b.subject.toLowerCase() ? -1 : 1)),
    [tuples],
  )
  const words = find.toLowerCase()
  const shown = holders.filter(({ subject, tuples: held }) =>
    [subject, ...held.map(tuple => `${subjectWords(tuple)} ${tuple.relation} ${tuple.object}`)].some(text =>
      text.toLowerCase().includes(words),
    ),
  )
  if (shown.length === 0) return <NobodyHolds isFiltered={tuples.length > 0} onGive={onGive} />
  return (
    <DataTable
      label="Roles by person and group"
      columns={COLUMNS}
      rows={shown}
      rowKey={({ subject }) => subject}
      href={({ subject }) => rolesHref(subject)}
      selectedKey={selected}
      sort={sort}
      onSort={onSort}
    />
  )
}

export function NobodyHolds({ isFiltered, onGive }: { isFiltered: boolean; onGive: () => void }) {
  return (
    <Empty
      icon={<UserListIcon size={40} />}
      title={isFiltered ? 'Nobody and nothing matches' : 'Nobody holds a role yet'}
      description="A role is a relation of the permission file: owner of a project, member of an organization."
      contents={
        <Button icon={PlusIcon} onClick={onGive}>
          Give role
        </Button>
      }
    />
  )
}
