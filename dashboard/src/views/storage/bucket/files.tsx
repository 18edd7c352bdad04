// What lies in a folder: its folders first, then its files, page by page. What is chosen can be deleted together.

import { Button, Input, Link } from '@cloudflare/kumo'
import { FolderPlusIcon } from '@phosphor-icons/react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { auditHref } from '../../../parts/audit-targets.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { filesWords, foldersWords } from '../bucket-words.tsx'
import { filesQuery } from '../queries.ts'
import { ChosenFiles } from './chosen-files.tsx'
import { entriesOf, keyOf, partsOf } from './entries.ts'
import { FileTable } from './file-table.tsx'
import { FolderPath } from './folder-path.tsx'
import { NewFolderDialog } from './new-folder-dialog.tsx'
import { NoFiles } from './no-files.tsx'

interface FilesSearch {
  folder?: string | undefined
  search?: string | undefined
  object?: string | undefined
  sort?: string | undefined
}

const NOTHING: ReadonlySet<string> = new Set()

export function Files({
  bucket,
  search,
  onChange,
  onUpload,
}: {
  bucket: string
  search: FilesSearch
  /** Of the same place: nothing to go back to. */
  onChange: (changed: FilesSearch) => void
  onUpload: () => void
}) {
  const { folder = '', search: text = '', object, sort } = search
  const prefix = folder + text
  const query = useInfiniteQuery(filesQuery(bucket, prefix))
  const [isNaming, setNaming] = useState(false)
  // They belong to the list that is shown: in another folder nothing is chosen.
  const [selection, setSelection] = useState({ prefix, keys: NOTHING })
  const chosen = selection.prefix === prefix ? selection.keys : NOTHING
  const choose = (keys: ReadonlySet<string>) => setSelection({ prefix, keys })
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-60">
          <FolderPath bucket={bucket} folder={folder} />
        </div>
        <div className="flex max-w-full gap-2">
          <Input
            type="search"
            aria-label="Names that begin with"
            placeholder="Name begins with"
            value={text}
            onChange={event => onChange({ search: event.target.value || undefined })}
            className="w-64 min-w-0"
            spellCheck={false}
          />
          <Button icon={FolderPlusIcon} onClick={() => setNaming(true)}>
            New folder
          </Button>
        </div>
      </div>
      <Loaded query={query}>
        {({ pages }) => {
          const entries = entriesOf(pages)
          if (entries.length === 0)
            return (
              <NoFiles
                folder={folder}
                text={text}
                onShowAll={() => onChange({ search: undefined })}
                onUpload={onUpload}
              />
            )
          const selected = entries.filter(entry => chosen.has(keyOf(entry)))
          return (
            <div className="flex flex-col gap-3">
              <div className="flex min-h-9 flex-wrap items-center gap-3">
                <span role="status" className="text-kumo-subtle tabular-nums">
                  {selected.length > 0 ? `${countWords(selected)} chosen` : countWords(entries)}
                  {query.hasNextPage && ', and there are more'}
                </span>
                {selected.length > 0 && (
                  <ChosenFiles
                    bucket={bucket}
                    within={folder}
                    {...partsOf(selected)}
                    onDone={() => choose(NOTHING)}
                  />
                )}
                <Link href={auditHref({ target_kind: 'object' })} className="ml-auto">
                  Changes of files in the audit log
                </Link>
              </div>
              <FileTable
                bucket={bucket}
                kept={{ folder: folder || undefined, search: text || undefined, sort }}
                entries={entries}
                isWhole={!query.hasNextPage}
                openName={object}
                chosen={chosen}
                onChoose={choose}
                sort={sort}
                onSort={to => onChange({ sort: to })}
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
      {isNaming && <NewFolderDialog bucket={bucket} within={folder} onClose={() => setNaming(false)} />}
    </>
  )
}

function countWords(entries: Parameters<typeof partsOf>[0]): string {
  const { folders, files } = partsOf(entries)
  return [
    ...(folders.length > 0 ? [foldersWords(folders.length)] : []),
    ...(files.length > 0 ? [filesWords(files.length)] : []),
  ].join(', ')
}
