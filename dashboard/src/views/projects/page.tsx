// Projects: groups of API keys, each with a status that holds for all of its keys.

import { FolderIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ListPage } from '../../parts/list-page.tsx'
import { type Project, projectsQuery } from '../../parts/projects.ts'
import { Time } from '../../parts/time.tsx'
import { CreateProjectDialog } from './create-project-dialog.tsx'
import { ProjectState } from './project-state.tsx'

const view = getRouteApi('/projects')

const COLUMNS: Column<Project>[] = [
  { id: 'name', head: 'Name', cell: ({ name }) => name, sortBy: ({ name }) => name.toLowerCase() },
  {
    id: 'state',
    head: 'State',
    cell: project => <ProjectState of={project} />,
    sortBy: ({ status }) => status,
  },
  {
    id: 'keys',
    head: 'Active keys',
    align: 'right',
    cell: project => project.active_keys.toLocaleString('en'),
    sortBy: project => project.active_keys,
  },
  {
    id: 'created',
    head: 'Created',
    cell: project => <Time at={project.created_at} />,
    sortBy: project => project.created_at,
    isSecondary: true,
  },
]

export function ProjectsPage() {
  const query = useQuery(projectsQuery)
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const [created, setCreated] = useState<string>()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  return (
    <>
      <ListPage
        title="Projects"
        lead="A project groups API keys. While it is paused, all of its keys are refused; the others go on."
        create={{
          action: 'Create project',
          onOpen: () => change({ create: true }),
          dialog: search.create && (
            <CreateProjectDialog
              onCreated={({ id }) => setCreated(id)}
              onClose={() => change({ create: undefined })}
            />
          ),
        }}
        icon={FolderIcon}
        nouns={['project', 'projects']}
        query={query}
        rowsOf={({ data }) => data}
        textOf={({ name, id }) => `${name} ${id}`}
        placeholder="Name or id"
        search={search.search}
        onSearch={text => change({ search: text })}
        onShowAll={() => change({ search: undefined })}
        whenNone={{ description: 'API keys belong to one. Make one to make keys.' }}
      >
        {shown => (
          <DataTable
            label="Projects"
            columns={COLUMNS}
            rows={shown}
            rowKey={({ id }) => id}
            href={({ id }) => `/projects/${id}`}
            sort={search.sort}
            onSort={sort => change({ sort })}
          />
        )}
      </ListPage>
      {created !== undefined && <Navigate to="/projects/$id" params={{ id: created }} />}
    </>
  )
}
