// What lies in a folder: its folders first, then its files, page by page. What is chosen can be deleted together.

import { Button, Checkbox, Empty, Input, Link } from '@cloudflare/kumo'
import { FileIcon, FolderIcon, UploadSimpleIcon } from '@phosphor-icons/react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { addressOf } from '../../../app/address.ts'
import { auditHref } from '../../../parts/audit-targets.ts'
import { bytesText } from '../../../parts/bytes.ts'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { None } from '../../../parts/facts.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Time } from '../../../parts/time.tsx'
import { type Bucket, filesQuery, type StoredObject } from '../queries.ts'
import { ChosenFiles } from './chosen-files.tsx'
import { FolderPath } from './folder-path.tsx'
import { lastPart } from './names.ts'

/** A file, or a folder: its name ends with a slash, and it has no record. */
interface Entry {
  name: string
  file: StoredObject | undefined
}

interface FilesProps {
  bucket: Bucket
  folder: string
  search: { search?: string | undefined; object?: string | undefined }
  onSearch: (text: string) => void
  onUpload: () => void
}

export function Files({ bucket, folder, search, onSearch, onUpload }: FilesProps) {
  const { search: text = '', object } = search
  const prefix = folder + text
  const query = useInfiniteQuery(filesQuery(bucket.id, prefix))
  // They belong to the list that is shown: in another folder nothing is chosen.
  const [selection, setSelection] = useState({ prefix, names: new Set<string>() })
  const chosen = selection.prefix === prefix ? selection.names : NOTHING
  const choose = (names: ReadonlySet<string>) => setSelection({ prefix, names: new Set(names) })
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-60">
          <FolderPath bucket={bucket.id} folder={folder} />
        </div>
        <Input
          type="search"
          aria-label="Names that begin with"
          placeholder="Name begins with"
          value={text}
          onChange={event => onSearch(event.target.value)}
          className="w-64 max-w-full"
          spellCheck={false}
        />
      </div>
      <Loaded query={query}>
        {({ pages }) => {
          const entries = entriesOf(pages)
          const files = entries.flatMap(({ file }) => file ?? [])
          const selected = files.filter(({ name }) => chosen.has(name))
          if (entries.length === 0)
            return <NoFiles folder={folder} text={text} onSearch={onSearch} onUpload={onUpload} />
          return (
            <div className="flex flex-col gap-3">
              <div className="flex min-h-9 flex-wrap items-center gap-3">
                <span role="status" className="text-kumo-subtle tabular-nums">
                  {countWords(entries.length - files.length, files.length, selected.length)}
                  {query.hasNextPage && ', and there are more'}
                </span>
                {selected.length > 0 && (
                  <ChosenFiles
                    bucket={bucket.id}
                    names={selected.map(({ name }) => name)}
                    onDone={() => choose(NOTHING)}
                  />
                )}
                <Link href={auditHref({ target_kind: 'object' })} className="ml-auto">
                  Changes of files, in the audit log
                </Link>
              </div>
              <FileTable
                bucket={bucket.id}
                folder={folder}
                text={text}
                entries={entries}
                openName={object}
                chosen={chosen}
                onChoose={choose}
              />
              {query.hasNextPage && (
                <Button
                  className="self-center"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  Load more
                </Button>
              )}
            </div>
          )
        }}
      </Loaded>
    </>
  )
}

const NOTHING: ReadonlySet<string> = new Set()

/** A page may shift while others write: each name once. */
function entriesOf(pages: readonly { data: StoredObject[]; folders: string[] }[]): Entry[] {
  const folders = pages.flatMap(page => page.folders.map((name): Entry => ({ name, file: undefined })))
  const files = pages.flatMap(page => page.data.map((file): Entry => ({ name: file.name, file })))
  return [...new Map([...folders, ...files].map(entry => [keyOf(entry), entry])).values()]
}

/** A file's name may end with a slash too. */
const keyOf = ({ name, file }: Entry) => `${file === undefined ? 'folder' : 'file'} ${name}`

function FileTable({
  bucket,
  folder,
  text,
  entries,
  openName,
  chosen,
  onChoose,
}: {
  bucket: string
  folder: string
  text: string
  entries: readonly Entry[]
  openName: string | undefined
  chosen: ReadonlySet<string>
  onChoose: (names: ReadonlySet<string>) => void
}) {
  const columns = useMemo(() => columnsOf(entries, chosen, onChoose), [entries, chosen, onChoose])
  const path = `/storage/${encodeURIComponent(bucket)}`
  const kept = { folder: folder || undefined, search: text || undefined }
  return (
    <DataTable
      label={`Files of ${bucket}`}
      columns={columns}
      rows={entries}
      rowKey={keyOf}
      href={({ name, file }) =>
        file === undefined ? addressOf(path, { folder: name }) : addressOf(path, { ...kept, object: name })
      }
      selectedKey={openName === undefined ? undefined : `file ${openName}`}
    />
  )
}

function columnsOf(
  entries: readonly Entry[],
  chosen: ReadonlySet<string>,
  onChoose: (names: ReadonlySet<string>) => void,
): Column<Entry>[] {
  const names = entries.flatMap(({ file }) => file?.name ?? [])
  const isAll = names.length > 0 && names.every(name => chosen.has(name))
  const toggle = (name: string) => {
    const next = new Set(chosen)
    if (!next.delete(name)) next.add(name)
    onChoose(next)
  }
  return [
    {
      id: 'chosen',
      className: 'w-10',
      isControl: true,
      head: names.length > 0 && (
        <Checkbox
          aria-label="Select all files shown"
          checked={isAll}
          indeterminate={!isAll && names.some(name => chosen.has(name))}
          onCheckedChange={() => onChoose(new Set(isAll ? [] : names))}
        />
      ),
      cell: ({ name, file }) =>
        file !== undefined && (
          <Checkbox
            aria-label={`Select ${lastPart(name)}`}
            checked={chosen.has(name)}
            onCheckedChange={() => toggle(name)}
          />
        ),
    },
    { id: 'name', head: 'Name', cell: entry => <Name of={entry} />, className: 'max-w-0 w-full' },
    {
      id: 'size',
      head: 'Size',
      align: 'right',
      cell: ({ file }) => file?.size != null && bytesText(file.size),
      className: 'whitespace-nowrap',
    },
    {
      id: 'type',
      head: 'Type',
      cell: ({ file }) => file !== undefined && (file.content_type ?? <None>no file</None>),
      isSecondary: true,
      className: 'whitespace-nowrap',
    },
    {
      id: 'changed',
      head: 'Changed',
      cell: ({ file }) => file !== undefined && <Time at={file.updated_at} />,
      isSecondary: true,
    },
  ]
}

function Name({ of: { name, file } }: { of: Entry }) {
  const Icon = file === undefined ? FolderIcon : FileIcon
  return (
    <span className="inline-flex max-w-full items-center gap-2 align-middle" title={lastPart(name)}>
      <Icon aria-label={file === undefined ? 'Folder' : 'File'} className="shrink-0 text-kumo-subtle" />
      <span className="truncate">
        {lastPart(name)}
        {file === undefined && '/'}
      </span>
    </span>
  )
}

function NoFiles({
  folder,
  text,
  onSearch,
  onUpload,
}: Pick<FilesProps, 'folder' | 'onSearch' | 'onUpload'> & { text: string }) {
  if (text !== '')
    return (
      <Empty
        icon={<FileIcon size={40} />}
        title="No name begins so"
        description="Capitals and small letters differ. Files in folders below are found in their folder."
        contents={<Button onClick={() => onSearch('')}>Show all files</Button>}
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

function countWords(folders: number, files: number, chosen: number): string {
  const fileText = `${files.toLocaleString('en')} ${files === 1 ? 'file' : 'files'}`
  if (chosen > 0) return `${chosen.toLocaleString('en')} of ${fileText} chosen`
  const folderText = `${folders.toLocaleString('en')} ${folders === 1 ? 'folder' : 'folders'}`
  return [...(folders > 0 ? [folderText] : []), ...(files > 0 ? [fileText] : [])].join(', ')
}
