// One client: what it may do, how its tokens are, its secret, and its end. What is typed in one tab stays while
// another is looked at.

import { Link, LinkButton, Tabs } from '@cloudflare/kumo'
import { CodeIcon, PlayIcon, ScrollIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../../../../api/session.ts'
import { CopyText } from '../../../../parts/copy-text.tsx'
import { useLeaveGuard } from '../../../../parts/leave-guard.tsx'
import { Loaded } from '../../../../parts/loaded.tsx'
import { clientQuery } from '../../../../parts/oauth/queries.ts'
import { Page } from '../../../../parts/page.tsx'
import { Time } from '../../../../parts/time.tsx'
import { type Client, isPublic, nameOf } from '../client.ts'
import { type ClientDraft, changedFields, draftOf } from '../editor/draft.ts'
import { Credentials } from './credentials.tsx'
import { Danger } from './danger.tsx'
import { Settings } from './settings.tsx'
import { TAB_LABELS, TABS, type Tab } from './tabs.ts'
import { changedTokenFields, type TokenDraft, tokenDraftOf } from './token-draft.ts'
import { Tokens } from './tokens.tsx'

const view = getRouteApi('/oauth2/clients/$id')

export function ClientPage() {
  const { id } = view.useParams()
  const query = useQuery(clientQuery(id))
  if (query.data !== undefined) return <ClientRecord key={id} of={query.data} />
  return (
    <Page title="Client" crumb={<Link href="/oauth2/clients">Clients</Link>}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function ClientRecord({ of: client }: { of: Client }) {
  const { tab = 'settings' } = view.useSearch()
  const navigate = view.useNavigate()
  // What was changed lies over the record: fields that nobody touched follow the server.
  const [edited, setEdited] = useState<Partial<ClientDraft>>({})
  const [editedTokens, setEditedTokens] = useState<Partial<TokenDraft>>({})
  const settings = { ...draftOf(client), ...edited }
  const tokens = { ...tokenDraftOf(client), ...editedTokens }
  const isDirty =
    changedFields(draftOf(client), settings).length > 0 || changedTokenFields(client, tokens).length > 0
  const { question } = useLeaveGuard(`Leave “${nameOf(client)}” without saving?`, () => isDirty)
  const openTab = (value: string) => navigate({ search: { tab: value as Tab }, replace: true })

  return (
    <Page
      title={nameOf(client)}
      lead={<Lead of={client} />}
      crumb={<Link href="/oauth2/clients">Clients</Link>}
      actions={<Elsewhere of={client} />}
    >
      <Tabs
        variant="underline"
        tabs={TABS.map(value => ({ value, label: TAB_LABELS[value] }))}
        value={tab}
        onValueChange={openTab}
      />
      {tab === 'settings' && (
        <Settings
          of={client}
          draft={settings}
          onChange={changed => setEdited({ ...edited, ...changed })}
          onReplace={setEdited}
        />
      )}
      {tab === 'tokens' && (
        <Tokens
          of={client}
          draft={tokens}
          onChange={changed => setEditedTokens({ ...editedTokens, ...changed })}
          onSettled={() => setEditedTokens({})}
        />
      )}
      {tab === 'credentials' && <Credentials of={client} />}
      {tab === 'danger' && <Danger of={client} />}
      {question}
    </Page>
  )
}

function Lead({ of: client }: { of: Client }) {
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <CopyText value={client.client_id} whole label="Copy client id" />
      <span>{isPublic(client) ? 'Public: no secret, PKCE' : 'Confidential: it has a secret'}</span>
      {client.created_at !== null && (
        <span>
          created <Time at={client.created_at} />
        </span>
      )}
      {client.updated_at !== null && client.updated_at !== client.created_at && (
        <span>
          changed <Time at={client.updated_at} />
        </span>
      )}
      {client.owner !== null && <span>owner {client.owner}</span>}
    </span>
  )
}

/** What else there is of it, one click away. */
function Elsewhere({ of: { client_id: id } }: { of: Client }) {
  const { is_admin: isAdmin } = useSession()
  const audit = `/audit-log?${new URLSearchParams({ target_kind: 'oauth_client', target_id: id })}`
  const ofClient = new URLSearchParams({ client: id })
  return (
    <>
      <LinkButton icon={CodeIcon} href={`/oauth2/snippets?${ofClient}`}>
        Snippets
      </LinkButton>
      <LinkButton icon={PlayIcon} href={`/oauth2/flow-tester?${ofClient}`}>
        Flow tester
      </LinkButton>
      <LinkButton
        icon={ScrollIcon}
        href={audit}
        disabled={!isAdmin}
        title={isAdmin ? undefined : 'The audit log is for administrators only'}
      >
        Audit log
      </LinkButton>
    </>
  )
}
