// Programs that get a token with one of the clients, in several languages, to be run as they are.

import { Empty, LinkButton } from '@cloudflare/kumo'
import { AppWindowIcon, CodeIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Loaded } from '../../../parts/loaded.tsx'
import { clientsQuery } from '../../../parts/oauth/queries.ts'
import { Page } from '../../../parts/page.tsx'
import { ClientChoice } from './client-choice.tsx'
import { Snippet } from './snippet.tsx'

const view = getRouteApi('/oauth2/snippets')

export function SnippetsPage() {
  const query = useQuery(clientsQuery)
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  return (
    <Page title="Snippets" lead="Programs that get a token with one of your clients. They run as they are.">
      <Loaded query={query}>
        {clients => {
          const client = clients.find(({ client_id: id }) => id === search.client)
          if (clients.length === 0) return <NoClients />
          return (
            <>
              <ClientChoice
                clients={clients}
                chosen={search.client}
                onChoose={id => change({ client: id })}
              />
              {client === undefined ? (
                <Empty
                  icon={<CodeIcon size={40} />}
                  title={search.client ? 'This client does not exist any more' : 'Choose a client'}
                  description="What fits depends on its grants, and on whether it has a secret."
                />
              ) : (
                <Snippet
                  of={client}
                  language={search.language}
                  flow={search.flow}
                  onChoose={({ language, flow }) => change({ language, flow })}
                />
              )}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

function NoClients() {
  return (
    <Empty
      icon={<AppWindowIcon size={40} />}
      title="No clients yet"
      description="A program needs one to ask for tokens."
      contents={
        <LinkButton variant="primary" href="/oauth2/clients?create=true">
          Create client
        </LinkButton>
      }
    />
  )
}
