import { Input } from '@cloudflare/kumo'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { FormDialog } from '../../../parts/form-dialog.tsx'

/** Goes into a folder that is not there yet: the first file that is uploaded makes it. */
export function NewFolderDialog({
  bucket,
  within,
  onClose,
}: {
  bucket: string
  /** With its final slash; empty: at the top. */
  within: string
  onClose: () => void
}) {
  const [name, setName] = useState('')
  const navigate = useNavigate()
  const isMade = useRef(false)
  const plain = name.trim().replace(/^\/+|\/+$/g, '')
  const isNone = plain.split('/').some(part => part === '.' || part === '..')
  const close = () => {
    onClose()
    if (!isMade.current) return
    void navigate({ to: '/storage/$bucket', params: { bucket }, search: { folder: `${within}${plain}/` } })
  }
  return (
    <FormDialog
      title="New folder"
      lead="It opens empty. The first file that is uploaded there makes it; without one it is not kept."
      action="Open new folder"
      size="base"
      mayGo={plain !== '' && !isNone}
      onSubmit={async () => {
        isMade.current = true
      }}
      onClose={close}
    >
      {() => (
        <Input
          label="Name"
          description={within === '' ? 'At the top of the bucket.' : `Within ${within}`}
          value={name}
          onChange={event => setName(event.target.value)}
          error={isNone ? 'No folder can be called “.” or “..”.' : undefined}
          spellCheck={false}
          autoCapitalize="off"
        />
      )}
    </FormDialog>
  )
}
