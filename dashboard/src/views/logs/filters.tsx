// The filters of the logs, as they stand in the address.

import { ChoiceFilter, ExactFilter, TimeFilter } from '../../parts/filter-fields.tsx'
import { LogFilters } from '../../parts/log-filters.tsx'
import { NAMES, type Filters as Search } from './queries.ts'
import { SOURCES } from './words.ts'

const STATUSES = ['2xx', '3xx', '4xx', '5xx']

/** `routes` are offered while a route is typed; `keyNames` are by id. */
export function Filters({
  search,
  routes,
  keyNames,
  onChange,
}: {
  search: Search
  routes: readonly string[]
  keyNames: Readonly<Record<string, string>>
  onChange: (changed: Search) => void
}) {
  const key = search.key_id
  return (
    <LogFilters
      search={search}
      names={NAMES}
      rare={['request_id', 'key_id', 'from', 'to']}
      onChange={onChange}
      more={
        <>
          <ExactFilter
            label="Request"
            hint="X-Request-Id"
            value={search.request_id}
            onCommit={id => onChange({ request_id: id })}
          />
          <ChoiceFilter
            label="API key"
            value={key}
            items={key ? { [key]: key, ...keyNames } : keyNames}
            onChange={id => onChange({ key_id: id })}
          />
          <TimeFilter label="From" value={search.from} onCommit={from => onChange({ from })} />
          <TimeFilter label="Before" value={search.to} onCommit={to => onChange({ to })} />
        </>
      }
    >
      <ChoiceFilter
        label="Kind"
        value={search.source}
        items={SOURCES}
        onChange={source => onChange({ source })}
      />
      <ExactFilter
        label="Status"
        hint="404, or 5xx"
        value={search.status}
        offered={STATUSES}
        onCommit={status => onChange({ status })}
      />
      <div className="max-lg:col-span-2">
        <ExactFilter
          label="Route"
          hint="GET /v1/db/:table"
          value={search.route}
          offered={routes}
          onCommit={route => onChange({ route })}
        />
      </div>
    </LogFilters>
  )
}
