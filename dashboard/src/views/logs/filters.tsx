// The filters of the logs, as they stand in the address.

import { Button } from '@cloudflare/kumo'
import { useState } from 'react'
import { ChoiceFilter, ExactFilter, TimeFilter } from '../../parts/filter-fields.tsx'
import { type Filters as Search, setFilters } from './queries.ts'
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
  const isFiltered = Object.keys(setFilters(search)).length > 0
  const [isOpen, setOpen] = useState(() => RARE.some(name => Boolean(search[name])))
  const key = search.key_id
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-4">
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
        <div className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-4">
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
        </div>
      )}
    </div>
  )
}

const RARE = ['request_id', 'key_id', 'from', 'to'] as const

const NONE: Search = {
  source: undefined,
  request_id: undefined,
  route: undefined,
  status: undefined,
  key_id: undefined,
  from: undefined,
  to: undefined,
}
