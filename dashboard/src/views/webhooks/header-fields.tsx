import { Button, Input } from '@cloudflare/kumo'
import { PlusIcon, TrashIcon } from '@phosphor-icons/react'
import type { HeaderRow } from './webhook-draft.ts'

/** Headers as rows of name and value. A stored value is not shown: it stays until another is typed. */
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
  const add = () => {
    const key = Math.max(-1, ...rows.map(row => row.key)) + 1
    onChange([...rows, { key, name: '', value: '', isStored: false }])
  }
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
            readOnly={row.isStored}
            spellCheck={false}
          />
          <Input
            aria-label={`Value of header ${i + 1}`}
            placeholder={row.isStored ? 'Stored: type to replace it' : 'Value'}
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
      <p className="text-sm text-kumo-subtle">
        Sent with each delivery, beside Quoin’s own. Values are kept encrypted and never shown again. For
        another URL, type them anew.
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
