import { Button, Input, Select } from '@cloudflare/kumo'
import { getRouteApi } from '@tanstack/react-router'
import { fromLocalInput, toLocalInput } from '../../parts/local-time.ts'

const view = getRouteApi('/webhooks/$id')

const OUTCOMES = { all: 'All outcomes', succeeded: 'Delivered', failed: 'Failed' }
const EVENTS = { all: 'All events', INSERT: 'INSERT', UPDATE: 'UPDATE', DELETE: 'DELETE', TEST: 'TEST' }

/** What the log is narrowed to; it stands in the address. */
export function DeliveryFilters() {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  const chosen = <Value extends string>(value: string | null) =>
    value === null || value === 'all' ? undefined : (value as Value)
  const isNarrowed = search.outcome ?? search.event ?? (search.from || search.to || undefined)
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Select
        label="Outcome"
        items={OUTCOMES}
        value={search.outcome ?? 'all'}
        onValueChange={value => change({ outcome: chosen(value) })}
      />
      <Select
        label="Event"
        items={EVENTS}
        value={search.event ?? 'all'}
        onValueChange={value => change({ event: chosen(value) })}
      />
      <TimeInput label="From" value={search.from} onChange={from => change({ from })} />
      <TimeInput label="Before" value={search.to} onChange={to => change({ to })} />
      {isNarrowed !== undefined && (
        <Button
          variant="ghost"
          onClick={() => change({ outcome: undefined, event: undefined, from: undefined, to: undefined })}
        >
          Show all
        </Button>
      )}
    </div>
  )
}

function TimeInput({
  label,
  value,
  onChange,
}: {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  return (
    <Input
      label={label}
      type="datetime-local"
      value={toLocalInput(value)}
      onChange={event => onChange(fromLocalInput(event.target.value))}
      className="w-52"
    />
  )
}
