// Backups with what is known of each, what to run for another one, and the branches below.

import { Banner, Empty } from '@cloudflare/kumo'
import { ArchiveIcon, GitBranchIcon, WarningIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import type { Schema } from '../../../api/client.ts'
import { bytesText } from '../../../parts/bytes.ts'
import { CopyText } from '../../../parts/copy-text.tsx'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Page, Section } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import { Time } from '../../../parts/time.tsx'
import { backupsQuery, branchesQuery } from './queries.ts'

type Backup = Schema<'Backup'>
type Branch = Schema<'Branch'>

export function BackupsPage() {
  return (
    <Page
      title="Backups"
      lead="A backup counts once it was restored for a trial. Backups and branches are made by commands, not here."
    >
      <Backups />
      <Branches />
    </Page>
  )
}

/** The name of a folder, which has the time in it. */
const PLACE_TAIL = 25

const BACKUP_COLUMNS: Column<Backup>[] = [
  {
    id: 'started_at',
    head: 'Made',
    cell: ({ started_at }) => <Time at={started_at} />,
    sortBy: ({ started_at }) => started_at,
  },
  { id: 'state', head: 'State', cell: backup => <BackupState of={backup} /> },
  {
    id: 'place',
    head: 'Place',
    cell: ({ name, location }) => (
      <CopyText value={location || name} head={0} tail={PLACE_TAIL} label="Copy the place" />
    ),
    isSecondary: true,
  },
  {
    id: 'size',
    head: 'Size',
    align: 'right',
    cell: ({ size_bytes }) => shownBytes(size_bytes),
    sortBy: ({ size_bytes }) => size_bytes,
    isSecondary: true,
  },
]

/** Neon's names are people's own words. */
const SNAPSHOT_COLUMNS: Column<Backup>[] = BACKUP_COLUMNS.map(column =>
  column.id === 'place' ? { id: 'name', head: 'Name', cell: ({ name }) => name } : column,
)

function Backups() {
  const query = useQuery(backupsQuery)
  return (
    <Loaded query={query}>
      {({ data, provider }) => {
        if (provider === 'neon')
          return (
            <RowsOrNone
              label="Snapshots of Neon"
              columns={SNAPSHOT_COLUMNS}
              rows={data}
              icon={ArchiveIcon}
              title="No snapshot yet"
              description="Neon makes them: in its console, by its API, or by a schedule."
            />
          )
        const newest = data.find(({ status }) => status === 'completed')
        return (
          <>
            {data[0]?.status === 'failed' && (
              <Banner
                variant="error"
                icon={<WarningIcon weight="fill" />}
                title="The last backup failed"
                description={data[0].error ?? ''}
              />
            )}
            <Commands
              of={
                newest === undefined
                  ? { 'Make one': 'npm run backup' }
                  : { 'Make another': 'npm run backup', 'Prove the newest': 'npm run backup:verify' }
              }
            />
            <RowsOrNone
              label="Backups"
              columns={BACKUP_COLUMNS}
              rows={data}
              icon={ArchiveIcon}
              title="No backup yet"
              description="The first one takes a command, on a machine that reaches the database."
            />
          </>
        )
      }}
    </Loaded>
  )
}

/** A list, or what is said while it is empty. */
function RowsOrNone<Row extends { id: string }>({
  label,
  columns,
  rows,
  icon: Icon,
  title,
  description,
}: {
  label: string
  columns: Column<Row>[]
  rows: Row[]
  icon: typeof ArchiveIcon
  title: string
  description: string
}) {
  return rows.length === 0 ? (
    <Empty icon={<Icon size={48} />} title={title} description={description} />
  ) : (
    <DataTable label={label} columns={columns} rows={rows} rowKey={({ id }) => id} />
  )
}

/** What to run, each to be copied. */
function Commands({ of: commands }: { of: Record<string, string> }) {
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2">
      {Object.entries(commands).map(([label, command]) => (
        <div key={command} className="flex items-center gap-2">
          <dt className="text-kumo-subtle">{label}</dt>
          <dd>
            <CopyText value={command} whole label={`Copy ${command}`} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function BackupState({ of: { status, verified_at, error } }: { of: Backup }) {
  if (status === 'running') return <State tone="busy">Running</State>
  if (status === 'failed')
    return (
      <span title={error ?? undefined}>
        <State tone="bad">Failed</State>
      </span>
    )
  if (verified_at === null) return <State tone="attention">Never restored</State>
  return (
    <State tone="good">
      Proved <Time at={verified_at} />
    </State>
  )
}

const BRANCH_COLUMNS: Column<Branch>[] = [
  {
    id: 'name',
    head: 'Branch',
    cell: ({ name, is_current }) => (is_current ? `${name} (this one)` : name),
    sortBy: ({ name }) => name,
  },
  {
    id: 'id',
    head: 'Database',
    cell: ({ id }) => <CopyText value={id} head={14} tail={14} />,
    isSecondary: true,
  },
  { id: 'state', head: 'State', cell: ({ state }) => <BranchState of={state} /> },
  {
    id: 'created_at',
    head: 'Made',
    cell: ({ created_at }) => (created_at === null ? 'not known' : <Time at={created_at} />),
    sortBy: ({ created_at }) => created_at,
    isSecondary: true,
  },
  {
    id: 'size',
    head: 'Size',
    align: 'right',
    cell: ({ size_bytes }) => shownBytes(size_bytes),
    sortBy: ({ size_bytes }) => size_bytes,
    isSecondary: true,
  },
]

function Branches() {
  const query = useQuery(branchesQuery)
  return (
    <Section title="Branches" lead="Databases beside this one that began as a copy of it, for trying things.">
      <Loaded query={query}>
        {({ data, provider }) => (
          <>
            {provider === 'postgres' && (
              <Commands of={{ 'Make one of the newest backup': 'npm run branch -- NAME' }} />
            )}
            <RowsOrNone
              label="Branches"
              columns={BRANCH_COLUMNS}
              // This database is in the list too.
              rows={data.length > 1 ? data : []}
              icon={GitBranchIcon}
              title="No branch yet"
              description="This database stands alone."
            />
          </>
        )}
      </Loaded>
    </Section>
  )
}

const BRANCH_STATES = {
  creating: { tone: 'busy', word: 'Being made' },
  resetting: { tone: 'busy', word: 'Being reset' },
  ready: { tone: 'good', word: 'Ready' },
  archived: { tone: 'neutral', word: 'Archived' },
  failed: { tone: 'bad', word: 'Cut off' },
  unknown: { tone: 'neutral', word: 'Not known' },
} as const

function BranchState({ of: state }: { of: Branch['state'] }) {
  const { tone, word } = BRANCH_STATES[state]
  return <State tone={tone}>{word}</State>
}

function shownBytes(bytes: number | null): string {
  return bytes === null ? 'not known' : bytesText(bytes)
}
