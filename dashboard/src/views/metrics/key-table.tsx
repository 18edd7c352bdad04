import { recordHref } from '../../parts/audit-targets.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import type { Metrics } from './queries.ts'
import { count } from './words.ts'

type Key = Metrics['requests']['by_key'][number]

const COLUMNS: Column<Key>[] = [
  { id: 'name', head: 'Name', cell: ({ name }) => name, sortBy: ({ name }) => name.toLowerCase() },
  { id: 'role', head: 'Role', cell: ({ role }) => role, sortBy: ({ role }) => role },
  {
    id: 'requests',
    head: 'Requests',
    align: 'right',
    cell: ({ requests }) => count(requests),
    sortBy: ({ requests }) => requests,
  },
]

export function KeyTable({
  of: { by_key: keys },
  sort,
  onSort,
}: {
  of: Metrics['requests']
  sort: string | undefined
  onSort: (sort: string | undefined) => void
}) {
  if (keys.length === 0) return <p className="text-kumo-subtle">No key was used in this period.</p>
  return (
    <DataTable
      label="API keys"
      columns={COLUMNS}
      rows={keys}
      rowKey={({ key_id: id }) => id}
      href={({ key_id: id }) => recordHref('api_key', id) ?? '/keys'}
      sort={sort}
      onSort={onSort}
    />
  )
}
