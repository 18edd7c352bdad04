// The filters of the log, as they stand in the address. They are exact: so they count once they are typed, on Enter or
// when the field is left.

import { Button, Input, Select } from '@cloudflare/kumo'
import { useEffect, useId, useState } from 'react'
import { kindLabel, TARGET_KINDS } from '../../parts/audit-targets.ts'
import { fromLocalInput, toLocalInput } from '../../parts/local-time.ts'
import { type Filters as Search, setFilters } from './queries.ts'

/** Not an empty text: the select takes that for a question that nobody has answered, and writes it in grey. */
const ANY = 'any'
const OUTCOMES = { [ANY]: 'Any', succeeded: 'Succeeded', failed: 'Failed', pending: 'Unknown' }

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
  const kind = search.target_kind || ANY
  const kinds = { [ANY]: 'Any', ...TARGET_KINDS, [kind]: kind === ANY ? 'Any' : kindLabel(kind) }
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-4">
        <div className="max-lg:col-span-2">
          <Exact
            label="Action"
            hint="keys.rotate"
            value={search.action}
            offered={actions}
            onCommit={action => onChange({ action })}
          />
        </div>
        <Select
          label="Kind of target"
          className="w-full"
          value={kind}
          items={kinds}
          onValueChange={value => onChange({ target_kind: chosen(value) })}
        />
        <Select
          label="Outcome"
          className="w-full"
          value={search.outcome || ANY}
          items={OUTCOMES}
          onValueChange={value => onChange({ outcome: chosen(value) as Search['outcome'] })}
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
          <Exact
            label="Actor"
            hint="Id of a person or a key"
            value={search.actor_id}
            onCommit={id => onChange({ actor_id: id })}
          />
          <Exact
            label="Target"
            hint="Its id"
            value={search.target_id}
            onCommit={id => onChange({ target_id: id })}
          />
          <Exact
            label="From"
            type="datetime-local"
            value={toLocalInput(search.from)}
            onCommit={from => onChange({ from: fromLocalInput(from) })}
          />
          <Exact
            label="Before"
            type="datetime-local"
            value={toLocalInput(search.to)}
            onCommit={to => onChange({ to: fromLocalInput(to) })}
          />
          <Exact
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

function chosen(value: string | null): string | undefined {
  return value === null || value === ANY ? undefined : value
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

function Exact({
  label,
  value = '',
  hint,
  type = 'text',
  offered,
  onCommit,
}: {
  label: string
  value: string | undefined
  hint?: string
  type?: 'text' | 'datetime-local'
  offered?: readonly string[]
  onCommit: (value: string | undefined) => void
}) {
  const [typed, setTyped] = useState(value)
  const listId = useId()
  useEffect(() => setTyped(value), [value])
  const commit = () => typed.trim() !== value && onCommit(typed.trim() || undefined)
  return (
    <>
      <Input
        label={label}
        type={type}
        placeholder={hint}
        value={typed}
        list={offered === undefined ? undefined : listId}
        autoComplete="off"
        spellCheck={false}
        onChange={event => setTyped(event.target.value)}
        onBlur={commit}
        onKeyDown={event => event.key === 'Enter' && commit()}
        className="w-full min-w-0"
      />
      {offered !== undefined && (
        <datalist id={listId}>
          {offered.map(action => (
            <option key={action} value={action} />
          ))}
        </datalist>
      )}
    </>
  )
}
