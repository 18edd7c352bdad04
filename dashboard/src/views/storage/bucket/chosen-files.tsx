import { Button } from '@cloudflare/kumo'
import { ArrowRightIcon, LinkIcon, TrashIcon } from '@phosphor-icons/react'
import { useState } from 'react'
import { DeleteFilesDialog } from './delete-files-dialog.tsx'
import { LinkDialogs } from './link-dialogs.tsx'
import { MoveFilesDialog } from './move-files-dialog.tsx'

/** What can be done with the files and folders that are chosen; both by their names. */
export function ChosenFiles({
  bucket,
  within,
  files,
  folders,
  onDone,
}: {
  bucket: string
  /** The folder that is shown, with its final slash. */
  within: string
  files: readonly string[]
  folders: readonly string[]
  onDone: () => void
}) {
  const [open, setOpen] = useState<'links' | 'move' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <>
      {folders.length === 0 && (
        <Button size="sm" icon={LinkIcon} onClick={() => setOpen('links')}>
          Create {files.length === 1 ? 'link' : 'links'}
        </Button>
      )}
      <Button size="sm" icon={ArrowRightIcon} onClick={() => setOpen('move')}>
        Move
      </Button>
      <Button size="sm" variant="secondary-destructive" icon={TrashIcon} onClick={() => setOpen('delete')}>
        Delete
      </Button>
      <Button size="sm" variant="ghost" onClick={onDone}>
        Clear selection
      </Button>
      {open === 'links' && <LinkDialogs bucket={bucket} names={files} onClose={close} />}
      {open === 'move' && (
        <MoveFilesDialog
          bucket={bucket}
          within={within}
          files={files}
          folders={folders}
          onMoved={onDone}
          onClose={close}
        />
      )}
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
