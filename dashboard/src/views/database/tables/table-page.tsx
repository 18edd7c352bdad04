// One table: its rows, or how it is made.

import { Banner, Button, Empty, Link, Tabs, Tooltip } from '@cloudflare/kumo'
import { PlusIcon, TableIcon, WarningIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { commandsWords } from '../../../parts/database/access-words.ts'
import { KINDS } from '../../../parts/database/table-facts.ts'
import { tablesQuery } from '../../../parts/database/tables-query.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Page } from '../../../parts/page.tsx'
import { isOpenToAnon } from './facts-of-tables.ts'
import { InsertPanel } from './insert-panel.tsx'
import type { Table } from './queries.ts'
import { Rows } from './rows.tsx'
import { Structure } from './structure.tsx'

const view = getRouteApi('/database/tables/$schema/$table')

export function TablePage() {
  const { schema, table: name } = view.useParams()
  const query = useQuery(tablesQuery)
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const change = (changed: Partial<typeof search>) => navigate({ search: { ...search, ...changed } })
  const table = query.data?.tables.find(each => each.schema === schema && each.name === name)
  const tab = search.tab ?? 'rows'
  return (
    <Page
      title={`${schema}.${name}`}
      lead={table && <Lead of={table} />}
      crumb={<Link href="/database/tables">Tables</Link>}
      actions={table && <InsertButton of={table} onClick={() => change({ insert: true, tab: undefined })} />}
    >
      <Loaded query={query}>
        {({ tables }) =>
          table === undefined ? (
            <Empty
              icon={<TableIcon size={40} />}
              title="Table not found"
              description={`Nothing in the served schemas is called ${schema}.${name}.`}
              contents={<Link href="/database/tables">All tables</Link>}
            />
          ) : (
            <>
              {isOpenToAnon(table) && <OpenWarning of={table} />}
              <Tabs
                variant="underline"
                tabs={[
                  { value: 'rows', label: 'Rows' },
                  { value: 'structure', label: 'Structure' },
                ]}
                value={tab}
                onValueChange={to => change({ tab: to === 'structure' ? 'structure' : undefined })}
              />
              {tab === 'structure' ? (
                <Structure of={table} tables={tables} />
              ) : (
                // Of another table nothing is kept: no selection, no rows.
                <Rows key={`${schema} ${name}`} of={table} tables={tables} />
              )}
              {search.insert && <InsertPanel of={table} onClose={() => change({ insert: undefined })} />}
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function Lead({ of: { kind, comment, columns, rows_estimated: rows } }: { of: Table }) {
  const count = rows === null ? '' : `, about ${rows.toLocaleString('en')} rows`
  return (
    <>
      {KINDS[kind]} with {columns.length} columns{count}. {comment}
    </>
  )
}

function InsertButton({ of: table, onClick }: { of: Table; onClick: () => void }) {
  const mayInsert = table.writable.includes('POST')
  const button = (
    <Button variant="primary" icon={PlusIcon} disabled={!mayInsert} onClick={onClick}>
      Insert row
    </Button>
  )
  if (mayInsert) return button
  return (
    <Tooltip
      content={
        table.kind === 'table'
          ? 'service_role has no INSERT privilege on it.'
          : `This ${KINDS[table.kind].toLowerCase()} takes no new rows, or service_role may not insert any.`
      }
      render={<span>{button}</span>}
    />
  )
}

function OpenWarning({ of: table }: { of: Table }) {
  return (
    <Banner
      variant="secondary"
      size="sm"
      icon={<WarningIcon weight="fill" className="text-kumo-warning" />}
      title="Anyone with an anon key reaches all rows"
      description={
        `${commandsWords(table.access.anon).join('. ')}. Row-level security is off. ` +
        'Turn it on in a migration, and say in policies who may see what.'
      }
    />
  )
}
