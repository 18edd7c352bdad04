// One project: whether its keys are let in, and which keys these are.

import { Banner, Empty, Link } from '@cloudflare/kumo'
import { KeyIcon, PauseCircleIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Schema } from '../../api/client.ts'
import { addressOf } from '../../app/address.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { KeyState } from '../../parts/keys/key-state.tsx'
import { shownKey } from '../../parts/keys/shown-key.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page, Section } from '../../parts/page.tsx'
import type { Project } from '../../parts/projects.ts'
import { Time } from '../../parts/time.tsx'
import { ProjectActions } from './project-actions.tsx'
import { ProjectState } from './project-state.tsx'
import { type ProjectDetail, projectQuery } from './queries.ts'

type ApiKey = Schema<'ApiKey'>

const view = getRouteApi('/projects/$id')

export function ProjectPage() {
  const { id } = view.useParams()
  const query = useQuery(projectQuery(id))
  return (
    <Page
      title={query.data?.name ?? 'Project'}
      lead="Its API keys share its status: while it is paused, all of them are refused."
      crumb={<Link href="/projects">Projects</Link>}
      actions={query.data && <ProjectActions of={query.data} />}
    >
      <Loaded query={query}>{project => <Record of={project} />}</Loaded>
    </Page>
  )
}

function Record({ of: project }: { of: ProjectDetail }) {
  const audit = new URLSearchParams({ target_kind: 'project', target_id: project.id })
  return (
    <>
      {project.status === 'paused' && (
        <Banner
          variant="alert"
          icon={<PauseCircleIcon weight="fill" />}
          title="This project is paused"
          description="Calls with its keys get 403 project_paused until an administrator resumes it."
        />
      )}
      <Facts>
        <Fact label="State">
          <ProjectState of={project} />
        </Fact>
        <Fact label="Id" help="project_id of its keys">
          <CopyText value={project.id} whole />
        </Fact>
        <Fact label="Active keys" help="Neither revoked nor expired">
          {project.active_keys.toLocaleString('en')}
        </Fact>
        <Fact label="Tables" help="Of the database, which all projects share">
          <Link href="/database/tables">{project.tables.total.toLocaleString('en')}</Link>
        </Fact>
        <Fact label="Created">
          <Time at={project.created_at} />
        </Fact>
        <Fact label="Changed" help="Its name or status">
          <Time at={project.updated_at} />
        </Fact>
      </Facts>
      <Link href={`/audit-log?${audit}`}>Its changes in the audit log</Link>
      <Keys of={project} />
    </>
  )
}

function Keys({ of: project }: { of: ProjectDetail }) {
  const { id, keys, status } = project
  const columns = useMemo(() => columnsOf({ status }), [status])
  const create = (
    <Link href={addressOf('/keys', { project: id, create: true })}>Create a key of this project</Link>
  )
  return (
    <Section title="API keys" lead="Revoked and expired ones included, newest first." actions={create}>
      {keys.total === 0 ? (
        <Empty
          icon={<KeyIcon size={40} />}
          title="No keys yet"
          description="Applications call with the keys of their project."
          contents={create}
        />
      ) : (
        <DataTable
          label="API keys"
          columns={columns}
          rows={keys.data}
          rowKey={key => key.id}
          href={key =>
            addressOf('/keys', { project: id, key: key.id, revoked: key.revoked_at !== null || undefined })
          }
        />
      )}
      {keys.total > keys.data.length && (
        <p className="text-kumo-subtle">
          The newest {keys.data.length.toLocaleString('en')} of {keys.total.toLocaleString('en')}.{' '}
          <Link href={addressOf('/keys', { project: id, revoked: true })}>Show all keys of this project</Link>
        </p>
      )}
    </Section>
  )
}

function columnsOf(project: Pick<Project, 'status'>): Column<ApiKey>[] {
  return [
    { id: 'name', head: 'Name', cell: key => key.name, sortBy: key => key.name.toLowerCase() },
    { id: 'role', head: 'Role', cell: key => key.role, sortBy: key => key.role },
    { id: 'key', head: 'Key', cell: key => <code>{shownKey(key)}</code>, isSecondary: true },
    { id: 'state', head: 'State', cell: key => <KeyState of={key} project={project} /> },
    {
      id: 'last_used',
      head: 'Last used',
      cell: key => (key.last_used_at === null ? 'never' : <Time at={key.last_used_at} />),
      sortBy: key => key.last_used_at,
      isSecondary: true,
    },
  ]
}
