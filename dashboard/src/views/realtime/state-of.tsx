// The state of realtime: how much goes through it, which channels there are, who follows which table.

import { Banner, Empty } from '@cloudflare/kumo'
import { BroadcastIcon, WarningIcon } from '@phosphor-icons/react'
import { addressOf } from '../../app/address.ts'
import { bytesText } from '../../parts/bytes.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Fact, Facts, None } from '../../parts/facts.tsx'
import { Section } from '../../parts/page.tsx'
import type { Project } from '../../parts/projects.ts'
import { Time } from '../../parts/time.tsx'
import type { RealtimeState } from './queries.ts'
import { Tiles } from './tiles.tsx'

type Topic = NonNullable<RealtimeState['topics']>[number]
type Subscription = NonNullable<RealtimeState['subscriptions']>[number]

const TOPICS: Column<Topic>[] = [
  {
    id: 'topic',
    head: 'Topic',
    cell: ({ topic }) => <code className="wrap-anywhere">{topic}</code>,
    sortBy: ({ topic }) => topic,
  },
  {
    id: 'private',
    head: 'Who may join',
    cell: topic => (topic.private ? 'As policies say' : 'Anybody with a key'),
    isSecondary: true,
  },
  {
    id: 'members',
    head: 'Members',
    align: 'right',
    cell: ({ members }) => count(members),
    sortBy: ({ members }) => members,
  },
  {
    id: 'present',
    head: 'Present',
    align: 'right',
    cell: ({ present }) => count(present),
    sortBy: ({ present }) => present,
  },
]

const SUBSCRIPTIONS: Column<Subscription>[] = [
  {
    id: 'table',
    head: 'Table',
    cell: table => <code className="wrap-anywhere">{nameOf(table)}</code>,
    sortBy: nameOf,
  },
  {
    id: 'subscribers',
    head: 'Subscribers',
    align: 'right',
    cell: ({ subscribers }) => count(subscribers),
    sortBy: ({ subscribers }) => subscribers,
  },
  {
    id: 'classes',
    head: 'Classes',
    align: 'right',
    cell: ({ classes }) => count(classes),
    sortBy: ({ classes }) => classes,
  },
]

const SILENT = <p className="text-kumo-subtle">Not known: it does not answer.</p>

export function StateOf({ project, state }: { project: Project; state: RealtimeState }) {
  const listen = (search: Record<string, string | boolean | undefined>) =>
    addressOf('/realtime', { project: project.id, tab: 'listen', ...search })
  return (
    <>
      {state.problems.map(problem => (
        <Banner
          key={problem}
          variant={state.status === 'unavailable' ? 'error' : 'alert'}
          icon={<WarningIcon weight="fill" />}
          title={problem}
        />
      ))}
      <Tiles of={state} />
      <Section
        title="Channels"
        lead="The largest hundred, each with the sockets that joined it and who is present."
      >
        <Topics
          of={state.topics}
          hrefOf={({ topic, private: isPrivate }) => listen({ topic, private: isPrivate || undefined })}
        />
      </Section>
      <Section
        title="Tables"
        lead="Subscribers with the same role and claims are a class: one question tells for all of it what it may see."
      >
        <Subscriptions of={state.subscriptions} hrefOf={table => listen({ table: nameOf(table) })} />
      </Section>
      <Section
        title="Log"
        lead="Of all projects: who was away for a while gets from here what they have missed."
      >
        <LogFacts of={state} />
      </Section>
      <Section title="Limits" lead="Who goes beyond one is told which.">
        <Facts>
          {Object.entries(state.limits).map(([name, value]) => (
            <Fact key={name} label={limitWords(name)} help={`REALTIME_${name.toUpperCase()}`}>
              {name.endsWith('bytes_max') ? bytesText(value) : count(value)}
            </Fact>
          ))}
        </Facts>
      </Section>
    </>
  )
}

function Topics({ of: topics, hrefOf }: { of: Topic[] | null; hrefOf: (topic: Topic) => string }) {
  if (topics === null) return SILENT
  if (topics.length === 0)
    return (
      <Empty
        size="sm"
        icon={<BroadcastIcon size={32} />}
        title="Nobody is connected"
        description="Applications join channels with supabase-js: the README has the lines, “Follow changes live”."
      />
    )
  return (
    <DataTable
      label="Channels"
      columns={TOPICS}
      rows={topics}
      rowKey={({ topic, private: isPrivate }) => `${topic} ${isPrivate}`}
      href={hrefOf}
    />
  )
}

function Subscriptions({
  of: subscriptions,
  hrefOf,
}: {
  of: Subscription[] | null
  hrefOf: (table: Subscription) => string
}) {
  if (subscriptions === null) return SILENT
  if (subscriptions.length === 0)
    return <p className="text-kumo-subtle">Nobody follows the changes of a table.</p>
  return (
    <DataTable
      label="Tables"
      columns={SUBSCRIPTIONS}
      rows={subscriptions.filter(({ table_name: name }) => name !== null)}
      rowKey={nameOf}
      href={hrefOf}
    />
  )
}

function LogFacts({ of: { log, position } }: { of: RealtimeState }) {
  if (log === null) return SILENT
  return (
    <Facts>
      <Fact label="Kept changes">
        {count(log.entries)}, {bytesText(log.bytes)}
      </Fact>
      <Fact label="Can be resumed from" help="Who names an older place is told to read again">
        {log.oldest_occurred_at === null ? (
          <None>nothing is kept</None>
        ) : (
          <>
            {count(log.oldest_after)}; the oldest change that is kept was made{' '}
            <Time at={log.oldest_occurred_at} />
          </>
        )}
      </Fact>
      <Fact label="Newest change">{count(log.head)}</Fact>
      <Fact label="This project was told up to">
        {position === null ? <None>not known</None> : count(position)}
      </Fact>
    </Facts>
  )
}

/** `sockets_per_key`: Sockets per key. */
function limitWords(name: string): string {
  const words = name.replace(/_bytes_max$/, '_size').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function nameOf({ table_schema: schema, table_name: name }: Subscription): string {
  return `${schema}.${name}`
}

function count(value: number): string {
  return value.toLocaleString('en')
}
