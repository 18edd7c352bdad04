// What can be done with a bucket, and the dialogs of it. Each says before what will happen.

import { Button, DropdownMenu } from '@cloudflare/kumo'
import {
  BroomIcon,
  ClockCounterClockwiseIcon,
  DotsThreeIcon,
  FolderIcon,
  TrashIcon,
} from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { auditHref } from '../../../parts/audit-targets.ts'
import { bytesText } from '../../../parts/bytes.ts'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { filesWords } from '../bucket-words.tsx'
import { type Bucket, bucketsQuery, deleteBucket, emptyBucket } from '../queries.ts'
import { ChangeBucketDialog } from './change-bucket-dialog.tsx'

export function BucketActions({ of: bucket, onUploadFolder }: { of: Bucket; onUploadFolder: () => void }) {
  const navigate = useNavigate()
  const [open, setOpen] = useState<'change' | 'empty' | 'delete'>()
  const close = () => setOpen(undefined)
  const history = auditHref({ target_kind: 'bucket', target_id: bucket.id })
  return (
    <>
      <Button onClick={() => setOpen('change')}>Change</Button>
      <DropdownMenu>
        <DropdownMenu.Trigger
          render={<Button shape="square" icon={<DotsThreeIcon weight="bold" />} aria-label="More actions" />}
        />
        <DropdownMenu.Content align="end">
          <DropdownMenu.Item icon={FolderIcon} onClick={onUploadFolder}>
            Upload folder
          </DropdownMenu.Item>
          <DropdownMenu.Item icon={ClockCounterClockwiseIcon} onClick={() => void navigate({ to: history })}>
            Changes in the audit log
          </DropdownMenu.Item>
          <DropdownMenu.Separator />
          <DropdownMenu.Item icon={BroomIcon} variant="danger" onClick={() => setOpen('empty')}>
            Empty bucket
          </DropdownMenu.Item>
          <DropdownMenu.Item icon={TrashIcon} variant="danger" onClick={() => setOpen('delete')}>
            Delete bucket
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu>
      {open === 'change' && <ChangeBucketDialog of={bucket} onClose={close} />}
      {open === 'empty' && <EmptyDialog id={bucket.id} onClose={close} />}
      {open === 'delete' && <DeleteDialog id={bucket.id} onClose={close} />}
    </>
  )
}

function EmptyDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { data: buckets } = useQuery(bucketsQuery)
  const counted = buckets?.data.find(bucket => bucket.id === id)
  return (
    <ConfirmDialog
      title={`Empty bucket “${id}”?`}
      action="Empty bucket"
      name={id}
      onConfirm={async () => {
        const deleted = await emptyBucket(id)
        toasts.add({ title: `${filesWords(deleted)} of “${id}” deleted`, variant: 'success' })
      }}
      onClose={onClose}
    >
      <p>
        All files in it are deleted, in all folders
        {counted !== undefined && `: ${filesWords(counted.objects)}, ${bytesText(counted.bytes)}`}. Their
        addresses and links stop working at once.
      </p>
      <p>
        The bucket and its settings stay. Nothing here brings the files back; a restored backup of the
        database finds their bytes for STORAGE_RETENTION, 7 days by default.
      </p>
    </ConfirmDialog>
  )
}

function DeleteDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const navigate = useNavigate()
  return (
    <ConfirmDialog
      title={`Delete bucket “${id}”?`}
      action="Delete bucket"
      name={id}
      onConfirm={async () => {
        await deleteBucket(id)
        toasts.add({ title: `“${id}” is deleted`, variant: 'success' })
        await navigate({ to: '/storage' })
      }}
      onClose={onClose}
    >
      <p>Its settings are lost, and uploads into it fail. Policies that name it stay as they are.</p>
      <p>A bucket with files in it is not deleted: empty it before.</p>
    </ConfirmDialog>
  )
}
