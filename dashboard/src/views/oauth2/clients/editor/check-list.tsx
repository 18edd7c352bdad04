import { Checkbox } from '@cloudflare/kumo'
import type { ReactNode } from 'react'

/** Several of a few. Chosen ones that are not among `items` stay as they are. */
export function CheckList({
  legend,
  description,
  items,
  chosen,
  error,
  className,
  onChange,
}: {
  legend: string
  description?: string
  items: readonly { value: string; label: ReactNode; disabled?: boolean }[]
  chosen: readonly string[]
  error: string | undefined
  className?: string
  onChange: (chosen: string[]) => void
}) {
  const values = items.map(({ value }) => value)
  const others = chosen.filter(value => !values.includes(value))
  const toggle = (changed: string, isChosen: boolean) =>
    onChange([...values.filter(value => (value === changed ? isChosen : chosen.includes(value))), ...others])
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 text-base font-medium">{legend}</legend>
      <div className={className ?? 'flex flex-col gap-2'}>
        {items.map(({ value, label, disabled }) => (
          <Checkbox
            key={value}
            label={label}
            disabled={disabled}
            checked={chosen.includes(value)}
            onCheckedChange={isChosen => toggle(value, isChosen)}
          />
        ))}
      </div>
      {error !== undefined && <p className="text-sm text-kumo-danger">{error}</p>}
      {description !== undefined && <p className="text-sm text-kumo-subtle">{description}</p>}
    </fieldset>
  )
}
