// The filters of the log, as they stand in the address.

import { Button } from '@cloudflare/kumo'
import { useState } from 'react'
import { kindLabel, TARGET_KINDS } from '../../parts/audit-targets.ts'
import { ChoiceFilter, ExactFilter, TimeFilter } from '../../parts/filter-fields.tsx'
import { type Filters as Search, setFilters } from './queries.ts'

const OUTCOMES = { succeeded: 'Succeeded', failed: 'Failed', pending: 'Unknown' }

/** `actions` are offered while an action is typed. */
export function Filters({
  search,
  actions,
  onChange,
}: {
  search: Search
  actions: readonly string[]
  onChange: (changed: Search) => void
}) {
  const isFiltered = Object.keys(setFilters(search)).length > 0
  const [isOpen, setOpen] = useState(() => RARE.some(name => Boolean(search[name])))
  const kind = search.target_kind
  const kinds = kind ? { ...TARGET_KINDS, [kind]: kindLabel(kind) } : TARGET_KINDS
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-4">
        <div className="max-lg:col-span-2">
          <ExactFilter
            label="Action"
            hint="keys.rotate"
            value={search.action}
            offered={actions}
            onCommit={action => onChange({ action })}
          />
        </div>
        <ChoiceFilter
          label="Kind of target"
          value={kind}
          items={kinds}
          onChange={chosen => onChange({ target_kind: chosen })}
        />
        <ChoiceFilter
          label="Outcome"
          value={search.outcome}
          items={OUTCOMES}
          onChange={outcome => onChange({ outcome })}
        />
        <div className="flex flex-wrap gap-2 max-lg:col-span-2">
          <Button variant="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Fewer filters' : 'More filters'}
          </Button>
          {isFiltered && (
            <Button variant="ghost" onClick={() => onChange(NONE)}>
              Clear
            </Button>
          )}
        </div>
      </div>
      {isOpen && (
        <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
          <ExactFilter
            label="Actor"
            hint="Id of a person or a key"
            value={search.actor_id}
            onCommit={id => onChange({ actor_id: id })}
          />
          <ExactFilter
            label="Target"
            hint="Its id"
            value={search.target_id}
            onCommit={id => onChange({ target_id: id })}
          />
          <TimeFilter label="From" value={search.from} onCommit={from => onChange({ from })} />
          <TimeFilter label="Before" value={search.to} onCommit={to => onChange({ to })} />
          <ExactFilter
            label="Request"
            hint="X-Request-Id"
            value={search.request_id}
            onCommit={id => onChange({ request_id: id })}
          />
        </div>
      )}
    </div>
  )
}

const RARE = ['actor_id', 'target_id', 'from', 'to', 'request_id'] as const

const NONE: Search = {
  actor_id: undefined,
  action: undefined,
  target_kind: undefined,
  target_id: undefined,
  outcome: undefined,
  request_id: undefined,
  from: undefined,
  to: undefined,
}
