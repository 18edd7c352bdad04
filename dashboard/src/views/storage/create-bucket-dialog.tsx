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
      lead="A bucket holds files with the same settings. Policies on storage.objects say who reaches them."
      action="Create bucket"
      mayGo={name !== ''}
      fieldOf={{ bucket_exists: 'name', invalid_bucket_name: 'name' }}
      onSubmit={async () => onCreated(await createBucket({ name, ...settingsOf(draft) }))}
      onClose={onClose}
    >
      {errorAt => (
        <>
          <Input
            label="Name"
            description="Part of the addresses of its files: it cannot be changed later."
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
