import { Autocomplete } from '@cloudflare/kumo'
import { useState } from 'react'
import { type Completion, completionsOf } from './template-paths.ts'

/** A template, with the paths that it may use offered from `{{` on. */
export function TemplateField({
  label,
  value,
  paths,
  onChange,
}: {
  label: string
  value: string
  paths: readonly string[]
  onChange: (template: string) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const completions = completionsOf(value, paths)
  return (
    <Autocomplete
      label={<span className="sr-only">{label}</span>}
      items={completions}
      // Open with nothing in it, it would hide the page from those who do not see it.
      open={isOpen && completions.length > 0}
      onOpenChange={setOpen}
      value={value}
      onValueChange={onChange}
      itemToStringValue={(item: Completion) => item.template}
      filter={() => true}
      openOnInputClick
    >
      <Autocomplete.InputGroup placeholder="{{traits.email}}" className="w-full code-text!" />
      <Autocomplete.Content>
        <Autocomplete.List>
          {(item: Completion) => (
            <Autocomplete.Item key={item.path} value={item}>
              <code>{`{{${item.path}}}`}</code>
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Content>
    </Autocomplete>
  )
}
