// The log of a webhook: one row an attempt, read again while somebody looks.

import { Empty } from '@cloudflare/kumo'
import { ListMagnifyingGlassIcon } from '@phosphor-icons/react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { addressOf } from '../../app/address.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { None } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Time } from '../../parts/time.tsx'
import { milliseconds, Outcome } from './attempt-result.tsx'
import { DeliveryFilters } from './delivery-filters.tsx'
import { DeliveryPanel } from './delivery-panel.tsx'
import { OlderEntries } from './older-entries.tsx'
import { type Delivery, logsQuery, REFRESH_MS, type Webhook } from './queries.ts'

const view = getRouteApi('/webhooks/$id')

const COLUMNS: Column<Delivery>[] = [
  { id: 'time', head: 'Time', cell: ({ created_at: at }) => <Time at={at} withUtc /> },
  { id: 'event', head: 'Event', cell: ({ event_type: type }) => type },
  { id: 'outcome', head: 'Outcome', cell: entry => <Outcome of={entry} /> },
  {
    id: 'status',
    head: 'Status',
    align: 'right',
    cell: ({ status_code: status }) => status ?? <None>none</None>,
    isSecondary: true,
  },
  {
    id: 'latency',
    head: 'Latency',
    align: 'right',
    cell: ({ latency_ms: latency }) => milliseconds(latency),
    isSecondary: true,
  },
  {
    id: 'attempt',
    head: 'Attempt',
    align: 'right',
    cell: ({ attempt, replay_of: replayOf }) => (replayOf === null ? attempt : 'replay'),
    isSecondary: true,
  },
]

export function Deliveries({ of: webhook }: { of: Webhook }) {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const { outcome, event, from, to } = search
  const isNarrowed = outcome !== undefined || event !== undefined || Boolean(from) || Boolean(to)
  const query = useInfiniteQuery(
    logsQuery(webhook.id, { outcome, event_type: event, from: from || undefined, to: to || undefined }),
  )
  const hrefOf = (id: string) => addressOf(`/webhooks/${webhook.id}`, { ...search, delivery: id })
  return (
    <>
      <DeliveryFilters />
      <Loaded query={query}>
        {({ pages }) => {
          const entries = pages.flatMap(({ data }) => data)
          return (
            <>
              {entries.length === 0 ? (
                <Empty
                  icon={<ListMagnifyingGlassIcon size={40} />}
                  title={isNarrowed ? 'No attempt matches' : 'No deliveries yet'}
                  description={
                    isNarrowed
                      ? 'Attempts are kept for 30 days.'
                      : `Change a row of the table, or send a test. This is read again every ${REFRESH_MS / 1_000} s.`
                  }
                />
              ) : (
                <DataTable
                  label="Deliveries"
                  columns={COLUMNS}
                  rows={entries}
                  rowKey={({ id }) => id}
                  href={({ id }) => hrefOf(id)}
                  selectedKey={search.delivery}
                />
              )}
              <OlderEntries query={query} />
              {search.delivery && (
                <DeliveryPanel
                  key={search.delivery}
                  webhook={webhook}
                  id={search.delivery}
                  others={entries}
                  hrefOf={hrefOf}
                  onClose={() => navigate({ search: { ...search, delivery: undefined }, replace: true })}
                />
              )}
            </>
          )
        }}
      </Loaded>
    </>
  )
}
