// Who reaches the files of a bucket: what it being public says, then grants and policies.

import { Empty, LinkButton } from '@cloudflare/kumo'
import { ShieldIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { AccessState, PolicyList } from '../../../parts/database/access.tsx'
import { type Access, COMMANDS, type Policy } from '../../../parts/database/access-words.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page.tsx'
import { type Bucket, bucketsQuery, policiesQuery } from '../queries.ts'
import { policyGroups } from './policy-groups.ts'

interface AccessRow {
  verb: string
  anon: Access
  service: Access
}

const VERBS = { select: 'Read and list', insert: 'Upload', update: 'Replace and move', delete: 'Delete' }

const COLUMNS: Column<AccessRow>[] = [
  { id: 'verb', head: 'To', cell: ({ verb }) => verb },
  { id: 'anon', head: 'anon', cell: ({ anon }) => <AccessState of={anon} /> },
  {
    id: 'service_role',
    head: 'service_role',
    cell: ({ service }) => <AccessState of={service} />,
    isSecondary: true,
  },
]

export function Policies({ of: bucket }: { of: Bucket }) {
  const query = useQuery(policiesQuery)
  const { data: buckets } = useQuery(bucketsQuery)
  const ids = (buckets?.data ?? []).map(({ id }) => id)
  return (
    <Loaded query={query}>
      {({ objects, buckets: guarded }) => {
        const { ofThis, ofNone, ofOthers } = policyGroups(objects.policies, bucket.id, ids)
        return (
          <>
            <Section
              title="Access"
              lead={
                'Files are rows of storage.objects, those of all buckets together. ' +
                'Whoever is signed in has an anon key too, with claims that policies read.'
              }
            >
              {bucket.public && (
                <p>This bucket is public: reading a file whose name is known needs no policy and no key.</p>
              )}
              <DataTable
                label="Access to files"
                columns={COLUMNS}
                rows={COMMANDS.map(({ command }) => ({
                  verb: VERBS[command],
                  anon: rowsAlone(objects.access.anon[command]),
                  service: rowsAlone(objects.access.service_role[command]),
                }))}
                rowKey={({ verb }) => verb}
              />
            </Section>
            {objects.policies.length === 0 && (
              <Empty
                icon={<ShieldIcon size={40} />}
                title="No policies on storage.objects"
                description="So an anon key neither reads nor uploads a file. Write policies in a migration."
                contents={<LinkButton href="/database/migrations">See migrations</LinkButton>}
              />
            )}
            <PolicySection title="Policies that name this bucket" of={ofThis} />
            <PolicySection
              title="Policies that name no bucket"
              lead="They hold for this bucket as far as their expressions say so."
              of={ofNone}
            />
            <PolicySection
              title="Policies that name other buckets"
              lead="They seldom hold for this one; the table above counts them too."
              of={ofOthers}
            />
            <PolicySection
              title="Policies on buckets"
              lead="Who sees, makes and changes buckets themselves."
              of={guarded.policies}
            />
          </>
        )
      }}
    </Loaded>
  )
}

/** Nothing where there are none. */
function PolicySection({
  title,
  lead,
  of: policies,
}: {
  title: string
  lead?: string
  of: readonly Policy[]
}) {
  if (policies.length === 0) return null
  return (
    <Section title={title} lead={lead}>
      <PolicyList label={title} of={policies} />
    </Section>
  )
}

/** Nobody but Quoin writes the other columns: version, size, type. That is no one's lack of a grant. */
function rowsAlone(access: Access): Access {
  return { ...access, columns: null }
}
