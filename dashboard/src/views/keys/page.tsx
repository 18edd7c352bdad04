// API keys: who may call /v1, as which role, how often.

import { Select, Switch } from '@cloudflare/kumo'
import { KeyIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { addressOf } from '../../app/address.ts'
import { keysQuery } from '../../parts/api-keys.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { KeyState } from '../../parts/keys/key-state.tsx'
import { shownKey } from '../../parts/keys/shown-key.ts'
import { ListPage } from '../../parts/list-page.tsx'
import { type Project, projectsQuery } from '../../parts/projects.ts'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { Time } from '../../parts/time.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeyPanel } from './key-panel.tsx'
import type { ApiKey } from './queries.ts'

const view = getRouteApi('/keys')

/** In place of an id: keys of every project. */
const ANY = 'any'

/** Which project each key is of is worth a column where there are several. */
function columnsOf(projects: ReadonlyMap<string, Project>): Column<ApiKey>[] {
  const nameOf = (key: ApiKey) => projects.get(key.project_id)?.name ?? key.project_id
  const project: Column<ApiKey> = {
    id: 'project',
    head: 'Project',
    cell: nameOf,
    sortBy: key => nameOf(key).toLowerCase(),
    isSecondary: true,
  }
  return [
    { id: 'name', head: 'Name', cell: key => key.name, sortBy: key => key.name.toLowerCase() },
    ...(projects.size > 1 ? [project] : []),
    { id: 'role', head: 'Role', cell: key => key.role, sortBy: key => key.role },
    {
      id: 'key',
      head: 'Key',
      cell: key => <code>{shownKey(key)}</code>,
      isSecondary: true,
    },
    {
      id: 'state',
      head: 'State',
      cell: key => <KeyState of={key} project={projects.get(key.project_id)} />,
    },
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
}

export function KeysPage() {
  const query = useQuery(keysQuery)
  // Without it the list is as good as with one project.
  const { data: projectList } = useQuery(projectsQuery)
  const projects = useMemo(() => new Map(projectList?.data.map(each => [each.id, each])), [projectList])
  const columns = useMemo(() => columnsOf(projects), [projects])
  const search = view.useSearch()
  const navigate = view.useNavigate()
  // Kept here and nowhere else until the dialog is closed.
  const [secret, setSecret] = useState<{ title: string; key: string }>()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  const close = () => change({ key: undefined })
  const open = query.data?.data.find(({ id }) => id === search.key)
  return (
    <>
      <ListPage
        title="API keys"
        lead="An application sends one with every call of /v1; its role decides what the database shows."
        create={{
          action: 'Create key',
          onOpen: () => change({ create: true }),
          dialog: search.create && (
            <CreateKeyDialog
              projects={[...projects.values()]}
              projectId={search.project}
              onCreated={({ name, key }) => setSecret({ title: `Key “${name}” is created`, key })}
              onClose={() => change({ create: undefined })}
            />
          ),
        }}
        icon={KeyIcon}
        nouns={['key', 'keys']}
        query={query}
        rowsOf={({ data }) => data}
        textOf={key => `${key.name} ${key.id} ${shownKey(key)}`}
        placeholder="Name, id or last characters"
        search={search.search}
        onSearch={text => change({ search: text })}
        filters={
          <>
            {projects.size > 1 && (
              <Select
                aria-label="Project"
                className="w-44"
                value={search.project ?? ANY}
                onValueChange={id => change({ project: id === ANY ? undefined : (id ?? undefined) })}
                items={[
                  { value: ANY, label: 'Any project' },
                  ...Array.from(projects.values(), ({ id, name }) => ({ value: id, label: name })),
                ]}
              />
            )}
            <Switch
              label="Show revoked"
              checked={search.revoked ?? false}
              onCheckedChange={revoked => change({ revoked: revoked || undefined })}
            />
          </>
        }
        isShown={key =>
          (search.revoked || key.revoked_at === null) &&
          (!search.project || key.project_id === search.project)
        }
        onShowAll={() => change({ search: undefined, project: undefined, revoked: true })}
        whenNone={{
          description: 'Applications need one. anon is safe in a browser, service_role is for servers.',
        }}
      >
        {shown => (
          <DataTable
            label="API keys"
            columns={columns}
            rows={shown}
            rowKey={({ id }) => id}
            href={({ id }) => addressOf('/keys', { ...search, key: id })}
            selectedKey={search.key}
            sort={search.sort}
            onSort={sort => change({ sort })}
          />
        )}
      </ListPage>
      {open !== undefined && (
        <KeyPanel
          of={open}
          project={projects.get(open.project_id)}
          isOneOfSeveral={projects.size > 1}
          onSecret={setSecret}
          onClose={close}
        />
      )}
      {open === undefined && search.key && query.isSuccess && (
        <SidePanel title="No such key" onClose={close}>
          <p className="text-kumo-subtle">
            No key has the id <code>{search.key}</code>, not even a revoked one.
          </p>
        </SidePanel>
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
