// Who can access an object, and why: as a graph and as a matrix, with the chain of tuples behind each mark.

import { LinkButton } from '@cloudflare/kumo'
import { PlusIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { addressOf } from '../../../app/address.ts'
import { Loaded, Outline } from '../../../parts/loaded.tsx'
import { Page } from '../../../parts/page.tsx'
import { AccessView } from './access-view.tsx'
import { ObjectForm } from './object-form.tsx'
import { accessQuery, type ObjectName } from './queries.ts'

const view = getRouteApi('/permissions/who-can-access')

export function WhoCanAccessPage() {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const { namespace, object } = search
  const asked = namespace && object ? { namespace, object } : undefined
  return (
    <Page
      title="Who can access"
      lead="Everybody with a relation or permit on an object, by which tuples, and who would lose it without one."
      actions={
        asked && (
          <LinkButton
            variant="primary"
            icon={PlusIcon}
            href={addressOf('/permissions', { ...asked, add: true })}
          >
            Give access
          </LinkButton>
        )
      }
    >
      <ObjectForm
        key={`${namespace} ${object}`}
        asked={{ namespace: namespace ?? '', object: object ?? '' }}
        onAsk={next => navigate({ search: next })}
      />
      {asked && <Report asked={asked} />}
    </Page>
  )
}

function Report({ asked }: { asked: ObjectName }) {
  const query = useQuery(accessQuery(asked))
  return (
    <Loaded query={query} outline={<Outline rows={10} />}>
      {report => <AccessView of={asked} report={report} />}
    </Loaded>
  )
}
