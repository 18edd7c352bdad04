import { Radio } from '@cloudflare/kumo'
import { useState } from 'react'
import type { Schema } from '../../api/client.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { bodyOf, EMPTY_DRAFT, KeyFields } from './key-fields.tsx'
import { createKey } from './queries.ts'

export function CreateKeyDialog({
  onCreated,
  onClose,
}: {
  onCreated: (key: Schema<'ApiKeyWithSecret'>) => void
  onClose: () => void
}) {
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const [role, setRole] = useState<'anon' | 'service_role'>('anon')
  return (
    <FormDialog
      title="Create API key"
      action="Create key"
      onSubmit={async () => onCreated(await createKey({ ...bodyOf(draft), role }))}
      onClose={onClose}
    >
      {errorAt => (
        <>
          <Radio.Group
            legend="Role"
            value={role}
            onValueChange={value => setRole(value as typeof role)}
            error={errorAt('role')}
          >
            <Radio.Item value="anon" label="anon: policies decide what it sees; safe in a browser" />
            <Radio.Item value="service_role" label="service_role: sees every row; for servers alone" />
          </Radio.Group>
          <KeyFields
            draft={draft}
            onChange={changed => setDraft({ ...draft, ...changed })}
            errorAt={errorAt}
          />
        </>
      )}
    </FormDialog>
  )
}
