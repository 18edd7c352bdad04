// The filters of the log, as they stand in the address.

import { kindLabel, TARGET_KINDS } from '../../parts/audit-targets.ts'
import { ChoiceFilter, ExactFilter, TimeFilter } from '../../parts/filter-fields.tsx'
import { LogFilters } from '../../parts/log-filters.tsx'
import { NAMES, type Filters as Search } from './queries.ts'

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
  const kind = search.target_kind
  const kinds = kind ? { ...TARGET_KINDS, [kind]: kindLabel(kind) } : TARGET_KINDS
  return (
    <LogFilters
      search={search}
      names={NAMES}
      rare={['actor_id', 'target_id', 'from', 'to', 'request_id']}
      onChange={onChange}
      more={
        <>
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
        </>
      }
    >
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
    </LogFilters>
  )
}
