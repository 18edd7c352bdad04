// Tables: what there is in the schemas that the data API serves, and what anybody may read of it.

import { LinkButton, Tooltip } from '@cloudflare/kumo'
import { TableIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { AccessInShort } from '../../../parts/database/access.tsx'
import { KINDS, tableHref } from '../../../parts/database/table-facts.ts'
import { tablesQuery } from '../../../parts/database/tables-query.ts'
import { ListPage } from '../../../parts/list-page.tsx'
import { Section } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import { isOpenToAnon } from './facts-of-tables.ts'
import type { Table } from './queries.ts'

const view = getRouteApi('/database/tables')

const COLUMNS: Column<Table>[] = [
  { id: 'name', head: 'Name', cell: table => table.name, sortBy: table => table.name.toLowerCase() },
  {
    id: 'kind',
    head: 'Kind',
    cell: table => KINDS[table.kind],
    sortBy: table => table.kind,
    isSecondary: true,
  },
  {
    id: 'rows',
    head: 'Rows',
    align: 'right',
    cell: table => rowsWords(table),
    sortBy: table => table.rows_estimated,
    isSecondary: true,
    className: 'whitespace-nowrap',
  },
  { id: 'rls', head: 'Row-level security', cell: table => <Security of={table} /> },
  {
    id: 'anon',
    head: 'An anon key reaches',
    cell: ({ access }) => <AccessInShort of={access.anon} />,
    isSecondary: true,
  },
  {
    id: 'comment',
    head: 'Comment',
    cell: table => <span className="line-clamp-1">{table.comment}</span>,
    isSecondary: true,
    className: 'max-w-80',
  },
]

/** The planner's estimate. */
function rowsWords({ rows_estimated: rows }: Table): string {
  return rows === null ? '–' : `≈ ${rows.toLocaleString('en')}`
}

function Security({ of: table }: { of: Table }) {
  if (table.kind !== 'table' && table.kind !== 'partitioned_table')
    return `not for ${KINDS[table.kind].toLowerCase()}s`
  if (table.row_level_security) return <State tone="good">On</State>
  if (!isOpenToAnon(table)) return <State tone="neutral">Off</State>
  return (
    <Tooltip
      content="Anyone with an anon key reaches every row: no policy restricts it."
      render={
        <button type="button">
          <State tone="attention">Off, and open to anon</State>
        </button>
      }
    />
  )
}

export function TablesPage() {
  const query = useQuery(tablesQuery)
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  return (
    <ListPage
      title="Tables"
      lead="What the data API serves: browse the rows of a table, change a value, look at its structure."
      icon={TableIcon}
      nouns={['table', 'tables']}
      query={query}
      rowsOf={({ tables }) => tables}
      textOf={textOf}
      placeholder="Name, column or comment"
      search={search.search}
      onSearch={text => change({ search: text })}
      onShowAll={() => change({ search: undefined })}
      whenNone={{
        description:
          'A table that a migration makes in one of the served schemas (DB_SCHEMAS) is here at once.',
        contents: <LinkButton href="/database/migrations">See migrations</LinkButton>,
      }}
    >
      {(shown, { complete }) => (
        <>
          {!complete && (
            <p className="text-kumo-subtle">
              There are more tables than one list holds; these are the first.
            </p>
          )}
          {[...Map.groupBy(shown, table => table.schema)].map(([schema, ofSchema]) => (
            <Section key={schema} title={schema}>
              <DataTable
                label={`Tables of ${schema}`}
                columns={COLUMNS}
                rows={ofSchema}
                rowKey={({ name }) => name}
                href={table => tableHref(table.schema, table.name)}
                sort={search.sort}
                onSort={sort => change({ sort })}
              />
            </Section>
          ))}
        </>
      )}
    </ListPage>
  )
}

function textOf({ schema, name, comment, columns }: Table): string {
  return [schema, name, comment, ...columns.map(column => column.name)].join(' ')
}
