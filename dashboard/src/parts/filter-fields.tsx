// Fields that narrow a log. What is typed is compared exactly: so it counts once it is typed, on Enter or when the
// field is left.

import { Input, Select } from '@cloudflare/kumo'
import { useEffect, useId, useState } from 'react'
import { fromLocalInput, toLocalInput } from './local-time.ts'

/** Not an empty text: the select takes that for a question that nobody has answered, and writes it in grey. */
const ANY = 'any'

/** One of several, or any: undefined. */
export function ChoiceFilter<Value extends string>({
  label,
  value,
  items,
  onChange,
}: {
  label: string
  value: Value | '' | undefined
  items: Readonly<Record<Value, string>>
  onChange: (value: Value | undefined) => void
}) {
  return (
    <Select
      label={label}
      className="w-full"
      value={value || ANY}
      items={{ [ANY]: 'Any', ...items }}
      onValueChange={chosen => onChange(chosen === null || chosen === ANY ? undefined : (chosen as Value))}
    />
  )
}

/** `offered` are shown while it is typed. */
export function ExactFilter({
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
          {offered.map(each => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  )
}

/** A time in the viewer's zone; `value` is ISO 8601. */
export function TimeFilter({
  label,
  value,
  onCommit,
}: {
  label: string
  value: string | undefined
  onCommit: (value: string | undefined) => void
}) {
  return (
    <ExactFilter
      label={label}
      type="datetime-local"
      value={toLocalInput(value)}
      onCommit={typed => onCommit(fromLocalInput(typed))}
    />
  )
}
