import { useState } from 'react'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { toasts } from '../../parts/toasts.ts'
import { changeWebhook, type Webhook } from './queries.ts'
import { GENERATED, SecretFields } from './secret-fields.tsx'
import { generateSecret } from './webhook-draft.ts'

/** Sets another secret or none; `onGenerated` gets one that was made here, to show it once. */
export function ChangeSecretDialog({
  of: webhook,
  onGenerated,
  onClose,
}: {
  of: Webhook
  onGenerated: (secret: string) => void
  onClose: () => void
}) {
  const [draft, setDraft] = useState(GENERATED)
  const change = async () => {
    const secret = { generate: generateSecret(), own: draft.own, none: null }[draft.kind]
    await changeWebhook(webhook.id, { secret })
    if (secret !== null && draft.kind === 'generate') onGenerated(secret)
    else
      toasts.add({
        title: secret === null ? 'The secret is removed' : 'The secret is set',
        variant: 'success',
      })
  }
  return (
    <FormDialog
      title={`Signing secret of “${webhook.name}”`}
      lead="From the next delivery on the old secret signs nothing: let the receiver take both while it changes."
      action={draft.kind === 'none' ? 'Remove secret' : 'Set secret'}
      onSubmit={change}
      onClose={onClose}
    >
      {errorAt => (
        <SecretFields
          draft={draft}
          onChange={changed => setDraft({ ...draft, ...changed })}
          errorAt={errorAt}
        />
      )}
    </FormDialog>
  )
}
