import { Radio, SensitiveInput } from '@cloudflare/kumo'
import type { ErrorAt } from '../../parts/use-submit.ts'

export interface SecretDraft {
  kind: 'generate' | 'own' | 'none'
  own: string
}

export const GENERATED: SecretDraft = { kind: 'generate', own: '' }

/** Where deliveries are signed with: a secret that this page makes, one that is typed, or none. */
export function SecretFields({
  draft,
  onChange,
  errorAt,
}: {
  draft: SecretDraft
  onChange: (changed: Partial<SecretDraft>) => void
  errorAt: ErrorAt
}) {
  return (
    <>
      <Radio.Group
        legend="Signing secret"
        value={draft.kind}
        onValueChange={kind => onChange({ kind: kind as SecretDraft['kind'] })}
      >
        <Radio.Item value="generate" label="Generate one: it is made in this browser and shown once" />
        <Radio.Item value="own" label="Use my own" />
        <Radio.Item value="none" label="None: anybody who knows the URL could send such a POST" />
      </Radio.Group>
      {draft.kind === 'own' && (
        <SensitiveInput
          label="Own secret"
          description="Any text up to 256 characters, or whsec_ followed by base64. Kept encrypted, never shown again."
          value={draft.own}
          onValueChange={own => onChange({ own })}
          error={errorAt('secret')}
          autoComplete="off"
        />
      )}
    </>
  )
}
