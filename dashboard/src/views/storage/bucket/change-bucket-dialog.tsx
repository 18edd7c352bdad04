import { Banner } from '@cloudflare/kumo'
import { WarningIcon } from '@phosphor-icons/react'
import { useState } from 'react'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { type BucketDraft, changesOf, draftOf } from '../bucket-draft.ts'
import { BucketFields } from '../bucket-fields.tsx'
import { type Bucket, changeBucket } from '../queries.ts'

export function ChangeBucketDialog({ of: bucket, onClose }: { of: Bucket; onClose: () => void }) {
  // What it was when the dialog opened: a change of somebody else's is not undone by this one.
  const [before] = useState(bucket)
  const [draft, setDraft] = useState(() => draftOf(before))
  const changes = changesOf(before, draft)
  return (
    <FormDialog
      title={`Change bucket “${bucket.id}”`}
      lead="Limits hold for uploads from now on. Files that are there stay as they are."
      action="Change bucket"
      mayGo={Object.keys(changes).length > 0}
      onSubmit={() => changeBucket(bucket.id, changes)}
      onClose={onClose}
    >
      {errorAt => (
        <>
          <BucketFields
            draft={draft}
            onChange={changed => setDraft({ ...draft, ...changed })}
            errorAt={errorAt}
          />
          {before.public !== draft.isPublic && <WhatFollows of={draft} />}
        </>
      )}
    </FormDialog>
  )
}

function WhatFollows({ of: { isPublic } }: { of: BucketDraft }) {
  return (
    <Banner
      variant="alert"
      size="sm"
      role="status"
      icon={<WarningIcon weight="fill" />}
      title={isPublic ? 'All files in it become readable by anyone' : 'Public addresses stop working'}
      description={
        isPublic
          ? 'Without a key, past all policies, also those that were uploaded before.'
          : 'Within seconds; copies that caches and browsers hold live on until they expire.'
      }
    />
  )
}
