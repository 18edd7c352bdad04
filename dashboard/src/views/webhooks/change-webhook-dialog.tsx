import { useState } from 'react'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { changeWebhook, type Webhook } from './queries.ts'
import { draftOf, patchOf } from './webhook-draft.ts'
import { isPlausible, WebhookFields } from './webhook-fields.tsx'

export function ChangeWebhookDialog({ of: webhook, onClose }: { of: Webhook; onClose: () => void }) {
  // As it was when this was opened: the page reads it again meanwhile.
  const [before] = useState(webhook)
  const [draft, setDraft] = useState(() => draftOf(before))
  const patch = patchOf(before, draft)
  return (
    <FormDialog
      title={`Change webhook “${before.name}”`}
      lead="Waiting events are tried at once after a change, with nine new attempts."
      action="Change webhook"
      mayGo={isPlausible(draft) && Object.keys(patch).length > 0}
      onSubmit={() => changeWebhook(before.id, patch)}
      onClose={onClose}
    >
      {errorAt => (
        <WebhookFields
          draft={draft}
          onChange={changed => setDraft({ ...draft, ...changed })}
          errorAt={errorAt}
        />
      )}
    </FormDialog>
  )
}
