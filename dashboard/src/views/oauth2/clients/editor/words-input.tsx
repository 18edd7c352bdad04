import { TagInput } from '@cloudflare/kumo'

/** Words as tags, added with Enter, a comma or a space between them. */
export function WordsInput({
  label,
  description,
  placeholder,
  words,
  error,
  onChange,
}: {
  label: string
  description: string
  placeholder: string
  words: string[]
  error: string | undefined
  onChange: (words: string[]) => void
}) {
  return (
    <TagInput
      label={label}
      description={description}
      placeholder={placeholder}
      spellCheck={false}
      autoCapitalize="off"
      value={words}
      onValueChange={typed =>
        onChange([...new Set(typed.flatMap(text => text.split(/\s+/)))].filter(Boolean))
      }
      error={error}
    />
  )
}
