// The tuples that are loaded: a row for each subject ("admin of acme, owner of apollo"), or for each relation of an
// object with its holders.

import { Button, Empty, Link } from '@cloudflare/kumo'
import { PlusIcon, UserListIcon } from '@phosphor-icons/react'
import { useMemo } from 'react'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { accessHref, ObjectLink, SubjectLink, SubjectName } from '../../../parts/tuples/subject-link.tsx'
import { printSubject, type Tuple } from '../../../parts/tuples/tuple-text.ts'
import { subjectWords } from '../../../parts/tuples/words.ts'

interface Row {
  key: string
  /** They have the row's subject, or its object and relation, in common. */
  first: Tuple
  tuples: Tuple[]
}

/** More are counted. */
const SHOWN_MAX = 5

const COUNT: Column<Row> = {
  id: 'count',
  head: 'Count',
  align: 'right',
  isSecondary: true,
  cell: ({ tuples }) => tuples.length.toLocaleString('en'),
  sortBy: ({ tuples }) => tuples.length,
}

const BY_SUBJECT: Column<Row>[] = [
  {
    id: 'subject',
    head: 'Who',
    className: 'max-w-40 md:max-w-60',
    cell: ({ first }) => <SubjectName of={first} />,
    sortBy: ({ key }) => key.toLowerCase(),
  },
  {
    id: 'roles',
    head: 'Roles of their own',
    cell: ({ tuples }) => (
      <span className="wrap-anywhere">
        {tuples
          .slice(0, SHOWN_MAX)
          .map(({ relation, object }) => `${relation} of ${object}`)
          .join(', ')}
        {tuples.length > SHOWN_MAX && <span className="text-kumo-subtle"> {restWords(tuples)}</span>}
      </span>
    ),
  },
  COUNT,
]

const byObject = (hrefOf: (subject: string) => string): Column<Row>[] => [
  {
    id: 'object',
    head: 'Object',
    className: 'max-w-40 md:max-w-60',
    cell: ({ first }) => <ObjectLink of={first} />,
    sortBy: ({ key }) => key.toLowerCase(),
  },
  { id: 'role', head: 'Role', cell: ({ first }) => first.relation, sortBy: ({ first }) => first.relation },
  {
    id: 'holders',
    head: 'Holders',
    cell: ({ first, tuples }) => (
      <span className="flex flex-wrap gap-x-4 gap-y-1">
        {tuples
          .slice(0, SHOWN_MAX)
          .map(printSubject)
          .map(text => (
            <SubjectLink key={text} text={text} href={hrefOf(text)} />
          ))}
        {tuples.length > SHOWN_MAX && <Link href={accessHref(first)}>{restWords(tuples)}</Link>}
      </span>
    ),
  },
  COUNT,
]

/** `hrefOf` opens a subject beside the list. */
export function RoleList({
  group,
  tuples,
  find,
  selected,
  sort,
  onSort,
  hrefOf,
  onGive,
}: {
  group: 'subject' | 'object'
  tuples: readonly Tuple[]
  find: string
  selected: string | undefined
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  hrefOf: (subject: string) => string
  onGive: () => void
}) {
  const isBySubject = group === 'subject'
  const rows = useMemo(
    () =>
      [...Map.groupBy(tuples, isBySubject ? printSubject : relationKey)]
        .flatMap(([key, [first, ...rest]]): Row[] =>
          first === undefined ? [] : [{ key, first, tuples: [first, ...rest] }],
        )
        .sort((a, b) => (a.key.toLowerCase() < b.key.toLowerCase() ? -1 : 1)),
    [tuples, isBySubject],
  )
  const words = find.toLowerCase()
  const shown = rows.filter(row => textOf(row).includes(words))
  if (shown.length === 0)
    return (
      <Empty
        icon={<UserListIcon size={40} />}
        title={tuples.length > 0 ? 'No matches' : 'Nobody holds a role yet'}
        description="A role is a relation of the permission file: owner of a project, member of an organization."
        contents={
          <Button icon={PlusIcon} onClick={onGive}>
            Give role
          </Button>
        }
      />
    )
  return (
    <DataTable<Row>
      label={isBySubject ? 'Roles by person and group' : 'Roles by object'}
      columns={isBySubject ? BY_SUBJECT : byObject(hrefOf)}
      rows={shown}
      rowKey={({ key }) => key}
      {...(isBySubject && { href: ({ key }) => hrefOf(key), selectedKey: selected })}
      sort={sort}
      onSort={onSort}
    />
  )
}

function relationKey({ namespace, object, relation }: Tuple): string {
  return `${namespace}:${object}#${relation}`
}

/** What the list is searched in. */
function textOf({ key, tuples }: Row): string {
  const each = tuples.map(tuple => `${subjectWords(tuple)} ${tuple.relation} ${tuple.object}`)
  return [key, ...each].join('\n').toLowerCase()
}

function restWords({ length }: readonly Tuple[]): string {
  return `and ${(length - SHOWN_MAX).toLocaleString('en')} more`
}
