// Webhooks: who is told of row changes, and whether they hear it.

import { Select } from '@cloudflare/kumo'
import { WebhooksLogoIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { None } from '../../parts/facts.tsx'
import { ListPage } from '../../parts/list-page.tsx'
import { Time } from '../../parts/time.tsx'
import { CreateWebhookDialog } from './create-webhook-dialog.tsx'
import { type WebhookWithStatistics, webhooksQuery } from './queries.ts'
import { SecretDialog } from './secret-dialog.tsx'
import { EVENTS } from './webhook-draft.ts'
import { healthOf, tableOf, WebhookState } from './webhook-state.tsx'

const view = getRouteApi('/webhooks')

const COLUMNS: Column<WebhookWithStatistics>[] = [
  { id: 'name', head: 'Name', cell: ({ name }) => name, sortBy: ({ name }) => name.toLowerCase() },
  { id: 'state', head: 'State', cell: webhook => <WebhookState of={webhook} />, sortBy: healthOf },
  {
    id: 'table',
    head: 'Table',
    cell: webhook => <code>{tableOf(webhook)}</code>,
    sortBy: tableOf,
    isSecondary: true,
  },
  { id: 'events', head: 'Events', cell: eventsOf, isSecondary: true, className: 'whitespace-nowrap' },
  { id: 'host', head: 'Receiver', cell: hostOf, sortBy: hostOf, isSecondary: true },
  {
    id: 'last',
    head: 'Last delivery',
    cell: ({ statistics: { last_success_at: at } }) =>
      at === null ? <None>not in 24 hours</None> : <Time at={at} />,
    sortBy: ({ statistics }) => statistics.last_success_at,
    isSecondary: true,
    className: 'whitespace-nowrap',
  },
  {
    id: 'failures',
    head: 'Failures',
    align: 'right',
    cell: ({ fail_count: count }) => count.toLocaleString('en'),
    sortBy: ({ fail_count: count }) => count,
    isSecondary: true,
  },
]

const WHAT_FOR =
  'Keep a search index, a cache or another service in step with a table: it gets a POST for each change that ' +
  'commits, and every attempt stands in a log here.'

const STATES = { all: 'All states', healthy: 'Healthy', failing: 'Failing', paused: 'Paused' }

export function WebhooksPage() {
  const query = useQuery(webhooksQuery)
  const search = view.useSearch()
  const navigate = view.useNavigate()
  // Kept here and nowhere else until the dialog is closed.
  const [made, setMade] = useState<{ id: string; name: string; secret: string | null }>()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  return (
    <>
      <ListPage
        title="Webhooks"
        lead="A webhook sends each row that is inserted, updated or deleted to a URL: signed, and at least once."
        create={{
          action: 'Create webhook',
          onOpen: () => change({ create: true }),
          dialog: search.create && (
            <CreateWebhookDialog
              onCreated={({ id, name }, secret) => setMade({ id, name, secret })}
              onClose={() => change({ create: undefined })}
            />
          ),
        }}
        icon={WebhooksLogoIcon}
        nouns={['webhook', 'webhooks']}
        query={query}
        rowsOf={({ data }) => data}
        textOf={webhook => `${webhook.name} ${webhook.id} ${tableOf(webhook)} ${webhook.url}`}
        placeholder="Name, table, URL or id"
        search={search.search}
        onSearch={text => change({ search: text })}
        filters={
          <Select
            aria-label="State"
            items={STATES}
            value={search.state ?? 'all'}
            onValueChange={state =>
              change({
                state: state === 'all' || state === null ? undefined : (state as typeof search.state),
              })
            }
          />
        }
        isShown={webhook => search.state === undefined || healthOf(webhook) === search.state}
        onShowAll={() => change({ search: undefined, state: undefined })}
        whenNone={{ description: WHAT_FOR }}
      >
        {shown => (
          <DataTable
            label="Webhooks"
            columns={COLUMNS}
            rows={shown}
            rowKey={({ id }) => id}
            href={({ id }) => `/webhooks/${id}`}
            sort={search.sort}
            onSort={sort => change({ sort })}
          />
        )}
      </ListPage>
      {made !== undefined && made.secret === null && <Navigate to="/webhooks/$id" params={{ id: made.id }} />}
      {made !== undefined && made.secret !== null && (
        <SecretDialog
          title={`Webhook “${made.name}” is created`}
          secret={made.secret}
          onClose={() => setMade({ ...made, secret: null })}
        />
      )}
    </>
  )
}

function eventsOf({ events }: WebhookWithStatistics): string {
  return events.length === EVENTS.length ? 'All changes' : events.join(', ')
}

function hostOf({ url }: WebhookWithStatistics): string {
  return URL.canParse(url) ? new URL(url).host : url
}
