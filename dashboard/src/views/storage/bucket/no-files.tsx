import { Button, Empty } from '@cloudflare/kumo'
import { FileIcon, UploadSimpleIcon } from '@phosphor-icons/react'

/** In place of a list that has nothing. `text`: the beginning of the names that were looked for. */
export function NoFiles({
  folder,
  text,
  onShowAll,
  onUpload,
}: {
  folder: string
  text: string
  onShowAll: () => void
  onUpload: () => void
}) {
  if (text !== '')
    return (
      <Empty
        icon={<FileIcon size={40} />}
        title={`No name here begins with “${text}”`}
        description="Capitals and small letters differ. What lies in folders below is found in its own folder."
        contents={<Button onClick={onShowAll}>Show all files</Button>}
      />
    )
  return (
    <Empty
      icon={<FileIcon size={40} />}
      title={folder === '' ? 'No files yet' : 'No files in this folder'}
      description={
        folder === ''
          ? 'Drop files here, or choose them. Applications upload with a key, as policies let them.'
          : 'A folder is there as long as a file is in it. Drop files here to make it.'
      }
      contents={
        <Button icon={UploadSimpleIcon} onClick={onUpload}>
          Choose files
        </Button>
      }
    />
  )
}
