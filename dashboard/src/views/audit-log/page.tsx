// The audit log: who changed what, when, and what became of it.

import { Empty } from '@cloudflare/kumo'
import { ClockCounterClockwiseIcon } from '@phosphor-icons/react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { actorName, auditHref, kindLabel, targetName } from '../../parts/audit-targets.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { LogEnd } from '../../parts/log-end.tsx'
import { setValues } from '../../parts/log-filters.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { EntryPanel } from './entry-panel.tsx'
import { Filters } from './filters.tsx'
import { Outcome } from './outcome.tsx'
import { type AuditLog, auditLogsQuery, NAMES } from './queries.ts'

const view = getRouteApi('/audit-log')

const COLUMNS: Column<AuditLog>[] = [
  {
    id: 'action',
    head: 'Action',
    cell: entry => <Action of={entry} />,
  },
  { id: 'target', head: 'Target', cell: entry => <Target of={entry} />, isSecondary: true },
  { id: 'actor', head: 'Who', cell: actorName, isSecondary: true },
  { id: 'when', head: 'When', cell: entry => <When of={entry} /> },
  { id: 'outcome', head: 'Outcome', cell: entry => <Outcome of={entry} />, isSecondary: true },
]

export function AuditLogPage() {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const query = useInfiniteQuery(auditLogsQuery(search))
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  const entries = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data])
  const actions = useMemo(() => [...new Set(entries.map(({ action }) => action))].sort(), [entries])
  const filters = setValues(search, NAMES)
  const isFiltered = Object.keys(filters).length > 0

  return (
    <Page
      title="Audit log"
      lead="Every change that was made through Quoin, newest first: who made it, to what, and what changed."
    >
      <Filters search={search} actions={actions} onChange={change} />
      <Loaded query={query.isFetchNextPageError ? { ...query, error: null } : query}>
        {() =>
          entries.length === 0 ? (
            <Empty
              icon={<ClockCounterClockwiseIcon size={40} />}
              title={isFiltered ? 'No entry matches' : 'No changes yet'}
              description={
                isFiltered
                  ? 'Filters match exactly. Remove one, or choose a longer period.'
                  : 'Creating a key, changing a client or running SQL adds an entry here.'
              }
            />
          ) : (
            <>
              <DataTable
                label="Audit log"
                columns={COLUMNS}
                rows={entries}
                rowKey={({ id }) => id}
                href={({ id, request_id: request }) =>
                  auditHref({ ...filters, entry: id, entry_request: request })
                }
                selectedKey={search.entry}
              />
              <LogEnd query={query} shown={entries.length} />
            </>
          )
        }
      </Loaded>
      {search.entry && (
        <EntryPanel
          id={search.entry}
          requestId={search.entry_request ?? ''}
          of={entries.find(({ id }) => id === search.entry)}
          onClose={() => change({ entry: undefined, entry_request: undefined })}
        />
      )}
    </Page>
  )
}

/** A phone has no column for the outcome. */
function Action({ of: entry }: { of: AuditLog }) {
  return (
    <>
      <span className="code-text">{entry.action}</span>
      {entry.outcome !== 'succeeded' && (
        <span className="block md:hidden">
          <Outcome of={entry} />
        </span>
      )}
    </>
  )
}

function Target({ of: entry }: { of: AuditLog }) {
  const name = targetName(entry)
  return (
    <span className="flex max-w-72 gap-2 2xl:max-w-96">
      <span className="shrink-0 text-kumo-subtle">{kindLabel(entry.target_kind)}</span>
      <span className="truncate">{name}</span>
    </span>
  )
}

/** UTC beside it where there is room. */
function When({ of: { created_at: at } }: { of: AuditLog }) {
  return (
    <>
      <span className="max-2xl:hidden">
        <Time at={at} withUtc />
      </span>
      <span className="2xl:hidden">
        <Time at={at} />
      </span>
    </>
  )
}
