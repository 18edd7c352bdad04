import { Input } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { filesWords } from '../bucket-words.tsx'
import { moveFiles, namesBelowQuery } from '../queries.ts'
import { BucketSelect } from './bucket-select.tsx'

/** Another folder or bucket for files, and for folders with all that is in them; their own names stay. */
export function MoveFilesDialog({
  bucket,
  within,
  files,
  folders,
  onMoved,
  onClose,
}: {
  bucket: string
  /** The folder that they are in, with its final slash; empty: the top. */
  within: string
  files: readonly string[]
  folders: readonly string[]
  onMoved: () => void
  onClose: () => void
}) {
  const below = useQuery(namesBelowQuery(bucket, folders))
  const [to, setTo] = useState({ bucket, folder: within })
  const plain = to.folder.trim().replace(/^\/+|\/+$/g, '')
  const target = plain === '' ? '' : `${plain}/`
  const names = below.data && [...files, ...below.data]
  const isWithinItself = to.bucket === bucket && folders.some(folder => target.startsWith(folder))
  const move = async () => {
    if (names === undefined) return
    const moves = names.map(name => ({
      from: { bucket, name },
      to: { bucket: to.bucket, name: target + name.slice(within.length) },
    }))
    await moveFiles(moves)
    toasts.add({ title: `${filesWords(moves.length)} moved to “${target || to.bucket}”`, variant: 'success' })
    onMoved()
  }
  return (
    <FormDialog
      title={names === undefined ? 'Move files' : `Move ${filesWords(names.length)}`}
      lead="They go one by one, up to the first that cannot. Old addresses and signed links stop working."
      action="Move files"
      mayGo={names !== undefined && !isWithinItself && (to.bucket !== bucket || target !== within)}
      fieldOf={{ bucket_not_found: 'bucket', invalid_object_name: 'folder' }}
      onSubmit={move}
      onClose={onClose}
    >
      {errorAt => (
        <>
          {folders.length > 0 && <Loaded query={below}>{() => null}</Loaded>}
          <Input
            label="Folder"
            description="Such as ada/2026. Empty: the top of the bucket. New folders come by themselves."
            value={to.folder}
            onChange={event => setTo({ ...to, folder: event.target.value })}
            error={isWithinItself ? 'A folder cannot go into itself.' : errorAt('folder')}
            spellCheck={false}
            autoCapitalize="off"
          />
          <BucketSelect
            own={bucket}
            value={to.bucket}
            onChange={chosen => setTo({ ...to, bucket: chosen })}
            error={errorAt('bucket')}
          />
        </>
      )}
    </FormDialog>
  )
}
