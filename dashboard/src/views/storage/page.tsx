// Storage: buckets, and how much is in them.

import { HardDrivesIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { bytesText } from '../../parts/bytes.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { None } from '../../parts/facts.tsx'
import { ListPage } from '../../parts/list-page.tsx'
import { Time } from '../../parts/time.tsx'
import { Reach } from './bucket-words.tsx'
import { CreateBucketDialog } from './create-bucket-dialog.tsx'
import { LeftoversNotice } from './leftovers-notice.tsx'
import { type BucketCounted, bucketsQuery } from './queries.ts'

const view = getRouteApi('/storage')

const COLUMNS: Column<BucketCounted>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ id }) => <span className="wrap-anywhere">{id}</span>,
    sortBy: ({ id }) => id.toLowerCase(),
    className: 'max-w-80',
  },
  {
    id: 'reach',
    head: 'Access',
    cell: bucket => <Reach of={bucket} />,
    sortBy: bucket => (bucket.public ? 0 : 1),
    isSecondary: true,
  },
  {
    id: 'files',
    head: 'Files',
    align: 'right',
    cell: ({ objects }) => objects.toLocaleString('en'),
    sortBy: ({ objects }) => objects,
  },
  {
    id: 'bytes',
    head: 'Size',
    align: 'right',
    cell: ({ bytes }) => bytesText(bytes),
    sortBy: ({ bytes }) => bytes,
    className: 'whitespace-nowrap',
  },
  {
    id: 'limit',
    head: 'Size limit',
    align: 'right',
    cell: ({ file_size_limit: limit }) => (limit === null ? <None>none</None> : bytesText(limit)),
    sortBy: ({ file_size_limit: limit }) => limit ?? Number.POSITIVE_INFINITY,
    isSecondary: true,
    className: 'whitespace-nowrap',
  },
  {
    id: 'types',
    head: 'Allowed types',
    cell: ({ allowed_mime_types: types }) =>
      types === null ? (
        <None>all</None>
      ) : (
        <span className="line-clamp-2 wrap-anywhere">{types.join(', ')}</span>
      ),
    isSecondary: true,
    className: 'max-w-60',
  },
  {
    id: 'created',
    head: 'Created',
    cell: ({ created_at: at }) => <Time at={at} />,
    sortBy: ({ created_at: at }) => at,
    isSecondary: true,
  },
]

const WHAT_FOR =
  'Files that belong to the rows of an application: pictures of people, invoices, backups of devices.'

export function StoragePage() {
  const query = useQuery(bucketsQuery)
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const [created, setCreated] = useState<string>()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  return (
    <>
      <ListPage
        title="Storage"
        lead="A bucket holds files with the same settings. Here every file shows: a session acts as service_role."
        create={{
          action: 'Create bucket',
          onOpen: () => change({ create: true }),
          dialog: search.create && (
            <CreateBucketDialog
              onCreated={({ id }) => setCreated(id)}
              onClose={() => change({ create: undefined })}
            />
          ),
        }}
        icon={HardDrivesIcon}
        nouns={['bucket', 'buckets']}
        query={query}
        rowsOf={({ data }) => data}
        textOf={({ id, allowed_mime_types: types }) => [id, ...(types ?? [])].join(' ')}
        placeholder="Name or type"
        search={search.search}
        onSearch={text => change({ search: text })}
        onShowAll={() => change({ search: undefined })}
        whenNone={{ description: WHAT_FOR }}
      >
        {(shown, { leftovers }) => (
          <>
            {leftovers !== null && <LeftoversNotice of={leftovers} />}
            <DataTable
              label="Buckets"
              columns={COLUMNS}
              rows={shown}
              rowKey={({ id }) => id}
              href={({ id }) => `/storage/${encodeURIComponent(id)}`}
              sort={search.sort}
              onSort={sort => change({ sort })}
            />
          </>
        )}
      </ListPage>
      {created !== undefined && <Navigate to="/storage/$bucket" params={{ bucket: created }} />}
    </>
  )
}
