import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { filesWords } from '../bucket-words.tsx'
import { deleteFiles } from '../queries.ts'

/** So many of them are named before they go. */
const NAMED_MAX = 5

export function DeleteFilesDialog({
  bucket,
  names,
  onDeleted,
  onClose,
}: {
  bucket: string
  names: readonly string[]
  onDeleted: () => void
  onClose: () => void
}) {
  return (
    <ConfirmDialog
      title={names.length === 1 ? `Delete “${names.join()}”?` : `Delete ${filesWords(names.length)}?`}
      action={`Delete ${filesWords(names.length)}`}
      onConfirm={async () => {
        const deleted = await deleteFiles(bucket, names)
        const gone = names.length - deleted
        toasts.add({
          title: `${filesWords(deleted)} deleted`,
          ...(gone === 0 ? {} : { description: `Gone before: ${filesWords(gone)}.` }),
          variant: 'success',
        })
        onDeleted()
      }}
      onClose={onClose}
    >
      {names.length > 1 && (
        <p className="wrap-anywhere">
          <strong className="text-kumo-default">{names.slice(0, NAMED_MAX).join(', ')}</strong>
          {names.length > NAMED_MAX && ` and ${(names.length - NAMED_MAX).toLocaleString('en')} more`}
        </p>
      )}
      <p>
        Addresses and links of {names.length === 1 ? 'it' : 'them'} answer 404 at once. Nothing here brings{' '}
        {names.length === 1 ? 'it' : 'them'} back; a restored backup of the database finds the bytes for
        STORAGE_RETENTION, 7 days by default.
      </p>
    </ConfirmDialog>
  )
}
