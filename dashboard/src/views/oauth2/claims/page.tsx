// Claims: what tokens say of a person beside what the standard says.

import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../../parts/loaded.tsx'
import { claimsQuery } from '../../../parts/oauth/queries.ts'
import { Page } from '../../../parts/page.tsx'
import { ClaimsEditor } from './editor.tsx'

export function ClaimsPage() {
  const query = useQuery(claimsQuery)
  return (
    <Page
      title="Claims"
      lead="What tokens say about a person beside the standard claims, from the next consent on."
    >
      <p className="-mt-3 max-w-[85ch] text-kumo-subtle">
        A template that is one path alone keeps the type of its value:{' '}
        <code>{'{{metadata_public.groups}}'}</code> stays a list. In a longer text values are put in. A key
        with a dot in it is written in quotes: <code>{'{{traits["employee.id"]}}'}</code>. A claim whose path
        has no value is left out.
      </p>
      <Loaded query={query}>{stored => <ClaimsEditor stored={stored} />}</Loaded>
    </Page>
  )
}
