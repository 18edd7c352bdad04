// A text with suggestions of what is there; any other text is taken too.

import { Autocomplete } from '@cloudflare/kumo'
import type { ReactNode } from 'react'

/** Long lists are cut: whoever types on narrows them. */
const SHOWN_MAX = 50

export function SuggestedInput({
  label,
  value,
  onChange,
  items,
  placeholder,
  description,
  error,
  onPick,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  items: readonly string[]
  placeholder?: string
  description?: ReactNode
  error?: string
  /** Called beside `onChange` when a suggestion is taken. */
  onPick?: (value: string) => void
}) {
  const words = value.trim().toLowerCase()
  const shown = items.filter(item => item.toLowerCase().includes(words)).slice(0, SHOWN_MAX)
  return (
    <Autocomplete
      label={label}
      description={description}
      error={error}
      items={shown}
      filter={null}
      value={value}
      onValueChange={(next, details) => {
        onChange(next)
        if (details.reason === 'item-press') onPick?.(next)
      }}
    >
      <Autocomplete.InputGroup placeholder={placeholder} />
      {shown.length > 0 && (
        <Autocomplete.Content>
          <Autocomplete.List>
            {(item: string) => (
              <Autocomplete.Item key={item} value={item}>
                <span className="wrap-anywhere">{item}</span>
              </Autocomplete.Item>
            )}
          </Autocomplete.List>
        </Autocomplete.Content>
      )}
    </Autocomplete>
  )
}
