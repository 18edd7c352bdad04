// Realtime: who listens to what in a project, and what they get.

import { Empty, Link, Select, Tabs } from '@cloudflare/kumo'
import { BroadcastIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { type Project, projectsQuery } from '../../parts/projects.ts'
import { usualProject } from '../../parts/realtime/project.ts'
import { Listen, type Source } from './listen.tsx'
import { realtimeQuery } from './queries.ts'
import { SourceForm } from './source-form.tsx'
import { StateOf } from './state-of.tsx'

const view = getRouteApi('/realtime')

export function RealtimePage() {
  const query = useQuery(projectsQuery)
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const projects = query.data?.data ?? []
  const project = projects.find(({ id }) => id === search.project) ?? usualProject(projects)
  return (
    <Page
      title="Realtime"
      lead="Row changes, broadcasts and presence over WebSockets: who is connected, and what they listen to."
      actions={
        project !== undefined &&
        projects.length > 1 && (
          <Select
            aria-label="Project"
            className="w-56 max-w-full"
            value={project.id}
            items={Object.fromEntries(projects.map(({ id, name }) => [id, name]))}
            onValueChange={id => navigate({ search: { ...search, project: String(id) } })}
          />
        )
      }
    >
      <Loaded query={query}>
        {() => (project === undefined ? <NoProject /> : <OfProject key={project.id} project={project} />)}
      </Loaded>
    </Page>
  )
}

function NoProject() {
  return (
    <Empty
      icon={<BroadcastIcon size={40} />}
      title="No project yet"
      description="Connections belong to the project of their key."
      contents={<Link href="/projects?create=true">Create project</Link>}
    />
  )
}

function OfProject({ project }: { project: Project }) {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const query = useQuery(realtimeQuery(project.id))
  const tab = search.tab ?? 'state'
  const source = sourceOf(search)
  const change = (changed: Partial<typeof search>) => navigate({ search: { ...search, ...changed } })
  return (
    <>
      <Tabs
        variant="underline"
        tabs={[
          { value: 'state', label: 'State' },
          { value: 'listen', label: 'Listen' },
        ]}
        value={tab}
        onValueChange={to => change({ tab: to === 'listen' ? 'listen' : undefined })}
      />
      {tab === 'state' ? (
        <Loaded query={query}>{state => <StateOf project={project} state={state} />}</Loaded>
      ) : (
        <>
          <SourceForm
            key={`of ${JSON.stringify(source)}`}
            source={source}
            topics={query.data?.topics?.map(({ topic }) => topic) ?? []}
            onListen={next =>
              change(
                next.kind === 'table'
                  ? { table: `${next.schema}.${next.name}`, topic: undefined, private: undefined }
                  : { topic: next.topic, private: next.isPrivate || undefined, table: undefined },
              )
            }
          />
          {source === undefined ? (
            <Empty
              icon={<BroadcastIcon size={40} />}
              title="Nothing is listened to"
              description="Choose a table to see its changes as they commit, or name a topic to see its broadcasts."
            />
          ) : (
            <Listen key={JSON.stringify(source)} projectId={project.id} source={source} />
          )}
        </>
      )}
    </>
  )
}

function sourceOf(search: { table?: string; topic?: string; private?: boolean }): Source | undefined {
  if (search.topic) return { kind: 'topic', topic: search.topic, isPrivate: search.private === true }
  const [, schema, name] = /^([^.]+)\.(.+)$/s.exec(search.table ?? '') ?? []
  return schema === undefined || name === undefined ? undefined : { kind: 'table', schema, name }
}
