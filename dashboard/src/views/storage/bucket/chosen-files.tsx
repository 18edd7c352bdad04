import { Button } from '@cloudflare/kumo'
import { LinkIcon, TrashIcon } from '@phosphor-icons/react'
import { useState } from 'react'
import { filesWords } from '../bucket-words.tsx'
import { DeleteFilesDialog } from './delete-files-dialog.tsx'
import { LinkDialogs } from './link-dialogs.tsx'

/** What can be done with the files that are chosen. */
export function ChosenFiles({
  bucket,
  names,
  onDone,
}: {
  bucket: string
  names: readonly string[]
  onDone: () => void
}) {
  const [open, setOpen] = useState<'links' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <Button size="sm" icon={LinkIcon} onClick={() => setOpen('links')}>
        Create links
      </Button>
      <Button size="sm" variant="secondary-destructive" icon={TrashIcon} onClick={() => setOpen('delete')}>
        Delete {filesWords(names.length)}
      </Button>
      <Button size="sm" variant="ghost" onClick={onDone}>
        Clear selection
      </Button>
      {open === 'links' && <LinkDialogs bucket={bucket} names={names} onClose={close} />}
      {open === 'delete' && (
        <DeleteFilesDialog bucket={bucket} names={names} onDeleted={onDone} onClose={close} />
      )}
    </>
  )
}
