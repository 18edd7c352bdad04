import { Switch } from '@cloudflare/kumo'
import { useState } from 'react'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { createWebhook, type Webhook } from './queries.ts'
import { GENERATED, SecretFields } from './secret-fields.tsx'
import { bodyOf, EMPTY_DRAFT, generateSecret } from './webhook-draft.ts'
import { isPlausible, WebhookFields } from './webhook-fields.tsx'

/** `onCreated` gets a secret that was generated here, which nobody has seen yet; null: there is nothing to show. */
export function CreateWebhookDialog({
  onCreated,
  onClose,
}: {
  onCreated: (webhook: Webhook, secret: string | null) => void
  onClose: () => void
}) {
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const [secret, setSecret] = useState(GENERATED)
  const [isActive, setActive] = useState(true)
  const create = async () => {
    const generated = secret.kind === 'generate' ? generateSecret() : null
    const own = secret.kind === 'own' ? secret.own : null
    const body = { ...bodyOf(draft), secret: generated ?? own, active: isActive }
    onCreated(await createWebhook(body), generated)
  }
  return (
    <FormDialog
      title="Create webhook"
      action="Create webhook"
      mayGo={isPlausible(draft)}
      onSubmit={create}
      onClose={onClose}
    >
      {errorAt => (
        <>
          <WebhookFields
            draft={draft}
            onChange={changed => setDraft({ ...draft, ...changed })}
            errorAt={errorAt}
          />
          <SecretFields
            draft={secret}
            onChange={changed => setSecret({ ...secret, ...changed })}
            errorAt={errorAt}
          />
          <Switch
            label="Send from now on; off: changes are kept, for seven days at most, until it is resumed"
            checked={isActive}
            onCheckedChange={setActive}
          />
        </>
      )}
    </FormDialog>
  )
}
