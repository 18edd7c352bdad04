import { Input } from '@cloudflare/kumo'
import { useState } from 'react'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { EMPTY_DRAFT, settingsOf } from './bucket-draft.ts'
import { BucketFields } from './bucket-fields.tsx'
import { type Bucket, createBucket } from './queries.ts'

export function CreateBucketDialog({
  onCreated,
  onClose,
}: {
  onCreated: (bucket: Bucket) => void
  onClose: () => void
}) {
  const [name, setName] = useState('')
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  return (
    <FormDialog
      title="Create bucket"
      lead="Files with the same settings. Policies on storage.objects say who reaches them."
      action="Create bucket"
      onSubmit={async () => onCreated(await createBucket({ name, ...settingsOf(draft) }))}
      onClose={onClose}
    >
      {errorAt => (
        <>
          <Input
            label="Name"
            description="It stands in the addresses of its files, and cannot be changed."
            value={name}
            onChange={event => setName(event.target.value)}
            error={errorAt('name')}
            spellCheck={false}
            autoCapitalize="off"
          />
          <BucketFields
            draft={draft}
            onChange={changed => setDraft({ ...draft, ...changed })}
            errorAt={errorAt}
          />
        </>
      )}
    </FormDialog>
  )
}
