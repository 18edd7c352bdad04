// OAuth2 clients: the applications that may ask for tokens.

import { LinkButton } from '@cloudflare/kumo'
import { AppWindowIcon, PlusIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CopyText } from '../../../parts/copy-text.tsx'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { ListPage } from '../../../parts/list-page.tsx'
import { clientsQuery } from '../../../parts/oauth/queries.ts'
import { Time } from '../../../parts/time.tsx'
import { type Client, grantsInShort, isPublic, nameOf } from './client.ts'
import { CreatePage } from './create-page.tsx'

const view = getRouteApi('/oauth2/clients')

const COLUMNS: Column<Client>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: client => <span className="line-clamp-1 wrap-anywhere">{nameOf(client)}</span>,
    sortBy: client => nameOf(client).toLowerCase(),
    className: 'min-w-44 max-w-80',
  },
  {
    id: 'client_id',
    head: 'Client id',
    cell: ({ client_id: id }) => <CopyText value={id} head={8} tail={4} label="Copy client id" />,
    sortBy: ({ client_id: id }) => id,
  },
  {
    id: 'grants',
    head: 'Grants',
    cell: ({ grant_types: grants }) => grantsInShort(grants),
    isSecondary: true,
  },
  {
    id: 'authentication',
    head: 'Authentication',
    cell: client => (isPublic(client) ? 'none: public' : client.token_endpoint_auth_method),
    sortBy: client => client.token_endpoint_auth_method,
    isSecondary: true,
    className: 'whitespace-nowrap',
  },
  {
    id: 'redirects',
    head: 'Redirects',
    align: 'right',
    cell: client => client.redirect_uris.length,
    sortBy: client => client.redirect_uris.length,
    isSecondary: true,
  },
  {
    id: 'created',
    head: 'Created',
    cell: ({ created_at: at }) => (at === null ? '' : <Time at={at} />),
    sortBy: client => client.created_at,
    isSecondary: true,
  },
]

export function ClientsPage() {
  const { create, template } = view.useSearch()
  return create ? <CreatePage template={template} /> : <ClientList />
}

const CREATE = (
  <LinkButton variant="primary" icon={PlusIcon} href="/oauth2/clients?create=true">
    Create client
  </LinkButton>
)

function ClientList() {
  const query = useQuery(clientsQuery)
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  return (
    <ListPage
      title="Clients"
      lead="The applications that may ask for tokens, and where people come back to."
      actions={CREATE}
      icon={AppWindowIcon}
      nouns={['client', 'clients']}
      query={query}
      rowsOf={clients => clients}
      textOf={({ client_name: name, client_id: id, redirect_uris: uris, grant_types: grants }) =>
        [name, id, ...uris, ...grants].join(' ')
      }
      placeholder="Name, id, redirect URI or grant"
      search={search.search}
      onSearch={text => change({ search: text })}
      onShowAll={() => change({ search: undefined })}
      whenNone={{
        description: 'An application needs one before anybody can sign in to it, or it can act for itself.',
        contents: CREATE,
      }}
    >
      {shown => (
        <DataTable
          label="Clients"
          columns={COLUMNS}
          rows={shown}
          rowKey={({ client_id: id }) => id}
          href={({ client_id: id }) => `/oauth2/clients/${encodeURIComponent(id)}`}
          sort={search.sort ?? 'name.asc'}
          onSort={sort => change({ sort })}
        />
      )}
    </ListPage>
  )
}
