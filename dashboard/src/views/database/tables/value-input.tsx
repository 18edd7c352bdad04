// What a value is typed into, by its type.

import { Input, InputArea, Select } from '@cloudflare/kumo'
import { CodeEditor } from '../../../parts/code-editor.tsx'
import { isJson } from './drafts.ts'
import { isNumeric } from './facts-of-tables.ts'
import type { Column } from './queries.ts'

/** Longer texts, and those of several lines, get a field of several lines. */
const LINE_LENGTH_MAX = 60

interface ValueInputProps {
  id: string
  column: Column
  text: string
  isNull: boolean
  /** False: it can be read here, not typed. */
  isEditable: boolean
  /** What an empty field means. */
  placeholder: string
  isInvalid: boolean
  describedBy: string
  onChange: (text: string) => void
}

export function ValueInput(props: ValueInputProps) {
  const { id, column, text, isNull, isEditable, placeholder, isInvalid, describedBy, onChange } = props
  const variant = isInvalid ? 'error' : 'default'
  if (column.generated) {
    return <Input id={id} value={text} placeholder={placeholder} disabled className="code-text!" />
  }
  const labels = column.type === 'boolean' ? ['true', 'false'] : column.enum_values
  if (labels !== null) {
    return (
      <Select
        id={id}
        aria-label={column.name}
        aria-invalid={isInvalid}
        aria-describedby={describedBy}
        className="w-full [&_[data-placeholder]]:text-kumo-subtle!"
        value={labels.includes(text) && !isNull ? text : null}
        placeholder={placeholder}
        onValueChange={value => value !== null && onChange(value)}
        items={Object.fromEntries(labels.map(label => [label, label]))}
      />
    )
  }
  if (isJson(column)) {
    return (
      <div aria-invalid={isInvalid}>
        <CodeEditor
          label={column.name}
          language="json"
          value={text}
          hint={placeholder}
          isReadOnly={!isEditable}
          className="max-h-72 min-h-9"
          onChange={onChange}
        />
      </div>
    )
  }
  const common = {
    id,
    variant,
    placeholder,
    value: text,
    readOnly: !isEditable,
    'aria-invalid': isInvalid,
    'aria-describedby': describedBy,
    className: 'w-full code-text!',
  } as const
  if (text.length > LINE_LENGTH_MAX || text.includes('\n'))
    return <InputArea {...common} autoResize maxRows={16} onChange={event => onChange(event.target.value)} />
  return (
    <Input
      {...common}
      inputMode={isNumeric(column.type) ? 'decimal' : 'text'}
      onChange={event => onChange(event.target.value)}
      onPaste={event => pasteLines(event, onChange)}
    />
  )
}

/** A field of one line would drop the ends of lines that are pasted. */
function pasteLines(event: React.ClipboardEvent<HTMLInputElement>, onChange: (text: string) => void): void {
  const pasted = event.clipboardData.getData('text/plain')
  if (!pasted.includes('\n')) return
  event.preventDefault()
  const { value, selectionStart, selectionEnd } = event.currentTarget
  onChange(value.slice(0, selectionStart ?? 0) + pasted + value.slice(selectionEnd ?? value.length))
}
