// What happened: requests, changes and deliveries in one list.

import { Button, Empty } from '@cloudflare/kumo'
import { ArrowsClockwiseIcon, ListMagnifyingGlassIcon } from '@phosphor-icons/react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { addressOf } from '../../app/address.ts'
import { keysQuery } from '../../parts/api-keys.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { LogEnd } from '../../parts/log-end.tsx'
import { setValues } from '../../parts/log-filters.tsx'
import { Page } from '../../parts/page.tsx'
import { State } from '../../parts/state.tsx'
import { Time } from '../../parts/time.tsx'
import { EntryPanel } from './entry-panel.tsx'
import { Filters } from './filters.tsx'
import { type LogEntry, logsQuery, NAMES } from './queries.ts'
import { resultOf, SOURCES, took } from './words.ts'

const view = getRouteApi('/logs')

export function LogsPage() {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const query = useInfiniteQuery(logsQuery(search))
  const keyNames = useKeyNames()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  const entries = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data])
  const routes = useMemo(() => routesOf(entries), [entries])
  const columns = useMemo(() => columnsOf(keyNames), [keyNames])
  const filters = setValues(search, NAMES)
  const isFiltered = Object.keys(filters).length > 0
  const { entry: openId, entry_source: openSource = '', entry_time: openTime = '' } = search

  return (
    <Page
      title="Logs"
      lead="Requests, changes and deliveries of webhooks, newest first. A request is here ten seconds after its answer."
      actions={
        <Button
          icon={ArrowsClockwiseIcon}
          loading={query.isRefetching && !query.isFetchingNextPage}
          onClick={() => void query.refetch()}
        >
          Refresh
        </Button>
      }
    >
      <Filters search={search} routes={routes} keyNames={keyNames} onChange={change} />
      <Loaded query={query.isFetchNextPageError ? { ...query, error: null } : query}>
        {() =>
          entries.length === 0 ? (
            <Empty
              icon={<ListMagnifyingGlassIcon size={40} />}
              title={isFiltered ? 'No entry matches' : 'Nothing has happened yet'}
              description={
                isFiltered
                  ? 'Filters match exactly. Requests are kept for seven days; of very many at once, some.'
                  : 'A call of the API adds an entry here, some ten seconds after its answer.'
              }
            />
          ) : (
            <>
              <DataTable
                label="Logs"
                columns={columns}
                rows={entries}
                rowKey={keyOf}
                href={({ id, source, time }) =>
                  addressOf('/logs', { ...filters, entry: id, entry_source: source, entry_time: time })
                }
                selectedKey={openId && openSource ? keyOf({ source: openSource, id: openId }) : undefined}
              />
              <LogEnd query={query} shown={entries.length} />
            </>
          )
        }
      </Loaded>
      {openId && openSource !== '' && (
        <EntryPanel
          at={{ source: openSource, id: openId, time: openTime }}
          of={entries.find(({ id, source }) => id === openId && source === openSource)}
          keyNames={keyNames}
          onClose={() => change({ entry: undefined, entry_source: undefined, entry_time: undefined })}
        />
      )}
    </Page>
  )
}

function keyOf({ source, id }: Pick<LogEntry, 'source' | 'id'>): string {
  return `${source} ${id}`
}

function routesOf(entries: readonly LogEntry[]): string[] {
  return [...new Set(entries.flatMap(({ source, name }) => (source === 'request' ? [name] : [])))].sort()
}

/** By id; empty while they are not there. */
function useKeyNames(): Readonly<Record<string, string>> {
  const { data } = useQuery(keysQuery)
  return useMemo(() => Object.fromEntries(data?.data.map(({ id, name }) => [id, name]) ?? []), [data])
}

function columnsOf(keyNames: Readonly<Record<string, string>>): Column<LogEntry>[] {
  return [
    { id: 'name', head: 'What', cell: entry => <Name of={entry} /> },
    { id: 'kind', head: 'Kind', cell: ({ source }) => SOURCES[source], isSecondary: true },
    { id: 'result', head: 'Result', cell: entry => <Result of={entry} />, isSecondary: true },
    {
      id: 'took',
      head: 'Took',
      align: 'right',
      cell: ({ duration_ms: duration }) => duration !== null && took(duration),
      isSecondary: true,
      className: 'whitespace-nowrap',
    },
    {
      id: 'key',
      head: 'API key',
      cell: ({ key_id: id }) =>
        id !== null && <span className="block max-w-48 truncate">{keyNames[id] ?? id}</span>,
      isSecondary: true,
    },
    { id: 'when', head: 'When', cell: ({ time }) => <Time at={time} /> },
  ]
}

function Result({ of: entry }: { of: LogEntry }) {
  const { tone, words } = resultOf(entry)
  return <State tone={tone}>{words}</State>
}

/** A phone has no columns for the rest. */
function Name({ of: entry }: { of: LogEntry }) {
  return (
    <>
      <span className="code-text wrap-anywhere">{entry.name}</span>
      <span className="flex flex-wrap gap-x-3 font-normal text-kumo-subtle md:hidden">
        {SOURCES[entry.source]}
        <Result of={entry} />
      </span>
    </>
  )
}
