// The schema: how the tables belong together, as a picture and as a list.

import { Empty, Input, LinkButton } from '@cloudflare/kumo'
import { TreeStructureIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import type { Schema } from '../../../api/client.ts'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { schemaQuery } from '../../../parts/database/schema-query.ts'
import { tableHref } from '../../../parts/database/table-facts.ts'
import { Loaded, Outline } from '../../../parts/loaded.tsx'
import { Page, Section } from '../../../parts/page.tsx'
import { diagramOf, idOf } from './model.ts'
import { Types } from './types.tsx'

const view = getRouteApi('/database/schema')
const Diagram = lazy(() => import('./diagram.tsx').then(module => ({ default: module.Diagram })))

export function SchemaPage() {
  const query = useQuery(schemaQuery)
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  return (
    <Page
      title="Schema"
      lead="How the tables belong together: each foreign key is a line, dashed where it is one to one."
    >
      <Input
        type="search"
        aria-label="Search tables"
        placeholder="Table: it is drawn with its neighbours"
        value={search.search ?? ''}
        onChange={event => change({ search: event.target.value || undefined })}
        className="w-80 max-w-full"
      />
      <Loaded query={query} outline={<Outline rows={10} />}>
        {schema => (
          <Drawn
            of={schema}
            text={search.search ?? ''}
            sort={search.sort}
            onSort={sort => change({ sort })}
          />
        )}
      </Loaded>
    </Page>
  )
}

function Drawn({
  of: schema,
  text,
  sort,
  onSort,
}: {
  of: Schema<'DatabaseSchema'>
  text: string
  sort: string | undefined
  onSort: (sort: string | undefined) => void
}) {
  const { tables, complete } = schema
  const diagram = useMemo(() => diagramOf(tables, text), [tables, text])
  const drawn = new Set(diagram.edges.map(({ id }) => id))
  const keys = tables
    .filter(({ partition_of: whole }) => whole === null)
    .flatMap(from => from.foreign_keys.map(key => ({ from, key })))
    .filter(({ from, key }) => text === '' || drawn.has(`${idOf(from.schema, from.name)} ${key.name}`))
  if (diagram.nodes.length === 0)
    return (
      <Empty
        icon={<TreeStructureIcon size={40} />}
        title={tables.length === 0 ? 'No tables yet' : 'No table matches'}
        description="A table that a migration makes in one of the served schemas (DB_SCHEMAS) is here at once."
        contents={<LinkButton href="/database/migrations">See migrations</LinkButton>}
      />
    )
  return (
    <>
      {!complete && (
        <p className="text-kumo-subtle">There is more in the schemas than is told; this is the first.</p>
      )}
      {diagram.isCut && (
        <p className="text-kumo-subtle">
          The first {diagram.nodes.length} tables are drawn. Search for one to see it with its neighbours.
        </p>
      )}
      <section aria-label="Diagram of the schema">
        <Suspense fallback={<Outline rows={10} />}>
          <Diagram of={diagram} />
        </Suspense>
      </section>
      {keys.length > 0 && (
        <Section title="Relationships">
          <DataTable
            label="Relationships"
            columns={COLUMNS}
            rows={keys}
            rowKey={({ from, key }) => `${from.schema}.${from.name} ${key.name}`}
            href={({ from }) => tableHref(from.schema, from.name, { tab: 'structure' })}
            sort={sort}
            onSort={onSort}
          />
        </Section>
      )}
      <Types of={schema} text={text} />
    </>
  )
}

interface Key {
  from: { schema: string; name: string }
  key: Schema<'ForeignKey'>
}

const COLUMNS: Column<Key>[] = [
  {
    id: 'from',
    head: 'Table',
    cell: ({ from, key }) => (
      <span className="wrap-anywhere">
        {from.schema}.{from.name} ({key.columns.join(', ')})
      </span>
    ),
    sortBy: ({ from }) => `${from.schema}.${from.name}`,
  },
  {
    id: 'to',
    head: 'Refers to',
    cell: ({ key: { references } }) => (
      <span className="wrap-anywhere">
        {references.schema}.{references.table} ({references.columns.join(', ')})
      </span>
    ),
    sortBy: ({ key: { references } }) => `${references.schema}.${references.table}`,
  },
  {
    id: 'kind',
    head: 'Kind',
    cell: ({ key }) => (key.one_to_one ? 'one to one' : 'many to one'),
    sortBy: ({ key }) => String(key.one_to_one),
    isSecondary: true,
  },
  { id: 'on_delete', head: 'When that is deleted', cell: ({ key }) => key.on_delete, isSecondary: true },
]
