// How each outside system does, with the time that it takes to answer.

import { useQuery } from '@tanstack/react-query'
import type { Schema } from '../../api/client.ts'
import { gatewayHealthQuery } from '../../api/platform.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/page.tsx'
import { State, type Tone } from '../../parts/state.tsx'
import { Time } from '../../parts/time.tsx'

type Health = Schema<'GatewayHealth'>
type Part = Schema<'PartHealth'>

const NAMES: Record<Part['name'], string> = {
  database: 'Postgres, as the owner',
  callers_data: 'Postgres, as callers reach it',
  sql_gateway: 'SQL gateway',
  oauth_public: 'OAuth2 server, public',
  oauth_admin: 'OAuth2 server, admin',
  identity_public: 'Identity provider, public',
  identity_admin: 'Identity provider, admin',
  permission_read: 'Permission server, read',
  permission_write: 'Permission server, write',
  queue: 'Queue of row changes',
  listener: 'Listener',
  row_changes: 'Row changes, on their way',
  storage: 'Store of files',
}

const STATES: Record<Part['state'], { tone: Tone; word: string }> = {
  up: { tone: 'good', word: 'Up' },
  down: { tone: 'bad', word: 'Down' },
  misconfigured: { tone: 'bad', word: 'Misconfigured' },
  off: { tone: 'neutral', word: 'Off' },
  unknown: { tone: 'neutral', word: 'Not known' },
}

const WHOLE: Record<Health['status'], { tone: Tone; words: string }> = {
  ok: { tone: 'good', words: 'Well' },
  degraded: { tone: 'attention', words: 'Degraded: calls with an API key are served all the same' },
  unavailable: { tone: 'bad', words: 'Unavailable: calls with an API key fail' },
}

const COLUMNS: Column<Part>[] = [
  {
    id: 'name',
    head: 'Part',
    cell: ({ name, reason }) => (
      <>
        {NAMES[name]}
        {reason !== null && (
          <span className="block max-w-[75ch] text-kumo-subtle wrap-anywhere">{reason}</span>
        )}
      </>
    ),
  },
  { id: 'state', head: 'State', cell: part => <PartState of={part} /> },
  {
    id: 'latency',
    head: 'Answers in',
    align: 'right',
    cell: ({ latency_ms: latency }) => (latency === null ? '' : `${latency.toLocaleString('en')} ms`),
  },
  {
    id: 'needed',
    head: 'Needed',
    cell: ({ needed }) => (needed ? 'by every key' : ''),
    isSecondary: true,
    className: 'whitespace-nowrap',
  },
]

export function Parts() {
  const query = useQuery(gatewayHealthQuery)
  return (
    <Section
      title="Health"
      lead="Each part is asked for two seconds at most. It is read again every 15 seconds."
      actions={query.data && <Whole of={query.data} />}
    >
      <Loaded query={query}>
        {({ parts }) => (
          <DataTable label="Parts" columns={COLUMNS} rows={parts} rowKey={({ name }) => name} />
        )}
      </Loaded>
    </Section>
  )
}

function Whole({ of: { status, time } }: { of: Health }) {
  const { tone, words } = WHOLE[status]
  return (
    <>
      <State tone={tone}>{words}</State>
      <span className="text-kumo-subtle">
        <Time at={time} />
      </span>
    </>
  )
}

/** Up with a reason: it answers, and something is wrong with it. */
function PartState({ of: { state, reason } }: { of: Part }) {
  const { tone, word } = STATES[state]
  return <State tone={state === 'up' && reason !== null ? 'attention' : tone}>{word}</State>
}
