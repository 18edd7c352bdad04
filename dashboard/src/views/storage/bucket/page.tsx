// One bucket: its files, folder by folder, and the policies that guard them.

import { Button, Link, Tabs } from '@cloudflare/kumo'
import { UploadSimpleIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useRef } from 'react'
import { bytesText } from '../../../parts/bytes.ts'
import { useLeaveGuard } from '../../../parts/leave-guard.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Page } from '../../../parts/page.tsx'
import { type Bucket, bucketQuery } from '../queries.ts'
import { BucketActions } from './bucket-actions.tsx'
import { FilePanel } from './file-panel.tsx'
import { Files } from './files.tsx'
import { Policies } from './policies.tsx'
import { DropArea } from './uploads/drop-area.tsx'
import { UploadList } from './uploads/upload-list.tsx'
import { type FoundFile, useUploads } from './uploads/use-uploads.ts'

const view = getRouteApi('/storage/$bucket')

const CRUMB = <Link href="/storage">Storage</Link>

export function BucketPage() {
  const { bucket: id } = view.useParams()
  const query = useQuery(bucketQuery(id))
  return query.data === undefined ? (
    <Page title={id} crumb={CRUMB}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  ) : (
    // Of another bucket nothing is kept: no selection, no uploads.
    <Content key={id} of={query.data} query={query} />
  )
}

function Content({
  of: bucket,
  query,
}: {
  of: Bucket
  query: Parameters<typeof Loaded<Bucket>>[0]['query']
}) {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const uploads = useUploads(bucket)
  const { question } = useLeaveGuard('Stop the uploads?', () => uploads.isRunning)
  const change = (changed: Partial<typeof search>) => navigate({ search: { ...search, ...changed } })
  const { folder = '', tab = 'files' } = search
  const add = (files: readonly FoundFile[]) => {
    uploads.add(files.map(({ path, file }) => ({ path: folder + path, file })))
    if (input.current !== null) input.current.value = ''
  }
  return (
    <Page
      title={bucket.id}
      lead={leadOf(bucket)}
      crumb={CRUMB}
      actions={
        <>
          <Button variant="primary" icon={UploadSimpleIcon} onClick={() => input.current?.click()}>
            Upload files
          </Button>
          <BucketActions of={bucket} />
        </>
      }
    >
      <input
        ref={input}
        type="file"
        multiple
        aria-label="Files to upload"
        className="sr-only"
        tabIndex={-1}
        onChange={event => add([...(event.target.files ?? [])].map(file => ({ path: file.name, file })))}
      />
      <Loaded query={query}>
        {() => (
          <>
            <UploadList {...uploads} />
            <Tabs
              variant="underline"
              tabs={[
                { value: 'files', label: 'Files' },
                { value: 'policies', label: 'Policies' },
              ]}
              value={tab}
              onValueChange={to => change({ tab: to === 'policies' ? 'policies' : undefined })}
            />
            {tab === 'policies' ? (
              <Policies of={bucket} />
            ) : (
              <DropArea into={folder || bucket.id} onFiles={add}>
                <Files
                  bucket={bucket}
                  folder={folder}
                  search={search}
                  onSearch={text =>
                    navigate({ search: { ...search, search: text || undefined }, replace: true })
                  }
                  onUpload={() => input.current?.click()}
                />
              </DropArea>
            )}
          </>
        )}
      </Loaded>
      {search.object !== undefined && search.object !== '' && (
        <FilePanel
          key={search.object}
          bucket={bucket}
          name={search.object}
          onClose={() => change({ object: undefined })}
        />
      )}
      {question}
    </Page>
  )
}

function leadOf(bucket: Bucket): string {
  const { file_size_limit: limit, allowed_mime_types: types } = bucket
  const reach = bucket.public
    ? 'Public: whoever knows the name of a file reads it.'
    : 'Files are read as policies let it, or by a signed link.'
  const size = limit === null ? '' : ` At most ${bytesText(limit)} each.`
  const kinds = types === null ? '' : ` Only ${types.join(', ')}.`
  return `${reach}${size}${kinds} Here every file shows: a session acts as service_role.`
}
