import { Checkbox, Input } from '@cloudflare/kumo'
import { useRef, useState } from 'react'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { copyFile, moveFiles, type StoredObject } from '../queries.ts'
import { BucketSelect } from './bucket-select.tsx'

const FIELD_OF = { object_exists: 'to.name', invalid_object_name: 'to.name', bucket_not_found: 'to.bucket' }

/** Another name, folder or bucket for a file or for a copy of it. */
export function TransferDialog({
  of: file,
  kind,
  onMoved,
  onClose,
}: {
  of: StoredObject
  kind: 'move' | 'copy'
  /** The name that was shown is nothing's any more. */
  onMoved: () => void
  onClose: () => void
}) {
  const from = { bucket: file.bucket_id, name: file.name }
  const [to, setTo] = useState(from)
  const [replace, setReplace] = useState(false)
  // The form keeps its address until it is closed.
  const isMoved = useRef(false)
  const isCopy = kind === 'copy'
  const submit = async () => {
    if (isCopy) await copyFile(from, to, replace)
    else await moveFiles([{ from, to }])
    toasts.add({ title: isCopy ? `Copied to “${to.name}”` : `Moved to “${to.name}”`, variant: 'success' })
    isMoved.current = !isCopy
  }
  return (
    <FormDialog
      title={`${isCopy ? 'Copy' : 'Move or rename'} “${file.name}”`}
      lead={
        isCopy
          ? 'The copy is a file of its own: changing one leaves the other.'
          : 'Its old address and the signed links to it stop working: create new links afterwards.'
      }
      action={isCopy ? 'Copy file' : 'Move file'}
      mayGo={to.name !== '' && (to.name !== from.name || to.bucket !== from.bucket)}
      fieldOf={FIELD_OF}
      onSubmit={submit}
      onClose={() => (isMoved.current ? onMoved() : onClose())}
    >
      {errorAt => (
        <>
          <Input
            label="Name"
            description="With its folders, such as ada/2026/portrait.png. New folders come by themselves."
            value={to.name}
            onChange={event => setTo({ ...to, name: event.target.value })}
            error={errorAt('to.name')}
            spellCheck={false}
            autoCapitalize="off"
          />
          <BucketSelect
            own={from.bucket}
            value={to.bucket}
            onChange={bucket => setTo({ ...to, bucket })}
            error={errorAt('to.bucket')}
          />
          {isCopy && (
            <Checkbox
              label="Replace a file that has this name already"
              checked={replace}
              onCheckedChange={setReplace}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
