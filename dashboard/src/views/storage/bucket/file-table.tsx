import { FileIcon, FolderIcon } from '@phosphor-icons/react'
import { useMemo } from 'react'
import { addressOf } from '../../../app/address.ts'
import { bytesText } from '../../../parts/bytes.ts'
import { choiceColumn } from '../../../parts/choice-column.tsx'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { None } from '../../../parts/facts.tsx'
import { Time } from '../../../parts/time.tsx'
import { type Entry, keyOf } from './entries.ts'
import { lastPart } from './names.ts'

/** What lies in a folder. `kept` is what of the address stays when a file is opened. */
export function FileTable({
  bucket,
  kept,
  entries,
  isWhole,
  openName,
  chosen,
  onChoose,
  sort,
  onSort,
}: {
  bucket: string
  kept: Readonly<Record<string, string | undefined>>
  entries: readonly Entry[]
  /** False: there are more, so that an order of these alone would mislead. */
  isWhole: boolean
  openName: string | undefined
  chosen: ReadonlySet<string>
  onChoose: (keys: ReadonlySet<string>) => void
  sort: string | undefined
  onSort: (sort: string | undefined) => void
}) {
  const columns = useMemo(() => {
    const labelOf = ({ name }: Entry) => lastPart(name)
    const all = [choiceColumn({ rows: entries, keyOf, labelOf, chosen, onChoose }), ...COLUMNS]
    return isWhole ? all : all.map(({ sortBy: _, ...column }) => column)
  }, [entries, isWhole, chosen, onChoose])
  const path = `/storage/${encodeURIComponent(bucket)}`
  return (
    <DataTable
      label={`Files of ${bucket}`}
      columns={columns}
      rows={entries}
      rowKey={keyOf}
      href={({ name, file }) =>
        addressOf(path, file === undefined ? { folder: name, sort: kept['sort'] } : { ...kept, object: name })
      }
      selectedKey={openName === undefined ? undefined : `file ${openName}`}
      sort={sort}
      onSort={onSort}
    />
  )
}

/** Folders stand together, whatever the order is. */
const COLUMNS: readonly Column<Entry>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: entry => <Name of={entry} />,
    sortBy: ({ name, file }) => `${file === undefined ? 0 : 1} ${name.toLowerCase()}`,
    className: 'max-w-0 w-full',
  },
  {
    id: 'size',
    head: 'Size',
    align: 'right',
    cell: ({ file }) => file?.size != null && bytesText(file.size),
    sortBy: ({ file }) => file?.size ?? -1,
    className: 'whitespace-nowrap',
  },
  {
    id: 'type',
    head: 'Type',
    cell: ({ file }) => file !== undefined && (file.content_type ?? <None>no file</None>),
    sortBy: ({ file }) => file?.content_type,
    isSecondary: true,
    className: 'max-w-60 truncate',
  },
  {
    id: 'changed',
    head: 'Changed',
    cell: ({ file }) => file !== undefined && <Time at={file.updated_at} />,
    sortBy: ({ file }) => file?.updated_at,
    isSecondary: true,
    className: 'whitespace-nowrap',
  },
]

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
