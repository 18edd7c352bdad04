import { SkeletonLine } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { filesWords, foldersWords } from '../bucket-words.tsx'
import { deleteFiles, namesBelowQuery } from '../queries.ts'

/** So many of them are named before they go. */
const NAMED_MAX = 5

/** Files, and folders with all that is in them, which is counted first. */
export function DeleteFilesDialog({
  bucket,
  files,
  folders = [],
  onDeleted,
  onClose,
}: {
  bucket: string
  files: readonly string[]
  folders?: readonly string[]
  onDeleted: () => void
  onClose: () => void
}) {
  const below = useQuery(namesBelowQuery(bucket, folders))
  const names = below.data && [...files, ...below.data]
  const shown = [...folders, ...files]
  const [first] = shown
  const what = [
    ...(folders.length > 0 ? [foldersWords(folders.length)] : []),
    ...(files.length > 0 ? [filesWords(files.length)] : []),
  ]
  const [it, its] = shown.length === 1 && folders.length === 0 ? ['it', 'Its'] : ['them', 'Their']
  return (
    <ConfirmDialog
      title={shown.length === 1 ? `Delete “${first}”?` : `Delete ${what.join(' and ')}?`}
      action={names === undefined ? 'Delete' : `Delete ${filesWords(names.length)}`}
      mayGo={names !== undefined}
      onConfirm={async () => {
        if (names === undefined) return
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
      {shown.length > 1 && (
        <p className="wrap-anywhere">
          <strong className="text-kumo-default">{shown.slice(0, NAMED_MAX).join(', ')}</strong>
          {shown.length > NAMED_MAX && ` and ${(shown.length - NAMED_MAX).toLocaleString('en')} more`}
        </p>
      )}
      {folders.length > 0 && (
        <Loaded query={below} outline={<SkeletonLine className="h-4 w-full" />}>
          {({ length }) => (
            <p>
              In {foldersWords(folders.length)}, with the folders below: {filesWords(length)}.
            </p>
          )}
        </Loaded>
      )}
      <p>
        {its} addresses and links stop working at once. Nothing here brings {it} back; a restored backup of
        the database finds the bytes for STORAGE_RETENTION, 7 days by default.
      </p>
    </ConfirmDialog>
  )
}
