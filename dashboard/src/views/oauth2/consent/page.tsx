// Consent: what a person has agreed to.

import { Button, Empty } from '@cloudflare/kumo'
import { HandshakeIcon } from '@phosphor-icons/react'
import { getRouteApi } from '@tanstack/react-router'
import { useSession } from '../../../api/session.ts'
import { IdentityField } from '../../../parts/identity-field.tsx'
import { Page } from '../../../parts/page.tsx'
import { Consents } from './consents.tsx'

const view = getRouteApi('/oauth2/consent')

export function ConsentPage() {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const { identity: self } = useSession()
  const { subject } = search
  const choose = (id: string) => navigate({ search: { subject: id } })
  return (
    <Page title="Consent" lead="What people allow applications to do in their name, and how to revoke it.">
      <IdentityField
        key={`field ${subject}`}
        label="Person"
        action="Show consents"
        chosen={subject}
        onChoose={choose}
      />
      {subject ? (
        <Consents
          key={subject}
          subject={subject}
          sort={search.sort}
          onSort={sort => navigate({ search: { ...search, sort }, replace: true })}
        />
      ) : (
        <Empty
          icon={<HandshakeIcon size={40} />}
          title="Whose consents?"
          description="The OAuth2 server keeps what somebody agreed to, until it runs out or is revoked here."
          contents={<Button onClick={() => choose(self.id)}>Show my own</Button>}
        />
      )}
    </Page>
  )
}
