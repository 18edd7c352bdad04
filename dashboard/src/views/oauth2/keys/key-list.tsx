import { addressOf } from '../../../app/address.ts'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { State } from '../../../parts/state.tsx'
import { Time } from '../../../parts/time.tsx'
import { serverSet } from './key-sets.ts'
import type { SigningKey } from './queries.ts'
import type { KeySearch } from './search.ts'

export function KeyList({
  keys,
  set,
  search,
  onSort,
}: {
  keys: readonly SigningKey[]
  set: string
  search: KeySearch
  onSort: (sort: string | undefined) => void
}) {
  return (
    <DataTable
      label="Signing keys"
      columns={serverSet(set) === undefined ? COLUMNS : [...COLUMNS, roleColumn(keys[0]?.kid)]}
      rows={keys}
      rowKey={({ kid }) => kid}
      href={({ kid }) => addressOf('/oauth2/keys', { ...search, kid })}
      selectedKey={search.kid}
      sort={search.sort}
      onSort={onSort}
    />
  )
}

const COLUMNS: Column<SigningKey>[] = [
  {
    id: 'kid',
    head: 'Key id',
    cell: ({ kid }) => <code className="wrap-anywhere">{kid}</code>,
  },
  {
    id: 'algorithm',
    head: 'Algorithm',
    cell: ({ algorithm }) => algorithm ?? 'not stated',
    sortBy: ({ algorithm }) => algorithm,
  },
  { id: 'type', head: 'Type', cell: key => key.key_type, sortBy: key => key.key_type, isSecondary: true },
  { id: 'use', head: 'Use', cell: ({ use }) => use ?? 'not stated', isSecondary: true },
  {
    id: 'created',
    head: 'Created',
    cell: ({ created_at: at }) => (at === null ? 'not known' : <Time at={at} />),
    sortBy: key => key.created_at,
    isSecondary: true,
  },
]

/** The newest key of a set of the server's signs; the others are there for tokens that are out. */
function roleColumn(signing: string | undefined): Column<SigningKey> {
  return {
    id: 'role',
    head: 'What it does',
    cell: ({ kid }) =>
      kid === signing ? <State tone="good">Signs</State> : <State tone="neutral">Verifies</State>,
  }
}
