// What was given up of a webhook, until it is delivered after all.

import { Empty } from '@cloudflare/kumo'
import { EnvelopeIcon } from '@phosphor-icons/react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { addressOf } from '../../app/address.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { None } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { Time } from '../../parts/time.tsx'
import { DeadLetterPanel } from './dead-letter-panel.tsx'
import { DeadLetterState, reasonOf } from './dead-letter-words.tsx'
import { OlderEntries } from './older-entries.tsx'
import { type DeadLetter, deadLettersQuery, type Webhook } from './queries.ts'

const view = getRouteApi('/webhooks/$id')

const COLUMNS: Column<DeadLetter>[] = [
  { id: 'time', head: 'Given up', cell: ({ created_at: at }) => <Time at={at} withUtc /> },
  {
    id: 'event',
    head: 'Event',
    cell: ({ payload }) => (payload === null ? <None>over 1 MiB</None> : String(payload['event'])),
  },
  { id: 'state', head: 'State', cell: letter => <DeadLetterState of={letter} /> },
  { id: 'reason', head: 'Reason', cell: reasonOf, isSecondary: true },
]

export function DeadLetters({ of: webhook }: { of: Webhook }) {
  const query = useInfiniteQuery(deadLettersQuery(webhook.id))
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const openId = search.dead_letter
  const close = () => navigate({ search: { ...search, dead_letter: undefined }, replace: true })
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const letters = pages.flatMap(({ data }) => data)
        const open = letters.find(({ id }) => id === openId)
        return (
          <>
            {letters.length === 0 ? (
              <Empty
                icon={<EnvelopeIcon size={40} />}
                title="No dead letters"
                description="An event whose nine attempts have failed comes here, and is kept for 30 days."
              />
            ) : (
              <DataTable
                label="Dead letters"
                columns={COLUMNS}
                rows={letters}
                rowKey={({ id }) => id}
                href={({ id }) => addressOf(`/webhooks/${webhook.id}`, { ...search, dead_letter: id })}
                selectedKey={openId}
              />
            )}
            <OlderEntries query={query} />
            {open !== undefined && (
              <DeadLetterPanel key={open.id} webhook={webhook} of={open} onClose={close} />
            )}
            {open === undefined && openId && (
              <SidePanel title="Dead letter" onClose={close}>
                <p className="text-kumo-subtle">
                  {query.hasNextPage
                    ? `It is not among the newest ${letters.length}.`
                    : 'No dead letter has this id. They are kept for 30 days.'}
                </p>
                <OlderEntries query={query} />
              </SidePanel>
            )}
          </>
        )
      }}
    </Loaded>
  )
}
