// How much goes through, in four figures.

import { LayerCard } from '@cloudflare/kumo'
import type { RealtimeState } from './queries.ts'

export function Tiles({ of: { connections, channels, log, counts } }: { of: RealtimeState }) {
  const seconds = log?.changes_per_second ?? []
  const inAll = seconds.reduce((sum, each) => sum + each, 0)
  const most = Math.max(0, ...seconds)
  return (
    <ul className="grid grid-cols-2 gap-3 lg:grid-cols-4" aria-label="At a glance">
      <Tile
        label="Connections"
        value={connections}
        note={channels === null ? '' : `in ${channels.toLocaleString('en')} channels`}
      />
      <Tile
        label="Changes in the last minute"
        value={log && inAll}
        note={`of all projects; ${most.toLocaleString('en')} in the busiest second`}
      />
      <Tile
        label="Deliveries"
        value={counts?.deliveries ?? null}
        note={
          counts === null
            ? ''
            : `since the hub woke up, of changes (${counts.changes.toLocaleString('en')}) and messages (` +
              `${counts.messages.toLocaleString('en')})`
        }
      />
      <Tile
        label="Statements a change"
        value={counts && (counts.changes === 0 ? 0 : counts.statements / counts.changes)}
        note="that ask the policies who may see it"
      />
    </ul>
  )
}

function Tile({ label, value, note }: { label: string; value: number | null; note: string }) {
  return (
    <li className="flex">
      <LayerCard className="flex flex-1 flex-col gap-1 p-4">
        <span className="text-kumo-subtle">{label}</span>
        {value === null ? (
          'not known'
        ) : (
          <span className="text-2xl font-semibold tabular-nums">
            {value.toLocaleString('en', { maximumFractionDigits: 2 })}
          </span>
        )}
        <span className="text-sm text-kumo-subtle">{note}</span>
      </LayerCard>
    </li>
  )
}
