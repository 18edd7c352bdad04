// Who reaches the files of a bucket: what it being public says, then grants and policies.

import { Empty, LinkButton } from '@cloudflare/kumo'
import { ShieldIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { AccessState, PolicyList } from '../../../parts/database/access.tsx'
import { type Access, COMMANDS, type Policy } from '../../../parts/database/access-words.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page.tsx'
import { type Bucket, policiesQuery } from '../queries.ts'

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
  return (
    <Loaded query={query}>
      {({ objects, buckets }) => {
        const named = objects.policies.filter(policy => names(policy, bucket.id))
        const others = objects.policies.filter(policy => !named.includes(policy))
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
            {named.length > 0 && (
              <Section title="Policies that name this bucket">
                <PolicyList label="Policies that name this bucket" of={named} />
              </Section>
            )}
            {others.length > 0 && (
              <Section
                title="Other policies on files"
                lead="They hold for this bucket as far as their expressions say so."
              >
                <PolicyList label="Other policies on files" of={others} />
              </Section>
            )}
            {buckets.policies.length > 0 && (
              <Section title="Policies on buckets" lead="Who sees, makes and changes buckets themselves.">
                <PolicyList label="Policies on buckets" of={buckets.policies} />
              </Section>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

/** Nobody but Quoin writes the other columns: version, size, type. That is no one's lack of a grant. */
function rowsAlone(access: Access): Access {
  return { ...access, columns: null }
}

/** Whether an expression has the bucket's id as a text of SQL. */
function names({ using, check }: Policy, id: string): boolean {
  const literal = `'${id.replaceAll("'", "''")}'`
  return [using, check].some(expression => expression?.includes(literal) ?? false)
}
