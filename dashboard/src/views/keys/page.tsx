// API keys: who may call /v1, as which role, how often.

import { Button, Switch } from '@cloudflare/kumo'
import { KeyIcon, PlusIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { addressOf } from '../../app/address.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ListPage } from '../../parts/list-page.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { Time } from '../../parts/time.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeyPanel } from './key-panel.tsx'
import { KeyState } from './key-state.tsx'
import { type ApiKey, keysQuery } from './queries.ts'
import { shownKey } from './shown-key.ts'

const view = getRouteApi('/keys')

const COLUMNS: Column<ApiKey>[] = [
  { id: 'name', head: 'Name', cell: key => key.name, sortBy: key => key.name.toLowerCase() },
  { id: 'role', head: 'Role', cell: key => key.role, sortBy: key => key.role },
  {
    id: 'key',
    head: 'Key',
    cell: key => <code>{shownKey(key)}</code>,
    isSecondary: true,
  },
  { id: 'state', head: 'State', cell: key => <KeyState of={key} /> },
  {
    id: 'limit',
    head: 'Requests a minute',
    align: 'right',
    cell: key => key.rate_limit_per_minute?.toLocaleString('en') ?? 'default',
    sortBy: key => key.rate_limit_per_minute,
    isSecondary: true,
  },
  {
    id: 'last_used',
    head: 'Last used',
    cell: key => (key.last_used_at === null ? 'never' : <Time at={key.last_used_at} />),
    sortBy: key => key.last_used_at,
    isSecondary: true,
  },
]

export function KeysPage() {
  const query = useQuery(keysQuery)
  const search = view.useSearch()
  const navigate = view.useNavigate()
  // Kept here and nowhere else until the dialog is closed.
  const [secret, setSecret] = useState<{ title: string; key: string }>()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  const close = () => change({ key: undefined })
  const open = query.data?.data.find(({ id }) => id === search.key)
  const create = (
    <Button variant="primary" icon={PlusIcon} onClick={() => change({ create: true })}>
      Create key
    </Button>
  )
  return (
    <>
      <ListPage
        title="API keys"
        lead="An application sends one with every call of /v1; its role decides what the database shows."
        actions={create}
        icon={KeyIcon}
        nouns={['key', 'keys']}
        query={query}
        rowsOf={({ data }) => data}
        textOf={key => `${key.name} ${key.id} ${shownKey(key)}`}
        placeholder="Name, id or last characters"
        search={search.search}
        onSearch={text => change({ search: text })}
        filters={
          <Switch
            label="Show revoked"
            checked={search.revoked ?? false}
            onCheckedChange={revoked => change({ revoked: revoked || undefined })}
          />
        }
        isShown={key => search.revoked || key.revoked_at === null}
        onShowAll={() => change({ search: undefined, revoked: true })}
        whenNone={{
          description: 'Applications need one. anon is safe in a browser, service_role is for servers.',
          contents: create,
        }}
      >
        {shown => (
          <DataTable
            label="API keys"
            columns={COLUMNS}
            rows={shown}
            rowKey={({ id }) => id}
            href={({ id }) => addressOf('/keys', { ...search, key: id })}
            selectedKey={search.key}
            sort={search.sort}
            onSort={sort => change({ sort })}
          />
        )}
      </ListPage>
      {open !== undefined && <KeyPanel of={open} onSecret={setSecret} onClose={close} />}
      {open === undefined && search.key && query.isSuccess && (
        <SidePanel title="No such key" onClose={close}>
          <p className="text-kumo-subtle">
            No key has the id <code>{search.key}</code>, not even a revoked one.
          </p>
        </SidePanel>
      )}
      {search.create && (
        <CreateKeyDialog
          onCreated={({ name, key }) => setSecret({ title: `Key “${name}” is created`, key })}
          onClose={() => change({ create: undefined })}
        />
      )}
      {secret !== undefined && (
        <SecretOnce
          title={secret.title}
          secrets={{ 'API key': secret.key }}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  )
}
