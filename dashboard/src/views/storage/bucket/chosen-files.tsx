import { Button } from '@cloudflare/kumo'
import { LinkIcon, TrashIcon } from '@phosphor-icons/react'
import { useState } from 'react'
import { DeleteFilesDialog } from './delete-files-dialog.tsx'
import { LinkDialogs } from './link-dialogs.tsx'

/** What can be done with the files and folders that are chosen; both by their names. */
export function ChosenFiles({
  bucket,
  files,
  folders,
  onDone,
}: {
  bucket: string
  files: readonly string[]
  folders: readonly string[]
  onDone: () => void
}) {
  const [open, setOpen] = useState<'links' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <>
      {folders.length === 0 && (
        <Button size="sm" icon={LinkIcon} onClick={() => setOpen('links')}>
          Create {files.length === 1 ? 'link' : 'links'}
        </Button>
      )}
      <Button size="sm" variant="secondary-destructive" icon={TrashIcon} onClick={() => setOpen('delete')}>
        Delete
      </Button>
      <Button size="sm" variant="ghost" onClick={onDone}>
        Clear selection
      </Button>
      {open === 'links' && <LinkDialogs bucket={bucket} names={files} onClose={close} />}
      {open === 'delete' && (
        <DeleteFilesDialog
          bucket={bucket}
          files={files}
          folders={folders}
          onDeleted={onDone}
          onClose={close}
        />
      )}
    </>
  )
}
