import { Button, Input } from '@cloudflare/kumo'
import { PlusIcon, TrashIcon } from '@phosphor-icons/react'
import { type HeaderRow, looksSecret } from './webhook-draft.ts'

/** Headers as rows of name and value, and what is to be known of values that look like credentials. */
export function HeaderFields({
  rows,
  onChange,
  error,
}: {
  rows: readonly HeaderRow[]
  onChange: (rows: HeaderRow[]) => void
  error: string | undefined
}) {
  const set = (key: number, changed: Partial<HeaderRow>) =>
    onChange(rows.map(row => (row.key === key ? { ...row, ...changed } : row)))
  const add = () =>
    onChange([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, name: '', value: '' }])
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Headers</legend>
      {rows.map((row, i) => (
        <div key={row.key} className="flex items-center gap-2">
          <Input
            aria-label={`Name of header ${i + 1}`}
            placeholder="Name"
            value={row.name}
            onChange={event => set(row.key, { name: event.target.value })}
            className="w-full min-w-0 flex-2"
            spellCheck={false}
          />
          <Input
            aria-label={`Value of header ${i + 1}`}
            placeholder="Value"
            value={row.value}
            onChange={event => set(row.key, { value: event.target.value })}
            className="w-full min-w-0 flex-3"
            autoComplete="off"
            spellCheck={false}
          />
          <Button
            variant="ghost"
            shape="square"
            icon={<TrashIcon />}
            aria-label={`Remove header ${i + 1}`}
            onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
          />
        </div>
      ))}
      <p role="status" className="text-sm text-kumo-subtle">
        {rows.some(looksSecret)
          ? 'This looks like a credential. Values are stored and shown as they are, to everybody who may use this ' +
            'dashboard and to every service_role key: use one that is good for this receiver alone.'
          : 'Sent with each delivery, beside Quoin’s own. Their values stay readable here.'}
      </p>
      {error !== undefined && (
        <p role="alert" className="text-sm text-kumo-danger">
          {error}
        </p>
      )}
      <div>
        <Button size="sm" icon={PlusIcon} onClick={add}>
          Add header
        </Button>
      </div>
    </fieldset>
  )
}
