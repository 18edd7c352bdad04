import { Input } from '@cloudflare/kumo'
import { errorOfList, type FieldsProps } from './fields.ts'
import { FormSection } from './form-section.tsx'
import { WordsInput } from './words-input.tsx'

const LINKS = [
  { field: 'client_uri', label: 'Home page', hint: 'https://app.example.com' },
  { field: 'logo_uri', label: 'Logo', hint: 'https://app.example.com/logo.png' },
  { field: 'tos_uri', label: 'Terms of service', hint: 'https://app.example.com/terms' },
  { field: 'policy_uri', label: 'Privacy policy', hint: 'https://app.example.com/privacy' },
] as const

/** What the consent screen shows of the application. */
export function LinkFields({ draft, onChange, errorAt }: FieldsProps) {
  return (
    <FormSection title="About it" lead="Shown on the consent screen. All of it may be left out.">
      {LINKS.map(({ field, label, hint }) => (
        <Input
          key={field}
          label={label}
          placeholder={hint}
          inputMode="url"
          value={draft[field]}
          onChange={event => onChange({ [field]: event.target.value })}
          error={errorAt(field)}
        />
      ))}
      <WordsInput
        label="Contacts"
        description="Addresses of those who answer for it; for you, not for the consent screen."
        placeholder="team@example.com"
        words={draft.contacts}
        error={errorOfList(errorAt, 'contacts', draft.contacts.length)}
        onChange={contacts => onChange({ contacts })}
      />
    </FormSection>
  )
}
