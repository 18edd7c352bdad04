// Migrations: what is applied, what is pending and what it would do, and the button that runs it.

import { Button, Empty, Tabs } from '@cloudflare/kumo'
import { MagnifyingGlassIcon, PlayIcon, StackIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { None } from '../../../parts/facts.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Page, Section } from '../../../parts/page.tsx'
import { SidePanel } from '../../../parts/side-panel.tsx'
import { Time } from '../../../parts/time.tsx'
import { DetectPanel } from './detect-panel.tsx'
import { FindingList } from './finding-list.tsx'
import { FrameworkFacts } from './framework-facts.tsx'
import { MigrationPanel } from './migration-panel.tsx'
import { MigrationState } from './migration-state.tsx'
import { MomentSection } from './moment-section.tsx'
import { checkQuery, type Migration, type MigrationStatus, statusQuery } from './queries.ts'
import { RunDialog } from './run-dialog.tsx'

const view = getRouteApi('/database/migrations')

const COLUMNS: Column<Migration>[] = [
  {
    id: 'name',
    head: 'Migration',
    cell: ({ name }) => <span className="code-text wrap-anywhere">{name}</span>,
  },
  { id: 'state', head: 'State', cell: migration => <MigrationState of={migration} /> },
  {
    id: 'applied',
    head: 'Applied',
    cell: ({ applied_at: at }) => (at === null ? <None>not yet</None> : <Time at={at} />),
    isSecondary: true,
  },
]

const NO_FILES =
  'Put a schema change into a file such as migrations/0001_create-notes.sql. It appears here once the Worker is ' +
  'built with it: automatically under npm run dev, otherwise by npm run deploy.'

export function MigrationsPage() {
  const query = useQuery(statusQuery)
  const navigate = view.useNavigate()
  const search = view.useSearch()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  const pending = query.data?.summary.pending ?? 0
  return (
    <Page
      title="Migrations"
      lead="The files this deployment was built with. A run is one transaction, unless a file opts out."
      actions={
        <>
          <Button icon={MagnifyingGlassIcon} onClick={() => change({ detect: true })}>
            Detect schema
          </Button>
          <Button
            variant="primary"
            icon={PlayIcon}
            disabled={pending === 0}
            title={query.data !== undefined && pending === 0 ? 'No pending migrations' : undefined}
            onClick={() => change({ run: true })}
          >
            Run pending{pending > 0 && ` (${pending})`}
          </Button>
        </>
      }
    >
      <Loaded query={query}>{status => <Content status={status} />}</Loaded>
    </Page>
  )
}

function Content({ status }: { status: MigrationStatus }) {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  // Of the dialog that runs: one file out of its panel, or else all that are pending.
  const [chosen, setChosen] = useState<string>()
  const { migrations, summary } = status
  const check = useQuery({ ...checkQuery, enabled: summary.pending > 0 })
  const pending = migrations.filter(({ state }) => state === 'pending')
  const shown = migrations.filter(({ state }) => search.state === undefined || state === search.state)
  const open = migrations.find(({ name }) => name === search.file)
  const outside = check.data?.outsideTransaction ?? []
  return (
    <>
      {summary.pending > 0 && <MomentSection query={check} />}
      <Section title="Files">
        {migrations.length === 0 ? (
          <Empty icon={<StackIcon size={40} />} title="No migrations yet" description={NO_FILES} />
        ) : (
          <>
            <Tabs
              size="sm"
              value={search.state ?? 'all'}
              onValueChange={state =>
                change({ state: state === 'all' ? undefined : (state as Migration['state']) })
              }
              tabs={[
                { value: 'all', label: `All ${migrations.length}` },
                { value: 'pending', label: `Pending ${summary.pending}` },
                { value: 'applied', label: `Applied ${summary.applied}` },
                { value: 'modified', label: `Modified ${summary.modified}` },
                { value: 'orphaned', label: `Orphaned ${summary.orphaned}` },
              ]}
            />
            <DataTable
              label="Migrations"
              columns={columnsWith(outside)}
              rows={shown}
              rowKey={({ name }) => name}
              href={({ name }) => addressOf(name, search.state)}
              selectedKey={search.file}
            />
          </>
        )}
      </Section>
      {check.data !== undefined && summary.pending > 0 && (
        <Section title="What a run would do" lead="Read from the pending files; nothing was run.">
          <FindingList findings={check.data.findings} />
        </Section>
      )}
      <FrameworkFacts of={status} />
      {open !== undefined && (
        <MigrationPanel
          key={open.name}
          of={open}
          isOutside={outside.includes(open.name)}
          findings={check.data?.findings.filter(({ file }) => file === open.name) ?? []}
          onRun={() => {
            setChosen(open.name)
            void change({ file: undefined, run: true })
          }}
          onClose={() => change({ file: undefined })}
        />
      )}
      {open === undefined && search.file && (
        <SidePanel title={search.file} onClose={() => change({ file: undefined })}>
          <Empty
            icon={<StackIcon size={40} />}
            title="Migration not found"
            description="This deployment has no file of that name, and none was applied."
          />
        </SidePanel>
      )}
      {search.run && (
        <RunDialog
          pending={pending}
          check={check}
          chosen={chosen === undefined ? undefined : [chosen]}
          onClose={() => {
            setChosen(undefined)
            void change({ run: undefined })
          }}
        />
      )}
      {search.detect && (
        <DetectPanel
          files={migrations.filter(({ state }) => state !== 'orphaned')}
          onClose={() => change({ detect: undefined })}
        />
      )}
    </>
  )
}

function addressOf(file: string, state: Migration['state'] | undefined): string {
  return `/database/migrations?${new URLSearchParams({ ...(state && { state }), file })}`
}

/** Which files ask for no transaction is known where the check has evaluated them. */
function columnsWith(outside: readonly string[]): Column<Migration>[] {
  return [
    ...COLUMNS,
    {
      id: 'note',
      head: 'Note',
      cell: ({ name, problem }) =>
        problem ?? (outside.includes(name) ? 'Outside a transaction' : <None>{''}</None>),
      isSecondary: true,
    },
  ]
}
