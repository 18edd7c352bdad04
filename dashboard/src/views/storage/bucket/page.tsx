// One bucket: its files, folder by folder, and the policies that guard them.

import { Button, Link, Tabs } from '@cloudflare/kumo'
import { UploadSimpleIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ApiError } from '../../../api/errors.ts'
import { bytesText } from '../../../parts/bytes.ts'
import { useLeaveGuard } from '../../../parts/leave-guard.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Page } from '../../../parts/page.tsx'
import { type Bucket, bucketQuery } from '../queries.ts'
import { BucketActions } from './bucket-actions.tsx'
import { FilePanel } from './file-panel.tsx'
import { Files } from './files.tsx'
import { NoBucket } from './no-bucket.tsx'
import { Policies } from './policies.tsx'
import { DropArea } from './uploads/drop-area.tsx'
import { UploadList } from './uploads/upload-list.tsx'
import { useFileChoice } from './uploads/use-file-choice.tsx'
import { type FoundFile, useUploads } from './uploads/use-uploads.ts'

const view = getRouteApi('/storage/$bucket')

const CRUMB = <Link href="/storage">Storage</Link>

export function BucketPage() {
  const { bucket: id } = view.useParams()
  const query = useQuery(bucketQuery(id))
  const isGone = query.error instanceof ApiError && query.error.code === 'bucket_not_found'
  if (query.data === undefined || isGone)
    return (
      <Page title={id} crumb={CRUMB}>
        {isGone ? <NoBucket id={id} /> : <Loaded query={query}>{() => null}</Loaded>}
      </Page>
    )
  // Of another bucket nothing is kept: no selection, no uploads.
  return <Content key={id} of={query.data} query={query} />
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
  const uploads = useUploads(bucket)
  const { question } = useLeaveGuard('Stop the uploads?', () => uploads.isRunning, undefined, {
    text: 'Files that are not there yet are not uploaded. Those that are stay.',
    action: 'Stop uploads',
  })
  const change = (changed: Partial<typeof search>, replace = false) =>
    navigate({ search: { ...search, ...changed }, replace })
  const { folder = '', tab = 'files' } = search
  const add = (files: readonly FoundFile[]) =>
    uploads.add(files.map(({ path, file }) => ({ path: folder + path, file })))
  const { input, chooseFiles, chooseFolder } = useFileChoice(add)
  return (
    <Page
      title={bucket.id}
      lead={leadOf(bucket)}
      crumb={CRUMB}
      actions={
        <>
          <Button variant="primary" icon={UploadSimpleIcon} onClick={chooseFiles}>
            Upload files
          </Button>
          <BucketActions of={bucket} onUploadFolder={chooseFolder} />
        </>
      }
    >
      {input}
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
                  bucket={bucket.id}
                  search={search}
                  onChange={changed => change(changed, true)}
                  onUpload={chooseFiles}
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

/** Of more types the last are left out: the dialog that changes them has them all. */
const TYPES_SHOWN = 4

function leadOf(bucket: Bucket): string {
  const { file_size_limit: limit, allowed_mime_types: types } = bucket
  const reach = bucket.public
    ? 'Public: whoever knows the name of a file reads it.'
    : 'Files are read as policies let it, or by a signed link.'
  const size = limit === null ? '' : ` At most ${bytesText(limit)} each.`
  const left = (types?.length ?? 0) - TYPES_SHOWN
  const kinds =
    types === null
      ? ''
      : ` Only ${types.slice(0, TYPES_SHOWN).join(', ')}${left > 0 ? ` and ${left} more types` : ''}.`
  return `${reach}${size}${kinds} Here every file shows: a session acts as service_role.`
}
